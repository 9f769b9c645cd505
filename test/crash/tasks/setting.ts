// Providers in their own processes, a database, and servers that can be killed: all that is
// needed to see whether anything is lost, or paid twice.
import assert from 'node:assert/strict'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Db, Reader } from '#store/db.ts'
import { openPostgres } from '#store/postgres/database.ts'
import { connectSqlite } from '#store/sqlite/connection.ts'
import { eventually, readSqlite } from '../../journeys/generation/setting.ts'
import { createDatabase, databases, patientDatabase } from '../../support/databases.ts'
import { copyMigrated, ownMigrations } from '../../support/migrated.ts'
import type { PostgresServer } from '../../support/postgres-server.ts'
import type { Job } from '../../support/provider-doubles/behaviour.ts'
import type { ControlState } from '../../support/provider-doubles/control.ts'
import {
  type DoubleProcess,
  startDoubleHere,
} from '../../support/provider-doubles/double-process.ts'
import { mp4, png } from '../../support/provider-doubles/media.ts'
import { P } from '../../support/server.ts'
import { type ServerProcess, startServerProcess } from '../../support/server-process.ts'

export const providers = ['fal', 'replicate', 'openai', 'gemini'] as const
export type ProviderName = (typeof providers)[number]

const offers: Record<ProviderName, { kind: 'image' | 'video'; model: string }> = {
  fal: { kind: 'image', model: 'fal/flux-schnell' },
  // Not a quick one: those answer the submission itself and are not polled.
  replicate: { kind: 'image', model: 'replicate/flux-2-pro' },
  openai: { kind: 'image', model: 'openai/gpt-image-2' },
  gemini: { kind: 'video', model: 'test/veo' },
}

const models = {
  models: [
    {
      id: 'test/veo',
      provider: 'gemini',
      providerModel: 'veo-3.1-fast-generate-preview',
      kind: 'VIDEO',
      pricing: { perSecond: 0.1 },
    },
    {
      id: 'test/text',
      provider: 'openai',
      kind: 'TEXT',
      pricing: { inputPerMillionTokens: 2, outputPerMillionTokens: 8 },
    },
  ],
}

export type World = AsyncDisposable & {
  database: Db['kind']
  doubles: Record<ProviderName, DoubleProcess>
  /** Open while servers come and go, except on SQLite before the first of them made it. */
  db: Reader
  /** Into the servers' database while they run, to watch them. */
  write(sql: string): Promise<unknown[]>
  start(env?: Record<string, string>, nodeOptions?: readonly string[]): Promise<ServerProcess>
  dataDir: string
}

/** `postgres` is a server of one's own, to be stopped and started. */
export async function openWorld(
  database: Db['kind'],
  env: Record<string, string> = {},
  postgres?: PostgresServer,
): Promise<World> {
  const closing = new AsyncDisposableStack()
  const dataDir = await mkdtemp(join(tmpdir(), 'atelier-crash-'))
  closing.defer(() => rm(dataDir, { recursive: true, force: true, maxRetries: 5 }))
  if (database === 'sqlite') await copyMigrated({ DATA_DIR: dataDir })
  const modelsFile = join(dataDir, 'models.json')
  await writeFile(modelsFile, JSON.stringify(models))
  const [fal, replicate, openai, gemini] = await Promise.all(
    providers.map(async (name) => {
      const double = await startDoubleHere(name, `key-of-${name}-0123456789`)
      closing.defer(double.stop)
      return double
    }),
  )
  assert.ok(fal && replicate && openai && gemini)
  const variables: Record<string, string> = {
    DATA_DIR: dataDir,
    MODELS_FILE: modelsFile,
    LEASE_SECONDS: '2',
    SHUTDOWN_SECONDS: '10',
    FAL_KEY: fal.key,
    FAL_BASE_URL: fal.url,
    REPLICATE_API_TOKEN: replicate.key,
    REPLICATE_BASE_URL: replicate.url,
    OPENAI_API_KEY: openai.key,
    OPENAI_BASE_URL: openai.url,
    GEMINI_API_KEY: gemini.key,
    GEMINI_BASE_URL: gemini.url,
    ...env,
  }
  const access = await openAccess(database, dataDir, variables, closing, postgres)
  return {
    database,
    doubles: { fal, replicate, openai, gemini },
    ...access,
    dataDir,
    async start(own = {}, nodeOptions = []) {
      const server = await startServerProcess({ ...variables, ...own }, { nodeOptions })
      closing.defer(server.kill)
      return server
    },
    [Symbol.asyncDispose]: () => closing.disposeAsync(),
  }
}

async function openAccess(
  database: Db['kind'],
  dataDir: string,
  variables: Record<string, string>,
  closing: AsyncDisposableStack,
  postgres: PostgresServer | undefined,
): Promise<Pick<World, 'db' | 'write'>> {
  if (database === 'sqlite') {
    const path = join(dataDir, 'atelier.db')
    const write = async (sql: string) => {
      using connection = connectSqlite(path, { readOnly: false, pragmas: ['busy_timeout = 5000'] })
      return connection.all(sql)
    }
    return { db: readSqlite(path), write }
  }
  if (postgres) {
    const { url } = await createDatabase(postgres.url)
    const db = openPostgres({ url, poolSize: 4, ...patientDatabase })
    closing.use(db)
    variables.DATABASE_URL = url
    return { db, write: (sql) => db.write(sql) }
  }
  const opened = await databases
    .find(({ name }) => name === 'postgres')
    ?.open({ migrations: ownMigrations })
  assert.ok(opened && 'url' in opened.location)
  closing.use(opened)
  variables.DATABASE_URL = opened.location.url
  return { db: opened.db, write: (sql) => opened.db.write(sql) }
}

/** Submits a task; its identifier, or undefined if the server died before it answered. */
export async function submit(
  server: ServerProcess,
  name: ProviderName,
  prompt: string,
  options: { model?: string; picture?: string } = {},
): Promise<string | undefined> {
  const { kind, model } = { ...offers[name], ...options }
  const picture = options.picture && { type: 'image_url', image_url: { url: options.picture } }
  const content = picture ? [{ type: 'text', text: prompt }, picture] : prompt
  const json = { model, messages: [{ role: 'user', content }] }
  const call = { method: 'POST', path: `${P}/${kind}s/generations`, json }
  const answer = await server.call(call).catch(() => undefined)
  if (answer === undefined || answer.status === 503) return undefined
  assert.equal(answer.status, 200, answer.text)
  return answer.body.taskId
}

export const allEnded = ({ db }: World, limitMs?: number) =>
  eventually(
    () =>
      db.query<{ id: string; stage: string; error: string | null; owner: string | null }>(
        `select id, stage, served_by, owner, run_at from tasks where completed_at is null limit 5`,
      ),
    (open) => open.length === 0,
    limitMs,
  )

export type TaskFacts = {
  id: string
  status: string
  prompt_preview: string
  error: string | null
  cost_micros: number | null
  completed_at: number
}

export const tasksIn = ({ db }: World): Promise<TaskFacts[]> =>
  db.query(
    `select id, status, prompt_preview, error, cost_micros, completed_at from tasks
     order by created_at, id`,
  )

export type AttemptFacts = {
  attempt: string
  task_id: string | null
  operation: string
  outcome: string
  cost_micros: number | null
  settled_at: number | null
}

export const attemptsIn = ({ db }: World): Promise<AttemptFacts[]> =>
  db.query(
    `select attempt, task_id, operation, outcome, cost_micros, settled_at from ledger
     order by created_at, attempt`,
  )

export type Audit = {
  tasks: number
  completed: number
  unknown: number
  jobs: number
  attempts: Record<string, number>
}

/**
 * Every task ended; each job was submitted at most once; every job a provider took has exactly
 * one attempt that says so; every attempt is settled and in the day's sums; results are there.
 */
export async function audit(world: World, server: ServerProcess): Promise<Audit> {
  const tasks = await tasksIn(world)
  const attempts = await attemptsIn(world)
  const jobs = await jobsByPrompt(world)
  const byTask = Map.groupBy(attempts, (attempt) => attempt.task_id)
  const counted: Record<string, number> = {}
  for (const { outcome } of attempts) counted[outcome] = (counted[outcome] ?? 0) + 1
  assert.equal(counted.PENDING ?? 0, 0, 'attempts nobody settled')
  for (const task of tasks) {
    const name = `${task.prompt_preview} (${task.status} ${task.error ?? ''})`
    const made = jobs.get(task.prompt_preview)?.length ?? 0
    const billable = (byTask.get(task.id) ?? []).filter(({ outcome }) => outcome !== 'REJECTED')
    assert.ok(made <= 1, `${name}: submitted ${made} times`)
    if (made === 1) assert.equal(billable.length, 1, `${name}: attempts that may be billed`)
    if (task.status === 'COMPLETED') assert.equal(made, 1, name)
    else assert.match(task.error ?? '', /PROVIDER_OUTCOME_UNKNOWN/, name)
  }
  const prompts = new Set(tasks.map((task) => task.prompt_preview))
  assert.equal(prompts.size, tasks.length, 'a submission made two tasks')
  for (const prompt of jobs.keys())
    assert.ok(prompts.has(prompt), `a job without a task: ${prompt}`)
  await assertDays(world, attempts)
  await assertResults(server, tasks.length)
  return {
    tasks: tasks.length,
    completed: tasks.filter((task) => task.status === 'COMPLETED').length,
    unknown: tasks.filter((task) => task.status === 'FAILED').length,
    jobs: [...jobs.values()].flat().length,
    attempts: counted,
  }
}

async function assertDays({ db }: World, attempts: AttemptFacts[]) {
  const [days] = await db.query<{ calls: number }>('select sum(calls) as calls from spend_days')
  const billable = attempts.filter(({ outcome }) => outcome !== 'REJECTED')
  assert.equal(Number(days?.calls ?? 0), billable.length, 'calls in the sums of the days')
}

/** Every result, fetched as a caller would. */
async function assertResults(server: ServerProcess, total: number) {
  const size = 200
  for (let page = 1; (page - 1) * size < total; page++) {
    const { body } = await server.call(`${P}/tasks?page=${page}&size=${size}`)
    assert.equal(body.data.total, total)
    for (const { status, kind, imageContent, videoContent } of body.data.items) {
      if (status !== 'COMPLETED') continue
      const [media] = imageContent ?? videoContent
      const fetched = await fetch(server.url + media.url.replace(/^https?:\/\/[^/]+/, ''))
      assert.equal(fetched.status, 200)
      const bytes = Buffer.from(await fetched.arrayBuffer())
      assert.ok(bytes.equals(kind === 'IMAGE' ? png : mp4), 'the result is not what was made')
    }
  }
}

/** Jobs of all providers by their prompts, which are unique and begin with "task ". */
export async function jobsByPrompt({ doubles }: World): Promise<Map<string, Job[]>> {
  const states: ControlState[] = await Promise.all(providers.map((name) => doubles[name].state()))
  const jobs = states.flatMap((state) => state.jobs)
  return Map.groupBy(jobs, ({ body }) => {
    const prompt = /"(task [^"]+)"/.exec(JSON.stringify(body))?.[1]
    assert.ok(prompt, 'a job without a prompt')
    return prompt
  })
}
