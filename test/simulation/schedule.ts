// One schedule: a few processes, a few clients, some faults, then calm, until everything has ended.
// The seed alone decides all of it, so that a schedule that went wrong can be watched again.
import { startClients } from './clients.ts'
import type { DatabaseFaults, Network } from './database.ts'
import { startFleet } from './fleet.ts'
import { checkEnd, isQuiet, unfinished } from './invariants.ts'
import { createOutside } from './outside.ts'
import { seededRandom } from './random.ts'
import { createScheduler, type Scheduler } from './scheduler.ts'
import { realTick, type Seal, sealWorld } from './sealed.ts'
import { openSharedDatabase, type SharedDatabase } from './shared-database.ts'
import { addTriggered, addTriggers, checkTriggers } from './triggers.ts'
import { type Watch, watchRows } from './watch.ts'
import { addWorkflows, type StoredWorkflow } from './workflows.ts'

export type Outcome = {
  seed: number
  violations: string[]
  hash: number
  steps: number
  virtualMs: number
  faults: number
  /** What those outside did. */
  done: { texts: number; pictures: number; acts: number; webhooks: number }
}

export type Simulation = AsyncDisposable & {
  /** `trace` gets a line for each step. */
  run(seed: number, trace?: (line: string) => void): Promise<Outcome>
}

type Parts = {
  shared: SharedDatabase
  watch: Watch
  workflows: ReadonlyMap<string, readonly StoredWorkflow[]>
  /** The workflow of triggers. */
  triggered: number
  seal: Seal
}

/** Real time and chance are out of reach until it is disposed of. */
export async function openSimulation(): Promise<Simulation> {
  const { shared, db } = await openSharedDatabase()
  let isShared = true
  shared.define('simulated_among_others', () => (isShared ? 1 : 0))
  const workflows = await addWorkflows(db)
  const triggered = await addTriggered(db)
  const watch = watchRows(shared)
  const rejections: unknown[] = []
  const onRejection = (error: unknown) => void rejections.push(error)
  process.on('unhandledRejection', onRejection)
  const seal = sealWorld()
  const parts = { shared, watch, workflows, triggered, seal }
  return {
    async run(seed, trace) {
      // Every second schedule has one process with the database to itself, as on SQLite.
      isShared = seed % 2 === 0
      const outcome = await runSchedule(parts, seed, isShared, trace)
      await realTick()
      for (const error of rejections.splice(0)) outcome.violations.push(`unhandled: ${error}`)
      return outcome
    },
    async [Symbol.asyncDispose]() {
      process.off('unhandledRejection', onRejection)
      seal[Symbol.dispose]()
    },
  }
}

const maxSteps = 300_000

/**
 * Most schedules are as small as can be: they find most things in a fraction of the time. From a
 * million on, where only long searches come, half are large: they find what needs several runs.
 */
const largeShare = (seed: number) => (seed < 1_000_000 ? 0.03 : 0.5)

async function runSchedule(
  { shared, watch, workflows, triggered, seal }: Parts,
  seed: number,
  isShared: boolean,
  trace?: (line: string) => void,
): Promise<Outcome> {
  const random = seededRandom(seed)
  seal.use(random)
  const scheduler = createScheduler(random, shared, trace)
  const violations: string[] = []
  const violate = (what: string) => {
    trace?.(`          VIOLATION ${what}`)
    violations.push(what)
  }
  shared.trace = undefined
  shared.reset()
  watch.begin(violate)
  shared.trace = trace && ((sql) => trace(`            ${sql.replace(/\s+/g, ' ').slice(0, 400)}`))
  const network: Network = {
    ...{ scheduler, shared, violate, outageUntilMs: 0, listeners: new Map(), onCommit() {} },
    faults: chooseFaults(scheduler, isShared),
  }
  const outside = createOutside(scheduler, { canFind: random.chance(0.7) })
  const startMs = scheduler.nowMs()
  const isLarge = random.chance(largeShare(seed))
  const timetable = addTriggers(shared, { random, startMs, workflowId: triggered, isLarge })
  const size = isShared ? (isLarge && random.chance(0.3) ? 3 : 2) : 1
  const planned = isLarge ? { most: 4, oneOf: 28 } : { most: 2, oneOf: 10 }
  const fleet = startFleet({ network, outside, isShared, size, faults: planned }, trace)
  const reachable = () => {
    const open = fleet.alive().filter(({ isLeaving, services }) => services && !isLeaving)
    return open.length > 0 ? random.pick(open) : undefined
  }
  const promised = startClients({ scheduler, workflows, reachable, violate, isLarge })
  let calmMs = startMs
  let checked = -1
  const isOver = () => {
    if (violations.length > 0) return true
    if (!outside.isCalm && promised.isDone() && fleet.faultsLeft() === 0) {
      outside.isCalm = true
      calmMs = scheduler.nowMs()
      network.faults = noFaults
    }
    const mayBeQuiet = promised.isDone() && scheduler.isIdle()
    if (!mayBeQuiet || checked === shared.version()) return false
    checked = shared.version()
    return isQuiet(shared)
  }
  const hasEnded = await scheduler.run({ isOver, maxSteps, beforeStep: fleet.perturb })
  if (!hasEnded) violate(`it does not end: ${unfinished(shared)}`)
  const ended = { outside, promised, calmMs }
  if (violations.length === 0) checkEnd(shared, { ...ended, faults: fleet.faults() }, violate)
  if (violations.length === 0) checkTriggers(shared, timetable, violate)
  fleet.killAll()
  const virtualMs = scheduler.nowMs() - startMs
  const { hash, steps } = scheduler
  const { texts, jobs, acts, webhooks } = outside
  const done = {
    ...{
      texts: texts.size,
      pictures: [...jobs.values()].flat().filter((job) => job.isGood).length,
    },
    ...{ acts: acts.size, webhooks: webhooks.size },
  }
  return { seed, violations, hash, steps, virtualMs, faults: fleet.faults(), done }
}

const noFaults: DatabaseFaults = { unavailable: 0, answerLost: 0, repeated: 0 }

/** A third of the schedules have a sound database, so that other faults are seen by themselves. */
function chooseFaults({ random }: Scheduler, isShared: boolean): DatabaseFaults {
  if (random.chance(0.33)) return { ...noFaults, repeated: 20 }
  // One process alone that cannot know whether it has written exits; a kill stands for that.
  return { unavailable: 10, answerLost: isShared ? 15 : 0, repeated: isShared ? 20 : 0 }
}
