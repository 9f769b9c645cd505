// The long versions of the proofs: `npm run test:soak -- run-kills` chooses, without a name all are
// done. ATELIER_TEST_KILLS, ATELIER_TEST_CUTS, ATELIER_TEST_RESTARTS, ATELIER_TEST_HISTORIES and
// ATELIER_TEST_SCHEDULES say how many; SEED repeats the choices of an earlier soak.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { globSync, readFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import fc from 'fast-check'
import type { Db } from '#store/db.ts'
import { liveThrough, steps } from '../contract/auth/rights.ts'
import { holdUpAtEveryCommit } from '../contract/runs/held-up.ts'
import { history, live } from '../contract/runs/histories.ts'
import { livePaid, paidHistory } from '../contract/runs/paid-histories.ts'
import { migrations } from '../contract/runs/setting.ts'
import { runWaitKills } from '../contract/runs/waiting-kills.ts'
import { assertLegal, watchTransitions } from '../contract/runs/watch.ts'
import { compareCrowds } from '../contract/tasks/lane-rounds.ts'
import { killSchedulers } from '../contract/triggers/kill-rounds.ts'
import { runChatKillRounds } from '../crash/chats/kill-rounds.ts'
import { runRestartRounds } from '../crash/database/restart-rounds.ts'
import { killEconomy } from '../crash/economy/economy-kills.ts'
import { runPowerCuts } from '../crash/power/power-cuts.ts'
import { runKillRounds as killRunWorkers } from '../crash/runs/kill-rounds.ts'
import { runKillRounds as killTaskWorkers } from '../crash/tasks/kill-rounds.ts'
import { callFaulty, faultyOptions } from '../journeys/generation/faulty-routes.ts'
import { callFaultyKeys, openKeys } from '../journeys/generation/keyed-doubles.ts'
import { openBench } from '../journeys/generation/setting.ts'
import { chatTogether } from '../journeys/generation/shared-budget.ts'
import { proveReuse } from '../journeys/runs/reuse-graphs.ts'
import { seededRandom } from '../simulation/random.ts'
import { databases } from '../support/databases.ts'
import { tallyOf } from '../unit/graph/estimated-runs.ts'
import { killLists, peakOfList } from './killed-lists.ts'
import { killSchedulerProcesses } from './killed-schedulers.ts'
import { mapLongLists } from './mapped-lists.ts'
import { replayDeliveries } from './replayed-deliveries.ts'
import { spendTogether } from './shared-budget.ts'
import { meetStrictVendor } from './strict-vendor.ts'

type Proof = (database: Db['kind']) => Promise<object>

const kills = Number(process.env.ATELIER_TEST_KILLS ?? 300)
const cuts = Number(process.env.ATELIER_TEST_CUTS ?? 200)
const restarts = Number(process.env.ATELIER_TEST_RESTARTS ?? 40)
const histories = Number(process.env.ATELIER_TEST_HISTORIES ?? 10_000)
const schedules = Number(process.env.ATELIER_TEST_SCHEDULES ?? 1_000_000)
const seed = Number(process.env.SEED ?? Date.now() % 2 ** 31)

const say = (line: string) => console.log(`${new Date().toISOString()} ${line}`)

const every = (step: number, database: string) => (done: number) => {
  if (done % step === 0) say(`  ${database}: ${done}`)
}

const proofs: Record<string, Proof> = {
  properties: (database) =>
    database === 'sqlite'
      ? proveProperties()
      : Promise.resolve({ none: 'done with SQLite: these tests open both databases' }),
  'run-histories': proveHistories,
  'run-money': proveMoney,
  'run-pauses': provePauses,
  'team-histories': proveTeams,
  budgets: proveBudgets,
  'chat-kills': (database) =>
    runChatKillRounds({ database, rounds: kills, seed, onRound: every(10, database) }),
  'database-restarts': (database) =>
    database === 'sqlite'
      ? Promise.resolve({ none: 'SQLite is no process of its own' })
      : proveRestarts(),
  'mapped-lists': (database) =>
    database === 'sqlite'
      ? mapLongLists(80)
      : Promise.resolve({ none: 'done with SQLite: it is about the process' }),
  'list-kills': (database) => killLists(database, { items: 10_000, kills: 100 }),
  'list-memory': async (database) =>
    database === 'sqlite'
      ? { short: await peakOfList(1_000), long: await peakOfList(10_000) }
      : { none: 'done with SQLite: it is about the process' },
  powercut: (database) =>
    database === 'sqlite'
      ? runPowerCuts({ cuts, seed, onCut: every(10, database) })
      : Promise.resolve({ none: 'PostgreSQL keeps its own files' }),
  'run-kills': (database) =>
    killRunWorkers({ database, rounds: kills, seed, onRound: every(10, database) }),
  economy: (database) =>
    killEconomy({ database, runs: 1_000, kills: 50, seed, onKill: every(10, database) }),
  estimates: (database) =>
    database === 'sqlite' ? tallyOf(seed, 5_000) : Promise.resolve({ none: 'it uses no database' }),
  simulation: (database) =>
    database === 'sqlite'
      ? proveSchedules()
      : Promise.resolve({ none: 'it has a database of its own' }),
  'wait-kills': proveWaits,
  'trigger-kills': proveTriggers,
  'hook-replays': (database) => replayDeliveries(database, { replays: histories }),
  routes: (database) => proveRoutes(database),
  keys: (database) => proveKeys(database),
  lanes: proveLanes,
  'strict-vendor': (database) =>
    database === 'sqlite'
      ? Promise.resolve({ none: 'SQLite has one process' })
      : meetStrictVendor(150_000),
  reuse: proveReused,
  'task-kills': (database) =>
    killTaskWorkers({ database, rounds: kills, seed, onRound: every(10, database) }),
}

/** Three processes that spend one budget, on PostgreSQL; 1,000 chats of one server on SQLite. */
async function proveBudgets(kind: Db['kind']): Promise<object> {
  if (kind === 'sqlite') return chatTogether(1_000)
  await using opened = await databases.find(({ name }) => name === kind)?.open({ migrations })
  if (!opened || !('url' in opened.location)) throw new Error(`no ${kind} here`)
  return await spendTogether({ db: opened.db, url: opened.location.url }, 1_000)
}

/** Workers that are killed while runs wait for answers and times. */
async function proveWaits(kind: Db['kind']): Promise<object> {
  const database = await databases.find(({ name }) => name === kind)?.open({ migrations })
  if (!database) throw new Error(`no ${kind} here`)
  await using _ = database
  await watchTransitions(database.db)
  const report = every(10, kind)
  const proved = await runWaitKills(database.db, {
    ...{ rounds: kills, seed },
    onRound: (done) => report(done),
  })
  await assertLegal(database.db)
  return proved
}

/** Schedulers that die at random commits while the clock jumps. */
async function proveTriggers(database: Db['kind']): Promise<object> {
  const { open } = databases.find(({ name }) => name === database) ?? {}
  if (!open) throw new Error(`no such database: ${database}`)
  await using opened = await open({ migrations })
  const rounds = await killSchedulers(opened.db, { rounds: kills, seed })
  await using other = await open({ migrations })
  const { db, location } = other
  if (!('url' in location)) return rounds
  const random = seededRandom(seed)
  const chance = { kills, random: () => random.below(1_000_000) / 1_000_000 }
  const processes = await killSchedulerProcesses({ db, url: location.url }, chance)
  return { rounds, processes }
}

/** What the work opened is closed once it has ended. */
async function closing<T>(work: (t: { after(close?: unknown): void }) => Promise<T>): Promise<T> {
  const opened: (() => unknown)[] = []
  try {
    return await work({ after: (close) => void opened.push(close as () => unknown) })
  } finally {
    for (const close of opened.reverse()) await close()
  }
}

/** Calls over routes, at providers that fail in every way. */
const proveRoutes: Proof = (database) =>
  closing(async (t) => {
    const bench = await openBench(t, { ...faultyOptions, database })
    return callFaulty(bench, histories, seededRandom(seed))
  })

/** Calls to a provider with three keys, each of which fails in every way. */
const proveKeys: Proof = (database) =>
  closing(async (t) =>
    callFaultyKeys(await openKeys(t, { database }), histories, seededRandom(seed)),
  )

/** One account with 10,000 calls beside 99 with 10 each, in three processes where there can be. */
async function proveLanes(kind: Db['kind']): Promise<object> {
  const database = await databases.find(({ name }) => name === kind)?.open({ migrations })
  if (!database) throw new Error(`no ${kind} here`)
  await using _ = database
  const processes = database.db.isShared ? 3 : 1
  const limits = { concurrency: 20 }
  const crowd = { processes, limits, many: 10_000, few: 99, each: 10, callMs: 50 }
  // The database is closed when this function is left.
  return await compareCrowds(database.db, crowd)
}

/** Random graphs, run, run again and edited, against a provider that counts. */
async function proveReused(database: Db['kind']): Promise<object> {
  const closing: (() => unknown)[] = []
  const after = (close: () => unknown) => void closing.push(close)
  const chosen = { graphs: Math.ceil(histories / 10), random: seededRandom(seed) }
  try {
    return await proveReuse({ after }, { database, ...chosen, onGraph: every(50, database) })
  } finally {
    for (const close of closing) await close()
  }
}

/** The random tests of `npm test`, with all of their rounds. */
async function proveProperties(): Promise<object> {
  const files = globSync('test/**/*.test.ts').filter((path) =>
    readFileSync(path, 'utf8').includes('support/rounds.ts'),
  )
  const child = spawn(process.execPath, ['scripts/test.ts', ...files], {
    stdio: 'inherit',
    env: { ...process.env, ATELIER_TEST_ROUNDS: 'all' },
  })
  const [code] = await once(child, 'exit')
  if (code !== 0) throw new Error('a property does not hold')
  return { files: files.length }
}

/** On every core; half are large. SEED is the first, and the last line says where to go on. */
async function proveSchedules(): Promise<object> {
  const first = Number(process.env.SEED ?? 1_000_001)
  const perChild = 5_000
  let next = first
  const work = async () => {
    while (next < first + schedules) {
      const from = next
      next += perChild
      const range = [String(from), String(next - 1)]
      const child = spawn(process.execPath, ['scripts/simulate.ts', ...range], { stdio: 'inherit' })
      const [code] = await once(child, 'exit')
      if (code !== 0) throw new Error('a schedule went wrong: npm run simulate shows it')
      say(`  seeds ${range.join(' to ')}`)
    }
  }
  await Promise.all(Array.from({ length: availableParallelism() }, work))
  return { seeds: `${first} to ${next - 1}` }
}

/** Half of the rounds without a spend limit, half with one: their books are kept differently. */
async function proveRestarts(): Promise<object> {
  const half = { rounds: Math.ceil(restarts / 2), seed, onRound: every(5, 'postgres') }
  return {
    free: await runRestartRounds({ ...half, isLimited: false }),
    limited: await runRestartRounds({ ...half, isLimited: true }),
  }
}

async function openEmpty(database: Db['kind']) {
  const opened = await databases.find(({ name }) => name === database)?.open({ migrations })
  if (!opened) throw new Error(`no database ${database}`)
  return opened
}

async function provePauses(database: Db['kind']): Promise<object> {
  await using opened = await openEmpty(database)
  const wrong = [
    ...(await holdUpAtEveryCommit(opened.db, 'before')),
    ...(await holdUpAtEveryCommit(opened.db, 'after')),
  ]
  if (wrong.length > 0) throw new Error(wrong.join('; '))
  return { wrong }
}

/** Each of these histories takes many times as long as one of `run-histories`. */
async function proveMoney(database: Db['kind']): Promise<object> {
  await using opened = await openEmpty(database)
  let done = 0
  const tell = every(50, database)
  const property = fc.asyncProperty(paidHistory, async (lived) => {
    await livePaid(opened.db, lived)
    tell(++done)
  })
  const numRuns = Math.ceil(histories / 20)
  await fc.assert(property, { numRuns, seed, endOnFailure: true })
  return { histories: numRuns }
}

async function proveHistories(database: Db['kind']): Promise<object> {
  await using opened = await openEmpty(database)
  const { db } = opened
  await watchTransitions(db)
  let done = 0
  const tell = every(500, database)
  const property = fc.asyncProperty(history, async (steps) => {
    await live(db, steps)
    tell(++done)
  })
  await fc.assert(property, { numRuns: histories, seed, endOnFailure: true })
  const [runs] = await db.query<{ n: number }>('select count(*) as n from runs')
  return { histories: done, runs: runs?.n, transitions: await assertLegal(db) }
}

async function proveTeams(database: Db['kind']): Promise<object> {
  await using opened = await openEmpty(database)
  let done = 0
  const tell = every(100, database)
  const property = fc.asyncProperty(steps(80), async (history) => {
    await liveThrough(opened.db, history)
    tell(++done)
  })
  // One lasts about twenty times as long as the history of a run.
  await fc.assert(property, { numRuns: Math.ceil(histories / 20), seed })
  return { histories: done }
}

const [, , ...named] = process.argv
const [only] = databases.filter(({ name }) => named.includes(name))
const chosen = named.filter((name) => name !== only?.name)
for (const name of chosen.length > 0 ? chosen : Object.keys(proofs)) {
  const proof = proofs[name]
  if (!proof)
    throw new Error(`unknown proof "${name}"; there are ${Object.keys(proofs).join(', ')}`)
  for (const { name: database } of only ? [only] : databases) {
    say(`${name} on ${database}, seed ${seed}`)
    const startedAtMs = Date.now()
    const seen = await proof(database)
    const seconds = Math.round((Date.now() - startedAtMs) / 1000)
    say(`${name} on ${database}: ${JSON.stringify(seen)} in ${seconds} s`)
    if ('notTakenOver' in seen && seen.notTakenOver !== 0) {
      throw new Error('a worker that was held up kept its work from the others')
    }
  }
}
// A PostgreSQL server of its own would keep this process.
process.exit(0)
