import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { PayloadGone } from '#core/payload-text.ts'
import { createMediaStore } from '#media/media-store.ts'
import { createPayloadStore, type PayloadStore } from '#media/payload-store.ts'
import type { Db } from '#store/db.ts'
import { databases } from '../../support/databases.ts'
import { type Subject, subjects } from '../media/subjects.ts'
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

const dayMs = 24 * 3_600_000
const startMs = 1_700_000_000_000
const clock = { nowMs: () => startMs }
const long = 'ä'.repeat(40_000)
const longJson = JSON.stringify({ in: long })
const maxInRow = 64 * 1024

const storeOf = (db: Db, { blobs }: Pick<Subject, 'blobs'>) =>
  createPayloadStore({ blobs, db, clock, onError: () => {} })
const blobsOf = (db: Db) =>
  db.query<{ state: string; refs: number }>('select state, refs from media_blobs')

for (const { name, open } of databases) {
  for (const subject of subjects) {
    describe(`long payloads on ${name} with ${subject.name}`, () => {
      test('a long text is read back by its account alone; a short one stays as it is', async () => {
        await using database = await open({ migrations })
        await using blobs = await subject.open()
        const payloads = storeOf(database.db, blobs)
        const [ada, bob] = [newAccount(), newAccount()]
        assert.equal(await payloads.put(ada, '{"a":1}'), '{"a":1}')
        assert.equal(await payloads.get(bob, '{"a":1}'), '{"a":1}')
        const held = await payloads.put(ada, longJson)
        assert.ok(held.length < 100, held)
        assert.equal(await payloads.get(ada, held), longJson)
        await assert.rejects(payloads.get(bob, held), PayloadGone)
      })

      test('equal texts share their bytes, which go with the last of them, after their runs', async () => {
        await using database = await open({ migrations })
        const { db } = database
        await using blobs = await subject.open()
        const payloads = storeOf(db, blobs)
        const media = createMediaStore({
          ...blobs,
          db,
          clock: { nowMs: () => startMs + 60 * dayMs },
          signingKey: new Uint8Array(32),
          baseUrl: 'http://atelier.test',
        })
        const [ada, bob] = [newAccount(), newAccount()]
        const [first, second] = [
          await payloads.put(ada, longJson),
          await payloads.put(bob, longJson),
        ]
        assert.deepEqual(await blobsOf(db), [{ state: 'LIVE', refs: 2 }])
        await media.deleteExpired(startMs + 1, 100)
        assert.equal(await payloads.get(ada, first), longJson)
        assert.equal(await media.deleteExpired(startMs + 8 * dayMs, 1), 1)
        assert.deepEqual(await blobsOf(db), [{ state: 'LIVE', refs: 1 }])
        await media.deleteExpired(startMs + 8 * dayMs, 100)
        assert.deepEqual(await blobsOf(db), [])
        for (const [account, held] of [
          [ada, first],
          [bob, second],
        ] as const) {
          await assert.rejects(payloads.get(account, held), PayloadGone)
        }
      })
    })
  }

  describe(`runs with long values on ${name}`, () => {
    async function setUp(db: Db, payloads: PayloadStore) {
      const accountId = newAccount()
      const workflow = await addWorkflow(db, accountId, chain(2))
      const inputs = await payloads.put(accountId, longJson)
      const start = () => addRun(db, accountId, workflow, { inputs })
      return { accountId, start, provider: countingProvider() }
    }

    test('rows of runs and steps stay short, and their values are whole', async () => {
      await using database = await open({ migrations })
      const { db } = database
      await using blobs = await subjects[0]?.open()
      assert.ok(blobs)
      const payloads = storeOf(db, blobs)
      const { accountId, start, provider } = await setUp(db, payloads)
      const worker = await startProcess(db, provider, { payloads })
      const id = await start()
      await allEnded(db)
      const steps = await worker.steps.ofRun(id)
      await worker.bury()
      assert.equal(steps.length, 2)
      const row = await rowOf(db, id)
      assert.equal(row.status, 'COMPLETED', JSON.stringify(row.node_errors))
      const texts = [row.inputs, row.outputs, ...steps.map((step) => step.result)]
      for (const text of texts) assert.ok((text ?? '').length < 100)
      const outputs = await payloads.get(accountId, row.outputs ?? '')
      assert.deepEqual(JSON.parse(outputs), { g1: `${long}++` })
    })

    test('a resumed run takes a long result as it was stored', async () => {
      await using database = await open({ migrations })
      const { db } = database
      await using blobs = await subjects[0]?.open()
      assert.ok(blobs)
      const payloads = storeOf(db, blobs)
      const { accountId, start, provider } = await setUp(db, payloads)
      let id = ''
      for (let commits = 1; ; commits++) {
        assert.ok(commits < 40, 'a run makes so many commits')
        provider.asked.clear()
        const victim = await startProcess(db, provider, { payloads })
        victim.store.killAt(commits, 'after')
        id = await start()
        await Promise.race([victim.store.died, allEnded(db)])
        const isWhole = !victim.store.isDead()
        await victim.bury()
        const heir = await startProcess(db, provider, { payloads })
        await allEnded(db)
        await heir.bury()
        for (const [prompt, count] of provider.asked) assert.equal(count, 1, prompt.slice(-5))
        const { status, outputs, node_errors } = await rowOf(db, id)
        if (status === 'COMPLETED') {
          const text = await payloads.get(accountId, outputs ?? '')
          assert.deepEqual(JSON.parse(text), { g1: `${long}++` })
        } else assert.match(JSON.stringify(node_errors), /PROVIDER_OUTCOME_UNKNOWN/)
        if (isWhole) break
      }
    })

    test('a result that the blob store cannot take stays in its row: the call is not lost', async () => {
      await using database = await open({ migrations })
      const { db } = database
      await using subject = await subjects[0]?.open()
      assert.ok(subject)
      const receive = () => Promise.reject(new Error('no space left'))
      const payloads = storeOf(db, { blobs: { ...subject.blobs, receive } })
      const accountId = newAccount()
      const workflow = await addWorkflow(db, accountId, chain(1))
      const worker = await startProcess(db, countingProvider(), { payloads })
      const id = await addRun(db, accountId, workflow, { inputs: longJson })
      await allEnded(db)
      await worker.bury()
      const row = await rowOf(db, id)
      assert.deepEqual(JSON.parse(row.outputs ?? ''), { g0: `${long}+` })
      assert.ok((row.outputs ?? '').length * 2 > maxInRow)
    })
  })
}
