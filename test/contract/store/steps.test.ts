import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, before, describe, it } from 'node:test'
import { systemClock } from '#core/clock.ts'
import type { BegunStep, DoneStep, EndedStep, FailedStep } from '#core/step-states.ts'
import type { Db } from '#store/db.ts'
import { writeRuns } from '#store/engine/run-batch.ts'
import { openSteps } from '#store/journals/step-log.ts'
import { putSteps, type Steps } from '#store/tables/steps.ts'
import { registerWorker } from '#store/tables/workers.ts'
import { databases, type TestDatabase } from '../../support/databases.ts'
import { migrations, until } from '../runs/setting.ts'

/** As a step is read that was stored without the key of its answer. */
const withoutKey = { reuse: null }

const begun = (change: Partial<BegunStep> = {}): BegunStep => ({
  run_id: randomUUID(),
  path: 'a#0',
  kind: 'TEXT',
  status: 'STARTED',
  attempts: 1,
  started_at: 1,
  ended_at: null,
  task_id: null,
  result: null,
  error: null,
  cost_micros: null,
  ...withoutKey,
  ...change,
})
const refused = { code: 'PROVIDER_ERROR', message: 'no', retryable: false } as const
const ended = (step: BegunStep): DoneStep => ({
  ...step,
  status: 'DONE',
  ended_at: 2,
  result: '"x\\"y"',
  cost_micros: 3,
})
const failed = (step: BegunStep): FailedStep => ({
  ...step,
  status: 'FAILED',
  ended_at: 2,
  error: refused,
})

const runId = randomUUID()

for (const { name, open } of databases) {
  describe(`steps on ${name}`, () => {
    let database: TestDatabase
    let db: Db
    before(async () => {
      database = await open({ migrations })
      db = database.db
    })
    after(() => database[Symbol.asyncDispose]())

    const openHere = () => openSteps({ db, clock: systemClock, onError: () => {} })
    const store = async (steps: Steps, all: { begun?: BegunStep[]; ended?: EndedStep[] }) => {
      const record = steps.record(all.begun ?? [], all.ended ?? [])
      await db.writeAll(() => record.statements)
      record.settle(true)
    }

    it('are found as soon as they are stored, each as it was last', async () => {
      const steps = await openHere()
      const first = begun()
      const second = begun({ run_id: first.run_id, path: 'b#0', started_at: 2 })
      await store(steps, { begun: [first] })
      assert.deepEqual(await steps.ofRun(first.run_id), [first])
      await store(steps, { begun: [second], ended: [ended(first)] })
      assert.deepEqual(await steps.ofRun(first.run_id), [ended(first), second])
      assert.deepEqual(await steps.ofRun(randomUUID()), [])
      await steps.close()
    })

    it('are listed without their long results, each of which is read by itself', async () => {
      const steps = await openHere()
      const short = begun()
      const long = begun({ run_id: short.run_id, path: 'b#0', started_at: 2 })
      const result = JSON.stringify('ü'.repeat(1_000))
      await store(steps, { begun: [short, long] })
      await store(steps, { ended: [ended(short), { ...ended(long), result }] })
      const listed = await steps.ofRun(short.run_id)
      assert.deepEqual(listed, [ended(short), { ...ended(long), result: null }])
      assert.equal(await steps.resultOf(long), result)
      await assert.rejects(steps.resultOf({ ...long, path: 'c#0' }), /no result/)
      await steps.close()
    })

    it('are found by the next process, whether this one closed or was killed', async () => {
      const [closed, killed] = [await openHere(), await openHere()]
      const [first, second] = [begun(), begun()]
      await store(closed, { begun: [first] })
      await store(closed, { ended: [ended(first)] })
      await closed.close()
      await store(killed, { begun: [second] })
      await store(killed, { ended: [failed(second)] })
      const next = await openHere()
      assert.deepEqual(await next.ofRun(first.run_id), [ended(first)])
      assert.deepEqual(await next.ofRun(second.run_id), [failed(second)])
      await next.close()
    })

    it('are found by whoever sees what was committed with them, before that is answered', async () => {
      const steps = await openHere()
      const step = begun()
      const record = steps.record([step], [])
      const beside = {
        sql: `insert into workers (id, lease_until, started_at, role) values ($1, 1, 1, 'work')`,
        rows: [[step.run_id]],
      }
      const written = db.writeAll(() => [...record.statements, beside])
      const seen = () => db.query('select id from workers where id = $1', [step.run_id])
      await until(async () => (await seen()).length > 0)
      const found = steps.ofRun(step.run_id)
      await written
      record.settle(true)
      assert.deepEqual(await found, [step])
      await steps.close()
    })

    it('that were not committed are not there', async () => {
      const steps = await openHere()
      const step = begun()
      steps.record([step], []).settle(false)
      const other = begun()
      await store(steps, { begun: [other] })
      assert.deepEqual(await steps.ofRun(step.run_id), [])
      assert.deepEqual(await steps.ofRun(other.run_id), [other])
      await steps.close()
    })

    it('that were taken back are not there, whether they had been moved or not', async () => {
      const steps = await openHere()
      const step = begun()
      await store(steps, { begun: [step] })
      await db.writeAll(() => [steps.forget([step])])
      assert.deepEqual(await steps.ofRun(step.run_id), [])
      await store(steps, { begun: [step] })
      assert.deepEqual(await steps.ofRun(step.run_id), [step])
      await db.writeAll(() => [steps.forget([step])])
      assert.deepEqual(await steps.ofRun(step.run_id), [])
      await steps.close()
    })

    it('that are forgotten while others are being moved stay forgotten', async () => {
      const moving = Promise.withResolvers<void>()
      const go = Promise.withResolvers<void>()
      let isHeld = false
      const slow: Db = {
        ...db,
        async writeAll(statements, options) {
          if (isHeld) {
            isHeld = false
            moving.resolve()
            await go.promise
          }
          return db.writeAll(statements, options)
        },
      }
      const steps = await openSteps({ db: slow, clock: systemClock, onError: () => {} })
      // A move writes 250 steps at a time, so that the other run is still to be moved.
      const many = Array.from({ length: 250 }, (_, i) =>
        begun({ run_id: runId, path: `m[${i}]#0` }),
      )
      const other = begun()
      await store(steps, { begun: [...many, other] })
      isHeld = true
      const closed = steps.close()
      if (!db.isShared) await moving.promise
      await db.writeAll(() => [steps.forget([other])])
      go.resolve()
      await closed
      const again = await openHere()
      assert.deepEqual(await again.ofRun(other.run_id), [])
      assert.equal((await again.ofRun(runId)).length, 250)
      await again.close()
    })

    it('that end while a move fails are found as they ended', async () => {
      const moving = Promise.withResolvers<void>()
      const fail = Promise.withResolvers<never>()
      // On PostgreSQL there are no moves, and nobody waits for this one.
      fail.promise.catch(() => {})
      let isFailing = !db.isShared
      const failing: Db = {
        ...db,
        writeAll(statements, options) {
          if (!isFailing) return db.writeAll(statements, options)
          isFailing = false
          moving.resolve()
          return fail.promise
        },
      }
      const steps = await openSteps({ db: failing, clock: systemClock, onError: () => {} })
      const step = begun()
      await store(steps, { begun: [step] })
      const first = steps.ofRun(step.run_id)
      if (db.isShared) moving.resolve()
      await moving.promise
      await store(steps, { ended: [ended(step)] })
      fail.reject(new Error('not now'))
      await first.catch(() => {})
      assert.deepEqual(await steps.ofRun(step.run_id), [ended(step)])
      await steps.close()
    })

    it('of a process that was held up do not replace what its heir wrote since', async () => {
      const slow = await openHere()
      const step = begun()
      await store(slow, { begun: [step] })
      const heir = await openHere()
      await store(heir, { ended: [ended(step)] })
      assert.deepEqual(await heir.ofRun(step.run_id), [ended(step)])
      await slow.close()
      assert.deepEqual(await heir.ofRun(step.run_id), [ended(step)])
      await heir.close()
    })

    it('many of them, and one that was ordered with its task, are all found', async () => {
      const steps = await openHere()
      const media = begun({ kind: 'MEDIA', task_id: randomUUID() })
      await db.writeAll(() => [putSteps(db.dialect, [media])])
      const many = Array.from({ length: 1_500 }, (_, i) =>
        begun({ path: `m[${String(i).padStart(4, '0')}]#0` }),
      ).map((step) => ({ ...step, run_id: media.run_id }))
      for (let i = 0; i < many.length; i += 100)
        await store(steps, { begun: many.slice(i, i + 100) })
      await store(steps, { ended: [ended(media), ...many.map((step) => ended(step))] })
      const found = await steps.ofRun(media.run_id)
      assert.equal(found.length, many.length + 1)
      assert.ok(found.every(({ status }) => status === 'DONE'))
      assert.ok(found.some(({ task_id }) => task_id === media.task_id))
      await steps.close()
    })

    it('leave nothing in the log once they are in their places', async () => {
      const steps = await openHere()
      await store(steps, { begun: [begun(), begun()] })
      await steps.close()
      assert.deepEqual(await db.query('select * from step_log'), [])
    })

    it('are found after a transaction that stored them was executed twice', async () => {
      const steps = await openHere()
      const step = begun()
      const twice: Db = {
        ...db,
        async transaction(work) {
          const first = db.transaction(async (tx) => {
            await work(tx)
            throw new Error('executed again')
          })
          await assert.rejects(first, /executed again/)
          return db.transaction(work)
        },
      }
      const workerId = randomUUID()
      await registerWorker(db, workerId, 60_000)
      const none = { ended: [], errors: [], shown: [], finished: [], opened: [], asleep: [] }
      const writes = { db: twice, steps, recordRunEnd: async () => {} }
      const batch = () => ({ ...none, begun: [{ step }] })
      await writeRuns(writes, workerId, batch, { hasWebhook: true })
      assert.deepEqual(await steps.ofRun(step.run_id), [step])
      await steps.close()
    })
  })
}
