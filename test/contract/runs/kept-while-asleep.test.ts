// What a run refers to is kept while it sleeps, however long, and from its end on as long as the run.
import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { describe, test } from 'node:test'
import { cancelWorkflowRun } from '#api/public/runs/cancel-workflow-run.ts'
import { systemClock } from '#core/clock.ts'
import { renewAtEnd } from '#engine/runs/renew-held.ts'
import { createMediaStore } from '#media/media-store.ts'
import type { Db } from '#store/db.ts'
import { waitsIn } from '#store/engine/waits.ts'
import { databases } from '../../support/databases.ts'
import { payloadsInRows } from '../../support/payloads-in-rows.ts'
import {
  addRun,
  addWorkflow,
  countingProvider,
  migrations,
  newAccount,
  rowOf,
  startProcess,
  until,
} from './setting.ts'
import { answer, approval, delay, isAsleep } from './sleeping.ts'

const dayMs = 86_400_000
const retentionMs = 30 * dayMs

/** As far as what is kept is concerned. */
const pass = (db: Db, days: number) =>
  db.writeAll(() =>
    [
      `update media set created_at = created_at - $1`,
      `update runs set created_at = created_at - $1, slept_at = slept_at - $1,
         wake_at = wake_at - $1, deadline_at = deadline_at - $1`,
      `update waits set created_at = created_at - $1, expires_at = expires_at - $1`,
    ].map((sql) => ({ sql, rows: [[days * dayMs]] })),
  )

/** What upkeep does in so many days; returns what is left. */
async function mediaLeft(db: Db, inDays = 0): Promise<string[]> {
  const nowMs = Date.now() + inDays * dayMs
  const blobs = { delete: async () => {}, sweep: async () => {} }
  const store = createMediaStore({
    ...{ db, blobs: blobs as never, clock: { nowMs: () => nowMs } },
    ...{ signingKey: Buffer.alloc(32), baseUrl: 'http://atelier.test' },
  })
  await store.deleteExpired(nowMs - retentionMs, 100)
  const rows = await db.query<{ id: string }>('select id from media order by id')
  return rows.map(({ id }) => id)
}

async function addPicture(db: Db, account: string): Promise<string> {
  const id = randomUUID()
  await db.writeAll(() => [
    {
      sql: `insert into media_blobs (name, hash, state, refs, created_at, mime_type, size_bytes)
        values ($1, $1, 'LIVE', 1, 1, 'image/png', 1)`,
      rows: [[id]],
    },
    {
      sql: `insert into media (id, account_id, blob, created_at) values ($1, $2, $3, $4)`,
      rows: [[id, account, id, Date.now()]],
    },
  ])
  return id
}

for (const { name, open } of databases) {
  describe(`what a sleeping run refers to (${name})`, () => {
    async function begin(graph: Parameters<typeof addWorkflow>[2]) {
      const database = await open({ migrations })
      const { db } = database
      const account = newAccount()
      let process = await startProcess(db, countingProvider())
      const workflow = await addWorkflow(db, account, graph)
      const picture = await addPicture(db, account)
      const url = `http://atelier.test/media/${picture}?exp=1&sig=x`
      const id = await addRun(db, account, workflow, { inputs: JSON.stringify({ in: url }) })
      await until(() => isAsleep(db, id))
      return {
        ...{ db, account, picture, id },
        stop: () => process.worker.stop(),
        /** Its last call is not answered before `provider.open(last)`. */
        async restart() {
          const provider = countingProvider()
          const last = `${url}+ ${url}+!`
          provider.held.add(last)
          process = await startProcess(db, provider)
          await until(() => provider.asked.has(last))
          return () => provider.open(last)
        },
        ended: () => until(async () => (await rowOf(db, id)).completed_at !== null),
        async [Symbol.asyncDispose]() {
          await process.worker.stop()
          await database[Symbol.asyncDispose]()
        },
      }
    }

    test('is there after 60 days, and as long after its end as the run', async () => {
      await using setting = await begin(approval({ expiresAfterSeconds: 90 * 86_400 }))
      const { db, account, picture, id } = setting
      for (let days = 0; days < 50; days += 10) {
        await pass(db, 10)
        // It is woken to renew what it holds, and sleeps on.
        await until(async () => ((await rowOf(db, id)).wake_at ?? 0) > Date.now())
        assert.deepEqual(await mediaLeft(db), [picture])
      }
      await pass(db, 9.5)
      await answer(db, account, id, { decision: 'approve' })
      await setting.ended()
      assert.equal((await rowOf(db, id)).status, 'COMPLETED')
      assert.deepEqual(await mediaLeft(db, 29.9), [picture])
      assert.deepEqual(await mediaLeft(db, 30.1), [])
    })

    test('is kept as long if it is cancelled in its sleep', async () => {
      await using setting = await begin(approval())
      const { db, account, picture, id } = setting
      await pass(db, 6)
      const runs = {
        ...{ recordRunEnd: async () => {}, onEnded: () => {} },
        renewAtEnd: (run: Parameters<typeof renewAtEnd>[1]) =>
          renewAtEnd({ waits: waitsIn(db), payloads: payloadsInRows, clock: systemClock }, run),
      }
      const context = {
        services: { db, clock: systemClock, runs },
        principal: { accountId: account },
      }
      const input = { params: { runId: id }, body: {} }
      await cancelWorkflowRun.handle(context as never, input as never)
      assert.equal((await rowOf(db, id)).status, 'CANCELLED')
      assert.deepEqual(await mediaLeft(db, 29.9), [picture])
    })

    test('survives 60 days without a server, whatever upkeep does before it is woken', async () => {
      await using setting = await begin(delay(20 * 86_400))
      const { db, picture, id } = setting
      await setting.stop()
      await pass(db, 60)
      const foreign = await addPicture(db, newAccount())
      await db.write(`update media set created_at = 1 where id = $1`, [foreign])
      assert.deepEqual(await mediaLeft(db), [picture], 'what others have goes in time')
      const finish = await setting.restart()
      assert.deepEqual(await mediaLeft(db), [picture], 'nor while it goes on')
      finish()
      await setting.ended()
      assert.equal((await rowOf(db, id)).status, 'COMPLETED')
      assert.deepEqual(await mediaLeft(db, 29.9), [picture])
      assert.deepEqual(await mediaLeft(db, 30.1), [])
    })
  })
}
