import assert from 'node:assert/strict'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, type TestContext, test } from 'node:test'
import { openPostgres } from '#store/postgres/database.ts'
import { isReady, openReadiness } from '../../../src/operate/readiness.ts'
import { migrations } from '../../contract/tasks/setting.ts'
import { databases } from '../../support/databases.ts'
import { P } from '../../support/server.ts'
import { startServerProcess } from '../../support/server-process.ts'
import { eventually, says } from '../generation/setting.ts'

/** A server in its own process; `fault` says how its disk fails from now on. */
async function startOnFailingDisk(t: TestContext) {
  const DATA_DIR = await mkdtemp(join(tmpdir(), 'atelier-disk-'))
  t.after(() => rm(DATA_DIR, { recursive: true, force: true }))
  const path = join(DATA_DIR, 'faults')
  const fault = (text: string) => writeFile(path, text)
  await fault('')
  const preload = new URL('../../support/failing-disk.ts', import.meta.url).href
  const env = { DATA_DIR, ATELIER_TEST_DISK: path, NODE_OPTIONS: `--import ${preload}` }
  const server = await startServerProcess(env)
  t.after(server.kill)
  const json = { model: 'demo-text', messages: [says('Hello')] }
  const chat = () => server.call({ method: 'POST', path: `${P}/chat/completions`, json })
  const readiness = () => server.call('/readyz')
  return { server, fault, chat, readiness, restart: () => startServerProcess(env) }
}

const oneChat = { json: { model: 'demo-text', messages: [says('Hello')] } }

for (const [file, what] of [
  ['chats', 'the chat log'],
  ['atelier.db-wal', 'the write-ahead log'],
] as const) {
  test(`a process that cannot sync ${what} ends with an error, and serves again once restarted`, async (t) => {
    const { server, fault, chat, restart } = await startOnFailingDisk(t)
    assert.equal((await chat()).status, 200)
    await fault(`sync ${file}`)
    // Whether this one is answered depends on how fast the process ends.
    await chat().catch(() => {})
    assert.equal(await server.ended, 1)
    const fatal = server.said.find((line) => line.includes('"level":60'))
    assert.match(fatal ?? server.said.join('\n'), new RegExp(`${what} could not be synced`))
    await fault('')
    const next = await restart()
    t.after(next.kill)
    const path = `${P}/chat/completions`
    assert.equal((await next.call({ method: 'POST', path, ...oneChat })).status, 200)
    assert.equal((await next.call('/readyz')).status, 200)
  })
}

test('a disk on which no chat can be logged makes the server unready until there is room', async (t) => {
  const { fault, chat, readiness } = await startOnFailingDisk(t)
  assert.equal((await readiness()).status, 200)
  await fault('write chats')
  const refused = await eventually(readiness, ({ status }) => status !== 200)
  assert.equal(refused.status, 503)
  assert.equal(refused.body.error.message, 'Not ready: the chat log cannot be written.')
  assert.equal((await chat()).status, 503)
  await fault('')
  await eventually(readiness, ({ status }) => status === 200)
  assert.equal((await chat()).status, 200)
})

describe('readiness', () => {
  const well = { chats: {}, media: { check: async () => {} }, nowMs: () => 0 }

  test('is false on a PostgreSQL server that only reads, and true once it writes', async (t) => {
    const opened = await databases.find(({ name }) => name === 'postgres')?.open({ migrations })
    assert.ok(opened && 'url' in opened.location)
    t.after(opened.close)
    const { check } = openReadiness({ ...well, db: opened.db })
    assert.equal((await check()).database, true)
    await using other = openPostgres({ url: opened.location.url, poolSize: 1 })
    const [row] = await other.query<{ name: string }>('select current_database() as name')
    const readOnly = `alter database ${row?.name} set default_transaction_read_only`
    await other.write(`${readOnly} = on`)
    const peers = 'where datname = current_database() and pid <> pg_backend_pid()'
    const disconnect = `select pg_terminate_backend(pid) from pg_stat_activity ${peers}`
    await other.query(disconnect)
    await eventually(check, ({ database }) => !database)
    await other.write(`${readOnly} = off`)
    await eventually(check, ({ database }) => database)
  })

  test('holds without media, which are named', async () => {
    const media = { check: () => Promise.reject(new Error('S3 is away')) }
    const write = async () => []
    const state = await openReadiness({ ...well, media, db: { write } as never }).check()
    assert.deepEqual(state, { database: true, chats: true, media: false })
    assert.ok(isReady(state))
  })

  test('is tried once for all who ask, and a store that hangs is unavailable to all of them', async () => {
    let tries = 0
    const hung = new Promise<never>(() => {})
    const write = () => {
      tries += 1
      return hung
    }
    const { check } = openReadiness({ ...well, db: { write } as never })
    const answers = await Promise.all(Array.from({ length: 50 }, check))
    answers.push(await check())
    assert.ok(answers.every(({ database, chats }) => !database && chats))
    assert.equal(tries, 1)
  })
})
