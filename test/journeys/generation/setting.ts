// A complete server in this process, connected to doubles of its providers, with a clock that can
// be advanced. Everything is closed when the test ends.
import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import type { TestContext } from 'node:test'
import { systemClock, type TimedClock } from '#core/clock.ts'
import type { Db, Reader } from '#store/db.ts'
import { connectSqlite } from '#store/sqlite/connection.ts'
import { sqliteDialect } from '#store/sqlite/dialect.ts'
import { start } from '../../../src/app/start.ts'
import { readConfig } from '../../../src/config.ts'
import { createLog } from '../../../src/operate/log.ts'
import { databases } from '../../support/databases.ts'
import { unflushedChats } from '../../support/flushed-chats.ts'
import { copyMigrated, ownMigrations } from '../../support/migrated.ts'
import { createPauses } from '../../support/pauses.ts'
import { startDouble } from '../../support/provider-doubles/double.ts'
import type { Double } from '../../support/provider-doubles/double-state.ts'
import { type DoubleKind, wires } from '../../support/provider-doubles/wires.ts'
import { type Answer, type Body, type Call, callServer, P, patience } from '../../support/server.ts'

export type MovableClock = TimedClock & { advance(ms: number): void }

export type Bench = {
  url: string
  dataDir: string
  clock: MovableClock
  doubles: Record<DoubleKind, Double>
  /** The server's database, as committed. */
  db: Reader
  call(call: Call | string): Promise<Answer>
  stop(): Promise<void>
}

export type BenchOptions = {
  doubles?: readonly DoubleKind[]
  env?: Record<string, string>
  /** Content of MODELS_FILE; text is written as it is. */
  models?: object | string
  database?: Db['kind']
}

const variables: Record<DoubleKind, [key: string, address: string]> = {
  openai: ['OPENAI_API_KEY', 'OPENAI_BASE_URL'],
  anthropic: ['ANTHROPIC_API_KEY', 'ANTHROPIC_BASE_URL'],
  gemini: ['GEMINI_API_KEY', 'GEMINI_BASE_URL'],
  fal: ['FAL_KEY', 'FAL_BASE_URL'],
  replicate: ['REPLICATE_API_TOKEN', 'REPLICATE_BASE_URL'],
}

/** Priced so that sums are easy to read: 2 and 8 millionths per token. */
export const testModels = {
  models: [
    {
      id: 'test/text',
      provider: 'local',
      kind: 'TEXT',
      capabilities: {
        inputModalities: ['text', 'image'],
        temperature: { min: 0, max: 2 },
        maxOutputTokens: 1000,
      },
      pricing: { inputPerMillionTokens: 2, outputPerMillionTokens: 8 },
    },
  ],
}

/** Videos of the two protocols whose models an operator adds by hand. */
export const videoModels = {
  models: [
    { id: 'test/sora', provider: 'local', providerModel: 'sora-2', kind: 'VIDEO' },
    {
      id: 'test/veo',
      provider: 'gemini',
      providerModel: 'veo-3.1-fast-generate-preview',
      kind: 'VIDEO',
      pricing: { perSecond: 0.1 },
    },
  ],
}

/** What stands at OpenAI's address is also a server that speaks its older protocol. */
const local = ({ OPENAI_BASE_URL, OPENAI_API_KEY: apiKey }: Record<string, string>) => ({
  endpoints: [{ name: 'local', baseUrl: OPENAI_BASE_URL ?? 'http://127.0.0.1:9', apiKey }],
})

export async function openBench(
  t: Pick<TestContext, 'after'>,
  options: BenchOptions = {},
): Promise<Bench> {
  const closing: (() => Promise<unknown>)[] = []
  t.after(async () => {
    for (const close of closing.reverse()) await close()
  })
  const dataDir = await mkdtemp(join(tmpdir(), 'atelier-generation-'))
  closing.push(() => rm(dataDir, { recursive: true, force: true }))
  if (options.database !== 'postgres') await copyMigrated({ DATA_DIR: dataDir })
  const env: Record<string, string> = {
    PORT: '0',
    RATE_LIMIT_IP: '0',
    LOG_LEVEL: 'silent',
    SHUTDOWN_SECONDS: '0',
    // Most tests are not about waiting for a busy provider.
    PROVIDER_WAIT_SECONDS: '0',
    SIGN_UP: 'open',
    DATA_DIR: dataDir,
    ...patience,
  }
  const doubles: Partial<Record<DoubleKind, Double>> = {}
  for (const kind of options.doubles ?? []) {
    const double = await startDouble(wires[kind], { key: `key-of-${kind}-${randomUUID()}` })
    closing.push(double.close)
    doubles[kind] = double
    const [key, address] = variables[kind]
    env[key] = double.key
    env[address] = double.url
  }
  env.MODELS_FILE = join(dataDir, 'models.json')
  const { models = {} } = options
  const file =
    typeof models === 'string'
      ? models
      : JSON.stringify({ ...local({ ...env, ...options.env }), ...models })
  await writeFile(env.MODELS_FILE, file)
  const postgres =
    options.database === 'postgres'
      ? await databases[1]?.open({ migrations: ownMigrations })
      : undefined
  if (postgres && 'url' in postgres.location) {
    closing.push(postgres.close)
    env.DATABASE_URL = postgres.location.url
  }
  Object.assign(env, options.env)
  const clock = movableClock()
  const config = readConfig(env)
  const running = await start(config, env, createLog(config.LOG_LEVEL), clock)
  let stopped: Promise<void> | undefined
  const stop = () => {
    stopped ??= running.stop()
    return stopped
  }
  closing.push(stop)
  const ownerKey = (await readFile(join(dataDir, 'owner.key'), 'utf8')).trim()
  const db = postgres?.db ?? readSqlite(join(dataDir, 'atelier.db'))
  return {
    url: running.baseUrl,
    dataDir,
    clock,
    // A test that names a double it did not ask for fails at once.
    doubles: doubles as Bench['doubles'],
    db,
    call: (call) =>
      callServer(running.baseUrl, ownerKey, typeof call === 'string' ? { path: call } : call),
    stop,
  }
}

/** Includes every chat that was answered, as the server's own readers do. */
export const readSqlite = (path: string): Reader => ({
  dialect: sqliteDialect,
  async query(sql, params) {
    // One for all that this asks: a new connection reads the whole schema first.
    using connection = connectSqlite(path, { readOnly: true, pragmas: ['busy_timeout = 5000'] })
    const committed: Reader = {
      dialect: sqliteDialect,
      query: async (sql, params) => connection.all(sql, params),
    }
    await eventually(
      () => unflushedChats(dirname(path), committed),
      ({ length }) => length === 0,
    )
    return connection.all(sql, params)
  },
})

function movableClock(): MovableClock {
  let aheadMs = 0
  return {
    ...systemClock,
    nowMs: () => Date.now() + aheadMs,
    advance: (ms) => {
      aheadMs += ms
    },
  }
}

/** Polls until the answer satisfies; a failure shows the last answer. A busy machine may need long. */
export async function eventually<T>(
  look: () => Promise<T>,
  satisfies: (seen: T) => boolean,
  limitMs = 90_000,
): Promise<T> {
  const deadline = Date.now() + limitMs
  const pause = createPauses()
  for (;;) {
    const seen = await look()
    if (satisfies(seen)) return seen
    if (Date.now() > deadline) assert.fail(`it did not happen; last seen ${JSON.stringify(seen)}`)
    await pause()
  }
}

export type Chat = Record<string, unknown>
export const says = (content: unknown, role = 'user') => ({ role, content })

export const chat = (bench: Bench, json: Chat, call: Partial<Call> = {}): Promise<Answer> =>
  bench.call({ method: 'POST', path: `${P}/chat/completions`, json, ...call })

export const generate = (
  bench: Bench,
  kind: 'image' | 'video',
  json: Record<string, unknown>,
  call: Partial<Call> = {},
): Promise<Answer> =>
  bench.call({ method: 'POST', path: `${P}/${kind}s/generations`, json, ...call })

/** Submits a task that must be accepted. */
export async function submitted(
  bench: Bench,
  kind: 'image' | 'video',
  request: { model: string; prompt?: string } & Record<string, unknown>,
  call: Partial<Call> = {},
): Promise<string> {
  const { prompt = 'A blue door', ...rest } = request
  const answer = await generate(bench, kind, { messages: [says(prompt)], ...rest }, call)
  assert.equal(answer.status, 200, answer.text)
  return answer.body.taskId
}

/** The task once it has ended. */
export async function ended(bench: Bench, taskId: string, call: Partial<Call> = {}): Promise<Body> {
  const look = async () => {
    const answer = await bench.call({ path: `${P}/tasks/${taskId}`, ...call })
    assert.equal(answer.status, 200, answer.text)
    return answer.body.data
  }
  return eventually(look, (task) => task.completedAt !== null)
}

export function assertFailure(answer: Answer, status: number, code: string) {
  assert.equal(answer.status, status, answer.text)
  assert.equal(answer.body.success, false)
  assert.equal(answer.body.error.code, code)
  return answer.body.error
}

export type Attempt = {
  attempt: string
  account_id: string
  key_id: string | null
  task_id: string | null
  operation: string
  provider: string
  model: string
  units: string | null
  reserved_micros: number
  cost_micros: number | null
  outcome: string
  remark: string | null
  via: string | null
}

export const attempts = ({ db }: Bench): Promise<Attempt[]> =>
  db.query('select * from ledger order by created_at, attempt')

export type Customer = {
  key: string
  accountId: string
  keyId: string
  /** In the console API, as the person who owns the key. */
  ask(method: string, path: string, json?: unknown): Promise<Answer>
}

/** A user of their own account, with one API key. */
export async function newCustomer(
  bench: Bench,
  options: { scopes?: string[]; limits?: object; spendLimit?: number } = {},
): Promise<Customer> {
  const { spendLimit, ...keyOptions } = options
  const area = '/api/console/v1'
  const headers: Record<string, string> = { origin: bench.url }
  const ask = async (method: string, path: string, json?: unknown) => {
    const answer = await bench.call({ method, path: area + path, json, key: null, headers })
    assert.equal(answer.status, 200, answer.text)
    return answer
  }
  const user = { email: `${randomUUID()}@example.com`, password: 'correct horse battery' }
  const signedUp = await ask('POST', '/sign-up', user)
  headers.cookie = String(signedUp.headers['set-cookie']).split(';')[0] ?? ''
  if (spendLimit !== undefined) await ask('PUT', '/account', { name: 'customer', spendLimit })
  const made = await ask('POST', '/api-keys', { name: 'key', ...keyOptions })
  const { key, id } = made.body.data
  return { key, keyId: id, accountId: signedUp.body.data.account.id, ask }
}
