import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { systemClock } from '#core/clock.ts'
import { openFileBlobs } from '#media/file-blobs.ts'
import { inPieces } from '../../support/samples.ts'
import { keptFiles, makeFolder } from './subjects.ts'

const hoursAhead = (hours: number) => ({ nowMs: () => Date.now() + hours * 3_600_000 })

test('a kill before the blob is kept leaves nothing to see, and a later start cleans up', async () => {
  await using folder = await makeFolder()
  const script = fileURLToPath(new URL('./interrupted-receive.ts', import.meta.url))
  const child = spawn(process.execPath, [script, folder.path], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  await once(child.stdout, 'data')
  const exited = once(child, 'exit')
  child.kill('SIGKILL')
  await exited
  assert.deepEqual(await keptFiles(folder.path), [])
  const leftovers = () => readdir(join(folder.path, 'tmp'))
  assert.equal((await leftovers()).length, 1)
  await openFileBlobs({ folder: folder.path, clock: hoursAhead(2) })
  assert.deepEqual(await leftovers(), [])
})

test('a start does not disturb what another process is receiving', async () => {
  await using folder = await makeFolder()
  const blobs = await openFileBlobs({ folder: folder.path, clock: systemClock })
  await using received = await blobs.receive(inPieces(randomBytes(10)), { maxBytes: 10 })
  await openFileBlobs({ folder: folder.path, clock: systemClock })
  await received.keep()
  assert.deepEqual(await keptFiles(folder.path), [received.name])
})

test('only the owner may read blobs and list their folders', async () => {
  await using folder = await makeFolder()
  const blobs = await openFileBlobs({ folder: join(folder.path, 'media'), clock: systemClock })
  await using received = await blobs.receive(inPieces(randomBytes(10)), { maxBytes: 10 })
  assert.equal((await stat(received.path)).mode & 0o777, 0o600)
  await received.keep()
  const { hash, name } = received
  const place = [folder.path, 'media', hash.slice(0, 2), hash.slice(2, 4)]
  assert.equal((await stat(join(...place, name))).mode & 0o777, 0o600)
  for (const depth of [2, 3, 4]) {
    assert.equal((await stat(join(...place.slice(0, depth)))).mode & 0o777, 0o700)
  }
})
