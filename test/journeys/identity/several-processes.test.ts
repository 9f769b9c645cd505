import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { existsSync } from 'node:fs'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { databases } from '../../support/databases.ts'
import { ownMigrations } from '../../support/migrated.ts'
import { startServerProcess } from '../../support/server-process.ts'

const postgres = databases.find(({ name }) => name === 'postgres')

/** Processes on one new database, each with a folder of its own. */
async function startOnPostgres(roles: readonly string[]) {
  assert.ok(postgres)
  const opened = await postgres.open({ migrations: ownMigrations })
  const url = 'url' in opened.location ? opened.location.url : ''
  const folder = await mkdtemp(join(tmpdir(), 'atelier-several-'))
  const SECRET_KEY = randomBytes(32).toString('base64')
  const servers = await Promise.all(
    roles.map((ROLE, index) =>
      startServerProcess({
        DATA_DIR: join(folder, String(index)),
        DATABASE_URL: url,
        SECRET_KEY,
        ROLE,
      }),
    ),
  )
  const stop = () => Promise.all(servers.map((server) => server.stop()))
  return {
    servers,
    files: roles.map((_, index) => join(folder, String(index), 'owner.key')).filter(existsSync),
    /** The paths of owner keys that they said, once they have ended. */
    async announced() {
      await stop()
      const said = servers.flatMap((server) => server.said)
      return said.flatMap((line) => /Your API key +(.*)/.exec(line)?.[1] ?? [])
    },
    async [Symbol.asyncDispose]() {
      await stop()
      await opened.close()
      await rm(folder, { recursive: true })
    },
  }
}

test('of three processes that start at once, one says where the owner key is', async () => {
  await using started = await startOnPostgres(['api', 'api', 'all'])
  const { servers, files } = started
  assert.equal(files.length, 1)
  const key = (await readFile(files[0] ?? '', 'utf8')).trim()
  for (const server of servers) {
    assert.equal((await server.call({ path: '/api/ai-tools/v1/models', key })).status, 200)
  }
  assert.deepEqual(await started.announced(), files)
})

test('a worker that starts first says it, too', async () => {
  await using started = await startOnPostgres(['worker'])
  assert.equal(started.files.length, 1)
  assert.deepEqual(await started.announced(), started.files)
})
