import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import fc from 'fast-check'
import { LeaseLost } from '#core/interruptions.ts'
import { nextState } from '#engine/deliveries/next-state.ts'
import type { Db } from '#store/db.ts'
import { claimStatement, queuesWithWork, releaseWorkOf } from '#store/tables/claims.ts'
import { type DeliveryRow, listDeliveries, redeliver } from '#store/tables/deliveries.ts'
import { deliveryClaims, endWaits, recordAttempt } from '#store/tables/delivery-claims.ts'
import { databases, type TestDatabase } from '../../support/databases.ts'
import { rounds } from '../../support/rounds.ts'
import { endRun, migrations, newId } from './setting.ts'

/** A delivery as the contract describes it. */
type Modelled = {
  runId: string
  status: DeliveryRow['status']
  attempts: number
  retryAtMs: number | null
  owner: string | null
  epoch: number
}
type Claim = { index: number; id: string; owner: string; epoch: number }
type World = {
  nowMs: number
  deliveries: Modelled[]
  /** Every claim ever made, also those long lost. */
  claims: Claim[]
}
type Real = { db: Db; accountId: string }
type Step = { label: string; run(model: World, real: Real): Promise<void> }

const workers = ['ann', 'bob', 'cyd']
const host = 'hook.example.com'

const endStep: Step = {
  label: 'a run ends',
  async run(model, { db, accountId }) {
    const { runId } = await endRun(db, { accountId, completedAtMs: model.nowMs })
    model.deliveries.push({
      runId,
      status: 'PENDING',
      attempts: 0,
      retryAtMs: null,
      owner: null,
      epoch: 0,
    })
  },
}

const claimStep = (workerId: string, limit: number): Step => ({
  label: `${workerId} claims ${limit}`,
  async run(model, { db, accountId }) {
    await endWaits(db, model.nowMs)
    for (const one of model.deliveries)
      if (one.retryAtMs !== null && one.retryAtMs <= model.nowMs) one.retryAtMs = null
    const isFree = (one: Modelled) =>
      one.status === 'PENDING' && one.owner === null && one.retryAtMs === null
    const queue = `${accountId} ${host}`
    assert.deepEqual(
      (await queuesWithWork(db, deliveryClaims, null, 1_000)).includes(queue),
      model.deliveries.some(isFree),
    )
    const planned = { owner: workerId, queue, limit, room: limit }
    const [stored] = await db.writeAll(() => [claimStatement(db, deliveryClaims, planned, [])])
    const rows = deliveryClaims.selection.read(stored)
    const { rows: all } = await listDeliveries(db, accountId, {}, { before: null, limit: 200 })
    const indexOf = new Map(all.map((row) => [row.id, row.seq - 1]))
    const expected = model.deliveries.flatMap((one, i) => (isFree(one) ? [i] : [])).slice(0, limit)
    const claimed = rows.map((row) => indexOf.get(row.id) ?? -1)
    assert.deepEqual(
      claimed.toSorted((a, b) => a - b),
      expected,
    )
    for (const [at, row] of rows.entries()) {
      const index = claimed[at] ?? -1
      const one = model.deliveries[index]
      assert.ok(one && row.epoch === one.epoch + 1 && row.attempts === one.attempts)
      Object.assign(one, { owner: workerId, epoch: row.epoch })
      model.claims.push({ index, id: row.id, owner: workerId, epoch: row.epoch })
    }
  },
})

const recordStep = (
  pick: number,
  { statusCode, retryAfterMs }: { statusCode: number | null; retryAfterMs: number },
): Step => ({
  label: `claim ${pick} records ${statusCode}, retry after ${retryAfterMs}`,
  async run(model, { db }) {
    const claim = model.claims[pick % Math.max(model.claims.length, 1)]
    const one = claim && model.deliveries[claim.index]
    if (!claim || !one) return
    const { nowMs } = model
    const isHeld = one.owner === claim.owner && one.epoch === claim.epoch
    const outcome = { statusCode, error: null, retryAfterMs }
    const next = nextState(outcome, { attempts: one.attempts, nowMs, random: 0.5 })
    const written = recordAttempt(db, claim, {
      ...next,
      number: one.attempts + 1,
      statusCode,
      error: null,
      body: null,
      startedAtMs: nowMs,
      nowMs,
    })
    if (!isHeld) return assert.rejects(written, LeaseLost)
    await written
    Object.assign(one, next, { attempts: one.attempts + 1, owner: null })
  },
})

const dieStep = (workerId: string): Step => ({
  label: `${workerId} dies`,
  async run(model, { db }) {
    await db.transaction((tx) => releaseWorkOf(tx, workerId))
    for (const one of model.deliveries) if (one.owner === workerId) one.owner = null
  },
})

const redeliverStep = (pick: number): Step => ({
  label: `redeliver ${pick}`,
  async run(model, { db, accountId }) {
    const { rows } = await listDeliveries(db, accountId, {}, { before: null, limit: 200 })
    const row = rows[pick % Math.max(rows.length, 1)]
    if (!row) return
    const answer = await redeliver(db, accountId, row.id, model.nowMs)
    const open = model.deliveries.findIndex(
      ({ runId, status }) => runId === row.run_id && status === 'PENDING',
    )
    const one = model.deliveries[open]
    if (one) {
      one.retryAtMs = null
      assert.equal(answer?.seq, open + 1)
      return
    }
    const fresh = {
      status: 'PENDING',
      attempts: 0,
      retryAtMs: null,
      owner: null,
      epoch: 0,
    } as const
    model.deliveries.push({ ...fresh, runId: row.run_id })
    assert.equal(answer?.seq, model.deliveries.length)
    assert.equal(answer?.webhook_id, row.webhook_id)
  },
})

const waitStep = (ms: number): Step => ({
  label: `${ms} ms pass`,
  async run(model) {
    model.nowMs += ms
  },
})

const steps = fc.oneof(
  { weight: 3, arbitrary: fc.constant(endStep) },
  {
    weight: 5,
    arbitrary: fc
      .tuple(fc.constantFrom(...workers), fc.integer({ min: 1, max: 4 }))
      .map(([worker, limit]) => claimStep(worker, limit)),
  },
  {
    weight: 6,
    arbitrary: fc
      .tuple(
        fc.nat(40),
        fc.record({
          statusCode: fc.constantFrom(200, 204, 302, 410, 429, 500, 503, null),
          retryAfterMs: fc.constantFrom(0, 0, 60_000, 10 * 86_400_000),
        }),
      )
      .map(([pick, outcome]) => recordStep(pick, outcome)),
  },
  { weight: 1, arbitrary: fc.constantFrom(...workers).map(dieStep) },
  { weight: 1, arbitrary: fc.nat(40).map(redeliverStep) },
  { weight: 3, arbitrary: fc.constantFrom(1, 4_000, 300_000, 90_000_000).map(waitStep) },
)

/** What a reader sees must be what the model says, after every step. */
async function assertSame(model: World, { db, accountId }: Real) {
  const rows = await db.query<Record<string, unknown>>(
    `select status, attempts, retry_at, owner, epoch, completed_at is not null as has_ended
     from deliveries where account_id = $1 order by seq`,
    [accountId],
  )
  assert.deepEqual(
    rows.map((row) => ({ ...row })),
    model.deliveries.map(({ status, attempts, retryAtMs, owner, epoch }) => ({
      status,
      attempts,
      retry_at: retryAtMs,
      owner,
      epoch,
      has_ended: Number(status !== 'PENDING'),
    })),
  )
  for (const { attempts, status, owner } of model.deliveries) {
    assert.ok(attempts <= 10)
    assert.ok(status === 'PENDING' || (attempts > 0 && owner === null))
  }
}

for (const { name, open } of databases) {
  describe(`the model of deliveries on ${name}`, () => {
    let opened: TestDatabase
    before(async () => {
      opened = await open({ migrations })
    })
    after(() => opened.close())

    test('claims, records, deaths, retries and redeliveries agree with the model', async () => {
      await fc.assert(
        fc.asyncProperty(fc.array(steps, { minLength: 5, maxLength: 60 }), async (history) => {
          const real = { db: opened.db, accountId: newId() }
          const model: World = { nowMs: 1_000, deliveries: [], claims: [] }
          for (const step of history) {
            await step.run(model, real)
            await assertSame(model, real)
          }
        }),
        { numRuns: rounds(name === 'sqlite' ? 150 : 40) },
      )
    })
  })
}
