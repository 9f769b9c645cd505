import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { type Db, StoreUnavailable } from '#store/db.ts'
import { requestCancel } from '#store/tables/cancel-run.ts'
import { releaseUnfinished, releaseWorkOf } from '#store/tables/claims.ts'
import type { RunRow } from '#store/tables/runs.ts'
import { databases } from '../../support/databases.ts'
import { payloadsInRows } from '../../support/payloads-in-rows.ts'
import {
  addRun,
  addWorkflow,
  allEnded,
  chain,
  countingProvider,
  migrations,
  newAccount,
  rowOf,
  startProcess,
} from './setting.ts'

/** The store of a worker whose ends of runs are refused, while there is a refusal. */
const refusing = (db: Db, refusal: () => Error | undefined): Db => ({
  ...db,
  async writeAll(statements, options) {
    const asked = statements()
    const ends = JSON.stringify(asked.map(({ rows }) => rows)).includes('COMPLETED')
    const refused = ends ? refusal() : undefined
    if (refused) throw refused
    return db.writeAll(() => asked, options)
  },
})

/** A worker that is gone when its test is over, however it ended. */
async function startWorker(...given: Parameters<typeof startProcess>) {
  const { bury } = await startProcess(...given)
  return { [Symbol.asyncDispose]: bury }
}

const errorsOf = ({ node_errors }: Pick<RunRow, 'node_errors'>) =>
  (node_errors ?? []).map(({ nodeId, type, code, retryable }) => ({
    nodeId,
    type,
    code,
    retryable,
  }))

const until = async (holds: () => Promise<boolean>) => {
  const deadline = Date.now() + 30_000
  while (!(await holds())) {
    assert.ok(Date.now() < deadline, 'it did not happen')
    await new Promise((resolve) => setTimeout(resolve, 5))
  }
}

for (const { name, open } of databases) {
  describe(`runs that cannot end, on ${name}`, () => {
    test('an error while ending a run ends it FAILED, with an error of the run itself', async () => {
      await using database = await open({ migrations })
      const { db } = database
      const accountId = newAccount()
      const workflow = await addWorkflow(db, accountId, chain(1))
      const put = async () => {
        throw new RangeError('Maximum call stack size exceeded')
      }
      await using _process = await startWorker(db, countingProvider(), {
        payloads: { ...payloadsInRows, put },
      })
      const id = await addRun(db, accountId, workflow, { inputs: '{"in":"x"}' })
      await allEnded(db)
      const row = await rowOf(db, id)
      assert.equal(row.status, 'FAILED')
      assert.deepEqual(errorsOf(row), [
        { nodeId: '', type: 'run', code: 'INTERNAL_ERROR', retryable: true },
      ])
      // What it paid for is in its cost all the same.
      assert.ok(row.cost_micros > 0)
    })

    test('a run whose workers died with it again and again is quarantined; one that died less is not', async () => {
      await using database = await open({ migrations })
      const { db } = database
      const accountId = newAccount()
      const workflow = await addWorkflow(db, accountId, chain(1))
      const runs = {
        deadly: await addRun(db, accountId, workflow, { inputs: '{"in":"x"}' }),
        lucky: await addRun(db, accountId, workflow, { inputs: '{"in":"y"}' }),
      }
      // As workers leave them that died.
      const left = `update runs set status = 'RUNNING', started_at = $2, deadline_at = $3,
        epoch = 1, deaths = $4 where id = $1`
      const times = [Date.now(), Date.now() + 3_600_000]
      await db.write(left, [runs.deadly, ...times, 8])
      await db.write(left, [runs.lucky, ...times, 7])
      const quarantined: string[] = []
      await using _process = await startWorker(db, countingProvider(), {
        onQuarantined: (kind) => quarantined.push(kind),
      })
      for (const id of Object.values(runs))
        await until(async () => (await rowOf(db, id)).completed_at !== null)
      assert.deepEqual(errorsOf(await rowOf(db, runs.deadly)), [
        { nodeId: '', type: 'run', code: 'QUARANTINED', retryable: false },
      ])
      const lucky = await rowOf(db, runs.lucky)
      // Counted before it was executed.
      assert.deepEqual([lucky.status, lucky.deaths], ['COMPLETED', 8])
      assert.deepEqual(quarantined, ['run'])
    })

    test('a run that its worker gave back, also by stopping, has survived: no death counts any more', async () => {
      await using database = await open({ migrations })
      const { db } = database
      const accountId = newAccount()
      const workflow = await addWorkflow(db, accountId, chain(1))
      const owner = newAccount()
      const releases = {
        givenBack: (id: string) =>
          releaseUnfinished(db, 'runs', { id, owner, epoch: 2 }, { atMs: 1, releases: 1 }),
        stopped: () => db.transaction((tx) => releaseWorkOf(tx, owner)),
      }
      for (const release of Object.values(releases)) {
        const id = await addRun(db, accountId, workflow, { inputs: '{"in":"x"}' })
        const claimed = 'update runs set owner = $2, epoch = 2, deaths = 7 where id = $1'
        await db.write(claimed, [id, owner])
        await release(id)
        const { deaths, owner: left } = await rowOf(db, id)
        assert.deepEqual([deaths, left], [0, null])
      }
    })

    test('a run the store refuses again and again is quarantined; its neighbour is not', async () => {
      await using database = await open({ migrations })
      const { db } = database
      const accountId = newAccount()
      const workflow = await addWorkflow(db, accountId, chain(1))
      const tired = await addRun(db, accountId, workflow, { inputs: '{"in":"x"}' })
      const fresh = await addRun(db, accountId, workflow, { inputs: '{"in":"y"}' })
      await db.write('update runs set releases = 4 where id = $1', [tired])
      const quarantined: string[] = []
      const errors: unknown[] = []
      await using _process = await startWorker(
        refusing(db, () => new Error('refused')),
        countingProvider(),
        {
          onQuarantined: (kind) => quarantined.push(kind),
          onError: (error) => errors.push(error),
        },
      )
      await until(async () => (await rowOf(db, tired)).completed_at !== null)
      const ended = await rowOf(db, tired)
      assert.equal(ended.status, 'FAILED')
      assert.deepEqual(errorsOf(ended), [
        { nodeId: '', type: 'run', code: 'QUARANTINED', retryable: false },
      ])
      await until(async () => quarantined.length > 0)
      assert.deepEqual(quarantined, ['run'])
      await until(async () => (await rowOf(db, fresh)).releases === 1)
      assert.equal((await rowOf(db, fresh)).owner, null)
    })

    test('a store that is away for a while is no fault of the run', async () => {
      await using database = await open({ migrations })
      const { db } = database
      const accountId = newAccount()
      const workflow = await addWorkflow(db, accountId, chain(1))
      const id = await addRun(db, accountId, workflow, { inputs: '{"in":"x"}' })
      let outages = 2
      const away = () => (outages-- > 0 ? new StoreUnavailable('away') : undefined)
      await using _process = await startWorker(refusing(db, away), countingProvider())
      await allEnded(db, 60_000)
      const row = await rowOf(db, id)
      assert.deepEqual([row.status, row.releases], ['COMPLETED', 0])
      assert.ok(outages < 0)
    })

    test('a run that is over its time is ended before anything of it is executed', async () => {
      await using database = await open({ migrations })
      const { db } = database
      const accountId = newAccount()
      const workflow = await addWorkflow(db, accountId, chain(1))
      const id = await addRun(db, accountId, workflow, { inputs: '{"in":"x"}', isNotified: false })
      await db.write(
        `update runs set status = 'RUNNING', started_at = 1, deadline_at = 2, epoch = 1 where id = $1`,
        [id],
      )
      const provider = countingProvider()
      await using _process = await startWorker(db, provider)
      await allEnded(db)
      const row = await rowOf(db, id)
      assert.equal(row.status, 'FAILED')
      assert.equal(errorsOf(row)[0]?.code, 'RUN_TIMEOUT')
      assert.equal(provider.asked.size, 0)
    })

    test('a run somebody cancelled while it waited is ended before anything of it is executed', async () => {
      await using database = await open({ migrations })
      const { db } = database
      const accountId = newAccount()
      const workflow = await addWorkflow(db, accountId, chain(1))
      const id = await addRun(db, accountId, workflow, { inputs: '{"in":"x"}', isNotified: false })
      await db.write(
        `update runs set status = 'RUNNING', started_at = 1, epoch = 1 where id = $1`,
        [id],
      )
      await db.transaction((tx) => requestCancel(tx, accountId, id, { reason: null, nowMs: 3 }))
      const provider = countingProvider()
      await using _process = await startWorker(db, provider)
      await allEnded(db)
      assert.equal((await rowOf(db, id)).status, 'CANCELLED')
      assert.equal(provider.asked.size, 0)
    })
  })
}
