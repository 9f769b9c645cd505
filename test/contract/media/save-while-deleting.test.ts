import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, describe, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import fc from 'fast-check'
import type { BlobStore } from '#media/blob-store.ts'
import { openFileBlobs } from '#media/file-blobs.ts'
import { createMediaStore, type MediaStore } from '#media/media-store.ts'
import { databases } from '../../support/databases.ts'
import { inPieces, png } from '../../support/samples.ts'
import { keptFiles, makeFolder } from './subjects.ts'

const migrations = fileURLToPath(new URL('../../../src/store/migrations', import.meta.url))
const account = randomUUID()
const roomy = { maxBytes: 1_000_000 }
const startMs = 1_700_000_000_000
const dayMs = 24 * 3_600_000
const picture = (shade: number) => png({ width: 2, height: 2, shade })
const save = (store: MediaStore, bytes: Buffer) => store.save(account, inPieces(bytes), roomy)

/** Null once the record is gone; fails where a record stands and its bytes do not. */
async function read(store: MediaStore, id: string) {
  const media = await store.openForServing(id)
  return media && Buffer.concat(await (await media.open()).toArray())
}

type Step = 'keeping' | 'kept' | 'deleting' | 'deleted'

/** Lets a test stop the store before and after it touches the bytes. */
function observed(blobs: BlobStore, at: (step: Step) => Promise<void> | void): BlobStore {
  return {
    ...blobs,
    async receive(source, options) {
      const received = await blobs.receive(source, options)
      return {
        ...received,
        async keep() {
          await at('keeping')
          await received.keep()
          await at('kept')
        },
      }
    },
    async delete(name) {
      await at('deleting')
      await blobs.delete(name)
      await at('deleted')
    },
  }
}

for (const database of databases) {
  describe(`saving while deleting on ${database.name}`, async () => {
    const owned = new AsyncDisposableStack()
    after(() => owned.disposeAsync())
    const { db } = owned.use(await database.open({ migrations }))

    async function openStore(at: (step: Step) => Promise<void> | void) {
      const { path: folder } = owned.use(await makeFolder())
      const time = { nowMs: startMs }
      const clock = { nowMs: () => time.nowMs }
      const plain = await openFileBlobs({ folder, clock })
      const parts = { db, clock, signingKey: new Uint8Array(32), baseUrl: 'https://x.example' }
      const emptied = createMediaStore({ ...parts, blobs: plain })
      await emptied.deleteExpired(Number.MAX_SAFE_INTEGER, 1_000)
      return { store: createMediaStore({ ...parts, blobs: observed(plain, at) }), folder, time }
    }

    test('content saved while its last copy is being deleted stays', async () => {
      for (const moment of ['deleting', 'deleted'] as const) {
        let again: Promise<{ id: string }> | undefined
        const { store } = await openStore(async (step) => {
          if (step !== moment || again) return
          again = save(store, picture(1))
          await again
        })
        const first = await save(store, picture(1))
        await store.deleteExpired(startMs + 1, 10)
        assert.equal(await read(store, first.id), null)
        const second = await again
        assert.ok(second)
        assert.deepEqual(await read(store, second.id), picture(1))
      }
    })

    test('content whose other copy is deleted while it arrives stays', async () => {
      let arrivals = 0
      const { store, folder } = await openStore(async (step) => {
        if (step !== 'keeping' || ++arrivals !== 1) return
        const other = await save(store, picture(2))
        await store.deleteExpired(startMs + 1, 10)
        assert.equal(await read(store, other.id), null)
      })
      const { id } = await save(store, picture(2))
      assert.deepEqual(await read(store, id), picture(2))
      assert.equal((await keptFiles(folder)).length, 1)
    })

    test('content saved many times at once is kept once', async () => {
      const { store, folder } = await openStore(() => {})
      const records = await Promise.all(Array.from({ length: 12 }, () => save(store, picture(3))))
      assert.equal(new Set(records.map((record) => record.id)).size, 12)
      await store.deleteExpired(startMs, 100)
      assert.equal((await keptFiles(folder)).length, 1)
      for (const { id } of records) assert.deepEqual(await read(store, id), picture(3))
    })

    test('bytes of a save that died are deleted a day later, and harm no save before', async () => {
      let dies = true
      const { store, folder, time } = await openStore((step) => {
        if (dies && step === 'kept') throw new Error('killed')
      })
      await assert.rejects(save(store, picture(4)), /killed/)
      dies = false
      const { id } = await save(store, picture(4))
      assert.equal((await keptFiles(folder)).length, 2)
      time.nowMs += dayMs + 1
      await store.deleteExpired(startMs, 10)
      assert.equal((await keptFiles(folder)).length, 1)
      assert.deepEqual(await read(store, id), picture(4))
    })

    for (const deletion of ['works', 'fails'] as const) {
      test(`a save that was given up while it arrived fails, when deletion ${deletion}`, async () => {
        let isFirst = true
        const { store, folder, time } = await openStore(async (step) => {
          if (step === 'deleting' && time.nowMs === startMs + dayMs + 1) {
            time.nowMs += 1
            if (deletion === 'fails') throw new Error('no answer')
          }
          if (step !== 'keeping' || !isFirst) return
          isFirst = false
          time.nowMs += dayMs + 1
          const deleting = store.deleteExpired(startMs, 10)
          await (deletion === 'works' ? deleting : assert.rejects(deleting, AggregateError))
        })
        await assert.rejects(save(store, picture(5)), /the cleanup removed it/)
        assert.deepEqual(await keptFiles(folder), [])
      })
    }

    test('in whatever order saves and deletions meet, a record never loses its bytes', async () => {
      const action = fc.constantFrom<'delete' | number>('delete', 6, 7)
      await fc.assert(
        fc.asyncProperty(
          fc.scheduler(),
          fc.array(action, { minLength: 3, maxLength: 12 }),
          async (scheduler, actions) => {
            const { store, folder } = await openStore((step) =>
              scheduler.schedule(Promise.resolve(), step),
            )
            const saved: { id: string; bytes: Buffer }[] = []
            const all = actions.map(async (action) => {
              if (action === 'delete') return void (await store.deleteExpired(startMs + 1, 3))
              const bytes = picture(action)
              saved.push({ id: (await save(store, bytes)).id, bytes })
            })
            await scheduler.waitFor(Promise.all(all))
            for (const { id, bytes } of saved) {
              const found = await read(store, id)
              assert.ok(found === null || found.equals(bytes))
            }
            await scheduler.waitFor(store.deleteExpired(startMs + 1, 100))
            assert.deepEqual(await keptFiles(folder), [])
          },
        ),
        { numRuns: 40 },
      )
    })
  })
}
