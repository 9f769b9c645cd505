// An installation with something of every kind in it, and what must be there again afterwards.
import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { fileURLToPath } from 'node:url'
import { openPostgresSnapshot } from '#store/postgres/snapshot.ts'
import { openSqliteSnapshot } from '#store/sqlite/snapshot.ts'
import { databases } from '../../support/databases.ts'
import { createPauses } from '../../support/pauses.ts'
import { P, type TestServer } from '../../support/server.ts'
import { type Ended, runWords } from '../cli/setting.ts'
import { addWorkflow, ended, graph, started } from '../runs/setting.ts'

export type Env = Record<string, string>

export const migrationsFolder = fileURLToPath(
  new URL('../../../src/store/migrations', import.meta.url),
)

export async function newFolder(t: TestContext): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'atelier-backup-'))
  t.after(() => rm(folder, { recursive: true, force: true }))
  return folder
}

/** The environment of a new installation on one of the databases. */
export async function newPlace(t: TestContext, database: 'sqlite' | 'postgres'): Promise<Env> {
  const DATA_DIR = join(await newFolder(t), 'data')
  if (database === 'sqlite') return { DATA_DIR }
  const opened = await databases.find(({ name }) => name === 'postgres')?.open()
  assert.ok(opened && 'url' in opened.location)
  await opened.db.close()
  t.after(() => opened.close())
  return { DATA_DIR, DATABASE_URL: opened.location.url }
}

export async function cli(words: readonly string[], env: Env): Promise<Ended> {
  const done = await runWords(words, { env })
  assert.equal(done.code, 0, `${words.join(' ')}: ${done.stderr}${done.stdout}`)
  return done
}

/** Reads the database as another program would. */
export async function rowsOf<Row>(env: Env, sql: string): Promise<Row[]> {
  await using snapshot = env.DATABASE_URL
    ? await openPostgresSnapshot(env.DATABASE_URL)
    : await openSqliteSnapshot(join(env.DATA_DIR ?? '', 'atelier.db'))
  return snapshot.query<Row>(sql)
}

const long = 'long '.repeat(40_000)

/** Calls the demo model, and passes on a text that is too long for a row. */
const story = graph(
  [
    { id: 'topic', type: 'input.text' },
    { id: 'text', type: 'text.generate', data: { model: 'demo-text' } },
    { id: 'out', type: 'output' },
  ],
  ['topic -> text.prompt', 'text -> out'],
)

const echo = graph(
  [
    { id: 'topic', type: 'input.text' },
    { id: 'out', type: 'output' },
  ],
  ['topic -> out'],
)

export type Contents = Awaited<ReturnType<typeof fill>>

export async function fill(server: TestServer) {
  const storyId = await addWorkflow(server, story, 'story')
  const echoId = await addWorkflow(server, echo, 'echo')
  const gone = await addWorkflow(server, echo, 'gone')
  await server.call({ method: 'DELETE', path: `${P}/workflows/${gone}` })
  const longRun = await started(server, echoId, { inputs: { topic: long } })
  const storyRun = await started(server, storyId, { inputs: { topic: 'a lighthouse' } })
  const image = await server.call({
    method: 'POST',
    path: `${P}/images/generations`,
    json: { model: 'demo-image', messages: [{ role: 'user', content: 'a lighthouse' }] },
  })
  const taskId: string = image.body.data.taskId
  await ended(server, longRun)
  const story1 = await ended(server, storyRun)
  const task = await endedTask(server, taskId)
  const bytes = await mediaOf(server, task)
  return { storyId, echoId, gone, longRun, storyRun, taskId, bytes, outputs: story1.outputs }
}

export async function endedTask(server: TestServer, taskId: string) {
  const pause = createPauses()
  for (;;) {
    const { body } = await server.call(`${P}/tasks/${taskId}`)
    if (body.data.completedAt !== null) return body.data
    await pause()
  }
}

async function mediaOf(server: TestServer, task: { imageContent: { url: string }[] }) {
  const url = new URL(task.imageContent[0]?.url ?? '')
  const answer = await fetch(server.url + url.pathname + url.search)
  assert.equal(answer.status, 200)
  return Buffer.from(await answer.arrayBuffer())
}

/** Everything that was filled in is read through the API, with the key of the original. */
export async function assertThere(server: TestServer, key: string, there: Contents) {
  const on = {
    ...server,
    call: (call: Parameters<TestServer['call']>[0]) =>
      server.call(typeof call === 'string' ? { path: call, key } : { ...call, key }),
  }
  const longRun = await ended(on, there.longRun)
  assert.equal(longRun.outputs.out, long)
  const storyRun = await ended(on, there.storyRun)
  assert.deepEqual(storyRun.outputs, there.outputs)
  const task = await endedTask(on, there.taskId)
  assert.deepEqual(await mediaOf(server, task), there.bytes)
  // Numbers of workflows are never given out twice, also not of one that is gone.
  assert.ok((await addWorkflow(on, echo, 'new')) > there.gone)
  const again = await started(on, there.storyId, { inputs: { topic: 'a lighthouse' } })
  assert.equal((await ended(on, again)).status, 'COMPLETED')
}
