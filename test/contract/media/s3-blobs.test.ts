import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { test } from 'node:test'
import { systemClock } from '#core/clock.ts'
import { BlobsUnavailable } from '#media/blob-store.ts'
import { openS3Blobs, readMediaUrl } from '#media/s3-blobs.ts'
import { startS3Server } from '../../support/s3-server.ts'
import { inPieces } from '../../support/samples.ts'
import { makeFolder, openFilesUnder } from './subjects.ts'

test('an address names bucket, prefix, region, endpoint and path style', () => {
  const endpoint = 'https://s3.example:9000'
  const parameters = new URLSearchParams({ region: 'eu-1', endpoint, pathStyle: '1' })
  assert.deepEqual(readMediaUrl(`s3://my.bucket/a/b/?${parameters}`), {
    bucket: 'my.bucket',
    prefix: 'a/b/',
    region: 'eu-1',
    endpoint,
    forcePathStyle: true,
  })
})

test('a bare bucket leaves the region to the environment', () => {
  const expected = { bucket: 'bucket', prefix: '', forcePathStyle: false }
  assert.deepEqual(readMediaUrl('s3://bucket'), expected)
})

test('a misspelt parameter is refused by name', () => {
  assert.throws(() => readMediaUrl('s3://bucket?regoin=eu-1'), /"regoin"/)
})

test('keeping in a bucket that is not there fails and says so', async () => {
  await using server = await startS3Server()
  await using folder = await makeFolder()
  const blobs = await openS3Blobs({
    mediaUrl: server.mediaUrl.replace('pictures', 'elsewhere'),
    spoolFolder: folder.path,
    clock: systemClock,
    credentials: server.credentials,
  })
  await using received = await blobs.receive(inPieces(randomBytes(10)), { maxBytes: 10 })
  await assert.rejects(received.keep(), { name: 'NoSuchBucket' })
})

test('a store that does not answer is given up in time, by readers and by checks', async () => {
  const sockets: Socket[] = []
  const silent = createServer((socket) => sockets.push(socket)).listen(0, '127.0.0.1')
  await once(silent, 'listening')
  await using folder = await makeFolder()
  const endpoint = `http://127.0.0.1:${(silent.address() as AddressInfo).port}`
  const blobs = await openS3Blobs({
    mediaUrl: `s3://pictures?endpoint=${encodeURIComponent(endpoint)}&pathStyle=1`,
    ...{ spoolFolder: folder.path, clock: systemClock, answerWithinMs: 150 },
    credentials: { accessKeyId: 'a', secretAccessKey: 'b' },
  })
  const name = `${'ab'.repeat(32)}-${'cd'.repeat(8)}`
  await assert.rejects(blobs.open(name), BlobsUnavailable)
  await assert.rejects(blobs.open(name, { start: 0, end: 9 }), BlobsUnavailable)
  await assert.rejects(blobs.check(), BlobsUnavailable)
  for (const socket of sockets) socket.destroy()
  silent.close()
})

test('an abort ends an upload that the store does not answer, and closes the file', async () => {
  const sockets: Socket[] = []
  const silent = createServer((socket) => sockets.push(socket)).listen(0, '127.0.0.1')
  await once(silent, 'listening')
  await using folder = await makeFolder()
  const endpoint = encodeURIComponent(`http://127.0.0.1:${(silent.address() as AddressInfo).port}`)
  const blobs = await openS3Blobs({
    mediaUrl: `s3://pictures?endpoint=${endpoint}&pathStyle=1`,
    spoolFolder: folder.path,
    clock: systemClock,
    credentials: { accessKeyId: 'a', secretAccessKey: 'b' },
  })
  const controller = new AbortController()
  const source = inPieces(randomBytes(30 * 1024 * 1024), 1_000_000)
  const { signal } = controller
  await using received = await blobs.receive(source, { maxBytes: 2 ** 30, signal })
  const kept = assert.rejects(received.keep())
  await once(silent, 'connection')
  controller.abort(new Error('enough'))
  await kept
  assert.deepEqual(await openFilesUnder(folder.path), [])
  for (const socket of sockets) socket.destroy()
  silent.close()
})
