import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { test } from 'node:test'
import { systemClock } from '#core/clock.ts'
import { openBlobs } from '#media/open-blobs.ts'
import { startS3Server } from '../../support/s3-server.ts'
import { inPieces } from '../../support/samples.ts'
import { keptFiles, makeFolder } from './subjects.ts'

const bytes = randomBytes(100)

async function keepAndRead(dataDir: string, mediaUrl: string) {
  const blobs = await openBlobs({ dataDir, mediaUrl, clock: systemClock })
  await using received = await blobs.receive(inPieces(bytes), { maxBytes: 100 })
  await received.keep()
  return Buffer.concat(await (await blobs.open(received.name)).toArray())
}

test('without an address blobs are files in the data folder', async () => {
  await using folder = await makeFolder()
  assert.deepEqual(await keepAndRead(folder.path, ''), bytes)
  assert.equal((await keptFiles(join(folder.path, 'media'))).length, 1)
})

test('with an S3 address they are kept there, with credentials from the usual variables', async (t) => {
  await using folder = await makeFolder()
  await using server = await startS3Server()
  t.after(() => {
    delete process.env.AWS_ACCESS_KEY_ID
    delete process.env.AWS_SECRET_ACCESS_KEY
  })
  process.env.AWS_ACCESS_KEY_ID = server.credentials.accessKeyId
  process.env.AWS_SECRET_ACCESS_KEY = server.credentials.secretAccessKey
  assert.deepEqual(await keepAndRead(folder.path, server.mediaUrl), bytes)
  assert.deepEqual(await keptFiles(join(folder.path, 'media')), [])
})
