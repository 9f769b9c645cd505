// Histories of submissions, repeats, cancellations, answers, kills and lost leases, in any order,
// and what must hold at the end of each.
import assert from 'node:assert/strict'
import fc from 'fast-check'
import { isTerminal } from '#core/run-states.ts'
import type { Db } from '#store/db.ts'
import { requestCancel } from '#store/tables/cancel-run.ts'
import { endedRun } from '#store/tables/ended-run.ts'
import {
  addWorkflow,
  allEnded,
  chain,
  countingProvider,
  newAccount,
  type Process,
  type Provided,
  recordRunEnd,
  rowOf,
  startProcess,
  submit as submitTo,
} from './setting.ts'

const keys = ['a', 'b', 'c', 'd'] as const
const chainLength = 2

type Step =
  | { do: 'submit'; key: (typeof keys)[number] }
  | { do: 'hold'; key: (typeof keys)[number]; call: number }
  | { do: 'open'; key: (typeof keys)[number] }
  | { do: 'cancel'; key: (typeof keys)[number] }
  | { do: 'kill'; commits: number; moment: 'before' | 'after' }
  | { do: 'expire' }
  | { do: 'turn'; turns: number }

const key = fc.constantFrom(...keys)

export const history = fc.array(
  fc.oneof(
    { weight: 4, arbitrary: fc.record({ do: fc.constant('submit' as const), key }) },
    {
      weight: 2,
      arbitrary: fc.record({
        do: fc.constant('hold' as const),
        key,
        call: fc.nat({ max: chainLength - 1 }),
      }),
    },
    { weight: 1, arbitrary: fc.record({ do: fc.constant('open' as const), key }) },
    { weight: 2, arbitrary: fc.record({ do: fc.constant('cancel' as const), key }) },
    {
      weight: 2,
      arbitrary: fc.record({
        do: fc.constant('kill' as const),
        commits: fc.integer({ min: 1, max: 8 }),
        moment: fc.constantFrom('before' as const, 'after' as const),
      }),
    },
    { weight: 1, arbitrary: fc.record({ do: fc.constant('expire' as const) }) },
    {
      weight: 4,
      arbitrary: fc.record({
        do: fc.constant('turn' as const),
        turns: fc.integer({ min: 1, max: 6 }),
      }),
    },
  ),
  { minLength: 1, maxLength: 14 },
)

type World = {
  db: Db
  accountId: string
  workflow: Awaited<ReturnType<typeof addWorkflow>>
  provider: Provided
  process: Process
  /** Lost their lease, and go on as if they had it. */
  superseded: Process[]
  /** By key: what a caller was told. */
  told: Map<string, string>
  cancelled: Set<string>
  kills: number
}

export async function live(db: Db, steps: readonly Step[]): Promise<void> {
  const accountId = newAccount()
  const provider = countingProvider()
  const world: World = {
    db,
    accountId,
    workflow: await addWorkflow(db, accountId, chain(chainLength)),
    provider,
    process: await startProcess(db, provider),
    superseded: [],
    told: new Map(),
    cancelled: new Set(),
    kills: 0,
  }
  try {
    for (const step of steps) {
      await take(world, step)
      if (world.process.store.isDead()) await replace(world)
    }
    for (const name of keys) open(world, name)
    await settled(world)
    await judge(world)
  } finally {
    // One that lived on would claim runs of the next history.
    for (const process of [world.process, ...world.superseded]) await process.bury()
  }
}

async function take(world: World, step: Step): Promise<void> {
  switch (step.do) {
    case 'submit':
      return submit(world, step.key)
    case 'hold':
      world.provider.held.add(`${step.key}${'+'.repeat(step.call)}`)
      return
    case 'open':
      return open(world, step.key)
    case 'cancel':
      return cancel(world, step.key)
    case 'kill':
      return world.process.store.killAt(step.commits, step.moment)
    case 'expire':
      return supersede(world)
    case 'turn':
      for (let i = 0; i < step.turns; i++) await new Promise((resolve) => setImmediate(resolve))
      return
    default:
      return step satisfies never
  }
}

const open = ({ provider }: World, name: string) => {
  for (let call = 0; call < chainLength; call++) provider.open(`${name}${'+'.repeat(call)}`)
}

/** Waits for the answer, unless the process dies first: then the caller knows nothing. */
async function submit(world: World, name: string) {
  const { process, accountId, workflow } = world
  const answer = submitTo(process, accountId, workflow, {
    key: name,
    inputs: JSON.stringify({ in: name }),
    callbackUrl: 'http://receiver.test/',
  })
  const heard = await Promise.race([answer, process.store.died])
  if (!heard) return
  const before = world.told.get(name)
  if (before !== undefined) assert.equal(heard.id, before, 'one key, two runs')
  world.told.set(name, heard.id)
}

async function cancel(world: World, name: string) {
  const id = world.told.get(name)
  if (id === undefined) return
  const { process, accountId } = world
  const request = process.store.process.transaction(async (tx) => {
    tx.notify('run-cancels')
    const done = await requestCancel(tx, accountId, id, { reason: null, nowMs: Date.now() })
    if (done?.endedNow) await recordRunEnd(tx, endedRun(done.row))
    return done
  })
  // Also if nobody heard of it, it may have been stored.
  world.cancelled.add(id)
  await Promise.race([request, process.store.died])
}

async function replace(world: World) {
  await world.process.bury()
  world.kills++
  world.process = await startProcess(world.db, world.provider)
}

async function supersede(world: World) {
  world.superseded.push(world.process)
  await world.process.expire()
  world.kills++
  world.process = await startProcess(world.db, world.provider)
}

async function settled(world: World) {
  await Promise.race([allEnded(world.db), world.process.store.died])
  if (!world.process.store.isDead()) return
  await replace(world)
  await allEnded(world.db)
}

async function judge({ db, accountId, provider, told, cancelled, kills }: World) {
  for (const [prompt, count] of provider.asked) assert.equal(count, 1, `${prompt} was paid twice`)
  const rows = await db.query<{ id: string }>('select id from runs where account_id = $1', [
    accountId,
  ])
  assert.ok(rows.length <= keys.length)
  const ids = new Set(rows.map((row) => row.id))
  for (const id of told.values()) assert.ok(ids.has(id), 'acknowledged, then lost')
  for (const id of ids) {
    const row = await rowOf(db, id)
    assert.ok(isTerminal(row.status))
    const { in: prompt } = JSON.parse(row.inputs)
    if (row.status === 'COMPLETED') {
      assert.deepEqual(JSON.parse(row.outputs ?? ''), { g1: `${prompt}++` })
    }
    if (row.status === 'CANCELLED') assert.ok(cancelled.has(id), 'nobody cancelled it')
    if (row.status === 'FAILED') {
      assert.ok(kills > 0, 'nothing went wrong')
      assert.match(JSON.stringify(row.node_errors), /PROVIDER_OUTCOME_UNKNOWN/)
    }
    if (kills === 0 && !cancelled.has(id)) assert.equal(row.status, 'COMPLETED')
    const told = await db.query('select type from deliveries where run_id = $1', [id])
    assert.deepEqual(told, [{ type: `workflow.run.${row.status.toLowerCase()}` }])
  }
}
