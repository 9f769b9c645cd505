import assert from 'node:assert/strict'
import fs from 'node:fs'
import { chown, mkdtemp, rm, stat, writeFile } from 'node:fs/promises'
import { syncBuiltinESMExports } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { mock, test } from 'node:test'
import { writeKeyFile } from '#auth/owner.ts'
import { systemClock } from '#core/clock.ts'
import { readSecretKeys, replaceKeyFile } from '#operate/installation/secret-keys.ts'
import { createLog } from '#operate/log.ts'
import { handleRequests, leaveRequest } from '#operate/machine/machine-requests.ts'
import { createPrivateFile, writePrivateFile } from '#store/private-file.ts'
import { openSqlite } from '#store/sqlite/database.ts'

test('what a command leaves beside the data belongs to whom the data belongs, and to nobody else', async () => {
  const dataDir = await mkdtemp(join(tmpdir(), 'atelier-private-'))
  try {
    readSecretKeys({ SECRET_KEY: '', SECRET_KEY_OLD: '' }, dataDir, { isSealed: false })
    // A server of another user, whose machine root is at. Anybody else can only be themselves.
    if (process.getuid?.() === 0) await chown(dataDir, 10001, 10001)
    const { uid, gid } = await stat(dataDir)
    const ownerKey = join(dataDir, 'owner.key')
    writeKeyFile(ownerKey, 'sk_new')
    const keys = replaceKeyFile(dataDir)
    assert.ok(keys !== null && keys !== 'unfinished')
    const request = { kind: 'account', accountId: 'a', isDisabled: true } as const
    const left = leaveRequest(dataDir, 'request', request)
    for (const path of [ownerKey, keys.keyPath, keys.oldKeyPath, left]) {
      const found = await stat(path)
      assert.deepEqual([found.uid, found.gid, found.mode & 0o777], [uid, gid, 0o600], path)
    }
    const folder = await stat(join(left, '..'))
    assert.deepEqual([folder.uid, folder.gid, folder.mode & 0o777], [uid, gid, 0o700])
  } finally {
    await rm(dataDir, { recursive: true })
  }
})

test('requests that the server cannot read are in its log', async () => {
  const dataDir = await mkdtemp(join(tmpdir(), 'atelier-private-'))
  const db = openSqlite({ path: join(dataDir, 'test.db') })
  const log = createLog('silent')
  const errors = mock.method(log, 'error', () => {})
  try {
    await writeFile(join(dataDir, 'owner-requests'), 'no folder')
    const stop = await handleRequests({ db, dataDir, clock: systemClock, log })
    await stop()
    assert.equal(errors.mock.callCount(), 1)
  } finally {
    await db.close()
    await rm(dataDir, { recursive: true })
  }
})

test('a private file is on disk with its name once it is written', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'atelier-private-'))
  const path = join(folder, 'secret.key')
  const before = fs.fsyncSync
  const synced: [ofFolder: boolean, isNamed: boolean][] = []
  const { mock: recorded } = mock.method(fs, 'fsyncSync', (file: number) => {
    synced.push([fs.fstatSync(file).isDirectory(), fs.existsSync(path)])
    before(file)
  })
  syncBuiltinESMExports()
  try {
    for (const write of [createPrivateFile, writePrivateFile]) {
      await rm(path, { force: true })
      write(path, 'secret')
      assert.deepEqual(
        synced.splice(0),
        [
          [false, false],
          [true, true],
        ],
        `${write.name}: first the file, then the folder that names it`,
      )
    }
  } finally {
    recorded.restore()
    syncBuiltinESMExports()
    await rm(folder, { recursive: true })
  }
})
