import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { mkdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, describe, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { MediaTooLarge } from '#media/blob-store.ts'
import { openFileBlobs } from '#media/file-blobs.ts'
import { createMediaStore, type OpenMedia } from '#media/media-store.ts'
import { MediaTypeRefused } from '#media/sniff.ts'
import type { MediaRecord } from '#store/tables/media.ts'
import { databases } from '../../support/databases.ts'
import { encodedFilm, inPieces, jpeg, png } from '../../support/samples.ts'
import { keptFiles, makeFolder } from './subjects.ts'

const migrations = fileURLToPath(new URL('../../../src/store/migrations', import.meta.url))
const [ada, bob] = [randomUUID(), randomUUID()]
const roomy = { maxBytes: 10_000_000 }
const startMs = 1_700_000_000_000
const read = async (media: OpenMedia | null) =>
  media && Buffer.concat(await (await media.open()).toArray())

for (const database of databases) {
  describe(`media on ${database.name}`, async () => {
    const owned = new AsyncDisposableStack()
    after(() => owned.disposeAsync())
    const { db } = owned.use(await database.open({ migrations }))

    async function openStore() {
      const folder = owned.use(await makeFolder())
      let nowMs = startMs
      const clock = { nowMs: () => nowMs }
      const blobs = await openFileBlobs({ folder: folder.path, clock })
      const signingKey = new Uint8Array(32).fill(7)
      const baseUrl = 'https://x.example'
      const store = createMediaStore({ blobs, db, clock, signingKey, baseUrl })
      await store.deleteExpired(Number.MAX_SAFE_INTEGER, 1_000)
      return {
        store,
        folder: folder.path,
        setNow: (ms: number) => {
          nowMs = ms
        },
      }
    }

    test('a saved picture is read back, with all that is known of it', async () => {
      const { store } = await openStore()
      const bytes = png({ width: 30, height: 20 })
      const record = await store.save(ada, inPieces(bytes, 7), roomy)
      const { id, hash, ...rest } = record
      assert.match(id, /^[0-9a-f]{8}-[0-9a-f]{4}-7/)
      assert.match(hash, /^[0-9a-f]{64}$/)
      assert.deepEqual(rest, {
        accountId: ada,
        mimeType: 'image/png',
        sizeBytes: bytes.length,
        width: 30,
        height: 20,
        createdAtMs: startMs,
      })
      assert.deepEqual(await read(await store.openOwn(ada, id)), bytes)
      assert.deepEqual((await store.openForServing(id))?.record, record)
      assert.deepEqual(JSON.parse(JSON.stringify(record)), record)
    })

    test('a saved film tells its length and whether it has sound', async () => {
      const { store } = await openStore()
      const bytes = await encodedFilm({ width: 64, height: 32, frames: 4, frameRate: 8 })
      const record = await store.save(ada, inPieces(bytes), { ...roomy, expectedKind: 'video' })
      const { mimeType, sizeBytes, width, height, durationSeconds, hasAudio } = record
      assert.deepEqual(
        { mimeType, sizeBytes, width, height, durationSeconds, hasAudio },
        {
          mimeType: 'video/mp4',
          sizeBytes: bytes.length,
          width: 64,
          height: 32,
          durationSeconds: 0.5,
          hasAudio: false,
        },
      )
      assert.deepEqual((await store.openForServing(record.id))?.record, record)
    })

    test('what callers see has an address and no word of accounts or storage', async () => {
      const { store } = await openStore()
      const record = await store.save(ada, inPieces(png({ width: 3, height: 2 })), roomy)
      const { url, ...rest } = store.publicMedia(record)
      const { sizeBytes } = record
      assert.deepEqual(rest, { mimeType: 'image/png', sizeBytes, width: 3, height: 2 })
      const { pathname, searchParams } = new URL(url)
      assert.equal(pathname, `/media/${record.id}`)
      assert.ok(store.verify(record.id, Object.fromEntries(searchParams)))
    })

    test('another account does not find a record, nor does a made-up identifier', async () => {
      const { store } = await openStore()
      const { id } = await store.save(ada, inPieces(png({ width: 3, height: 2 })), roomy)
      assert.equal(await store.openOwn(bob, id), null)
      assert.equal(await store.openOwn(ada, randomUUID()), null)
      for (const odd of ['', 'x', "' or 1=1", `${id}0`, '../../etc/passwd']) {
        assert.equal(await store.openOwn(ada, odd), null)
      }
    })

    test('what is no media is refused and leaves nothing behind', async () => {
      const { store, folder } = await openStore()
      for (const content of ['<svg xmlns="…"/>', '<!doctype html>', '{"error":1}', '']) {
        const saving = store.save(ada, inPieces(Buffer.from(content)), roomy)
        await assert.rejects(saving, MediaTypeRefused)
      }
      assert.deepEqual(await keptFiles(folder), [])
    })

    test('a picture where a film was expected is refused', async () => {
      const { store, folder } = await openStore()
      const source = inPieces(png({ width: 3, height: 2 }))
      const saving = store.save(ada, source, { ...roomy, expectedKind: 'video' })
      await assert.rejects(saving, MediaTypeRefused)
      assert.deepEqual(await keptFiles(folder), [])
    })

    test('what is too large is refused and leaves nothing behind', async () => {
      const { store, folder } = await openStore()
      const bytes = png({ width: 30, height: 20 })
      const saving = store.save(ada, inPieces(bytes), { maxBytes: bytes.length - 1 })
      await assert.rejects(saving, MediaTooLarge)
      assert.deepEqual(await keptFiles(folder), [])
    })

    test('equal content is kept once, and stays until its last record has gone', async () => {
      const { store, folder, setNow } = await openStore()
      const bytes = jpeg({ width: 10, height: 10 })
      const first = await store.save(ada, inPieces(bytes), roomy)
      setNow(startMs + 1_000)
      const second = await store.save(bob, inPieces(bytes), roomy)
      assert.notEqual(first.id, second.id)
      assert.equal((await keptFiles(folder)).length, 1)

      assert.equal(await store.deleteExpired(startMs + 1, 10), 1)
      assert.equal(await store.openOwn(ada, first.id), null)
      assert.deepEqual(await read(await store.openOwn(bob, second.id)), bytes)

      assert.equal(await store.deleteExpired(startMs + 1_001, 10), 1)
      assert.equal(await store.openForServing(second.id), null)
      assert.deepEqual(await keptFiles(folder), [])
    })

    test('a copy lives on when what it was made from has gone, for its account alone', async () => {
      const { store, folder, setNow } = await openStore()
      const bytes = jpeg({ width: 12, height: 10 })
      const first = await store.save(ada, inPieces(bytes), roomy)
      setNow(startMs + 1_000)
      assert.equal(await store.copyOwn(bob, first.id), null)
      const copy = await store.copyOwn(ada, first.id)
      assert.ok(copy && copy.id !== first.id)
      assert.deepEqual([copy.createdAtMs, copy.width, copy.hash], [startMs + 1_000, 12, first.hash])
      assert.equal(await store.deleteExpired(startMs + 1, 10), 1)
      assert.equal(await store.copyOwn(ada, first.id), null)
      assert.deepEqual(await read(await store.openOwn(ada, copy.id)), bytes)
      assert.equal(await store.deleteExpired(startMs + 1_001, 10), 1)
      assert.deepEqual(await keptFiles(folder), [])
    })

    test('many are found at once, for their account alone', async () => {
      const { store } = await openStore()
      const saved = await Promise.all(
        [ada, ada, bob].map((account, i) =>
          store.save(account, inPieces(jpeg({ width: 20 + i, height: 10 })), roomy),
        ),
      )
      const asked = [
        ...saved.map(({ id }) => id),
        'no id',
        ...Array.from({ length: 600 }, randomUUID),
      ]
      const found = await store.findOwn(ada, asked)
      const widths = found.map(({ width }) => width)
      assert.deepEqual(widths.sort(), [20, 21])
      assert.deepEqual(await store.findOwn(ada, []), [])
    })

    test('content that was deleted can be saved again', async () => {
      const { store } = await openStore()
      const bytes = jpeg({ width: 11, height: 10 })
      await store.save(ada, inPieces(bytes), roomy)
      await store.deleteExpired(startMs + 1, 10)
      const again = await store.save(ada, inPieces(bytes), roomy)
      assert.deepEqual(await read(await store.openOwn(ada, again.id)), bytes)
    })

    test('old records go in chunks, the oldest first, and younger ones stay', async () => {
      const { store, setNow } = await openStore()
      const records: MediaRecord[] = []
      for (const shade of [1, 2, 3, 4]) {
        setNow(startMs + shade)
        records.push(await store.save(ada, inPieces(png({ width: 2, height: 2, shade })), roomy))
      }
      const left = async () => {
        const opened = await Promise.all(records.map(({ id }) => store.openForServing(id)))
        return opened.map((media) => media !== null)
      }
      assert.equal(await store.deleteExpired(startMs + 4, 2), 2)
      assert.deepEqual(await left(), [false, false, true, true])
      assert.equal(await store.deleteExpired(startMs + 4, 2), 1)
      assert.deepEqual(await left(), [false, false, false, true])
    })

    test('a reader who began before the deletion reads to the end', async () => {
      const { store } = await openStore()
      const bytes = jpeg({ width: 12, height: 10, profileBytes: 1_000_000 })
      const { id } = await store.save(ada, inPieces(bytes), roomy)
      const stream = await (await store.openForServing(id))?.open()
      assert.ok(stream)
      await once(stream, 'readable')
      await store.deleteExpired(startMs + 1, 10)
      assert.deepEqual(Buffer.concat(await stream.toArray()), bytes)
    })

    test('bytes that cannot be deleted now are deleted by a later try', async () => {
      const { store, folder } = await openStore()
      await store.save(ada, inPieces(jpeg({ width: 13, height: 10 })), roomy)
      const [name = ''] = await keptFiles(folder)
      const path = join(folder, name.slice(0, 2), name.slice(2, 4), name)
      // A folder in its place cannot be removed as a file.
      await rm(path)
      await mkdir(path)
      await assert.rejects(store.deleteExpired(startMs + 1, 10), AggregateError)
      await rm(path, { recursive: true })
      await writeFile(path, 'bytes')
      assert.equal(await store.deleteExpired(startMs + 1, 10), 0)
      assert.deepEqual(await keptFiles(folder), [])
    })
  })
}
