import './quick-scrypt.ts'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Agent, request } from 'undici'
import type { TimedClock } from '#core/clock.ts'
import { type Running, start } from '../../src/app/start.ts'
import { readConfig } from '../../src/config.ts'
import { createLog, type Logger } from '../../src/operate/log.ts'
import { assertDescribed } from './described.ts'
import { copyMigrated } from './migrated.ts'

export const P = '/api/ai-tools/v1'

export type Answer = {
  status: number
  headers: Record<string, string | string[] | undefined>
  /** The parsed body, or undefined if there is no JSON. */
  body: Body
  text: string
}

// Tests read what the schema promises, and their assertions fail on a wrong shape.
// biome-ignore lint/suspicious/noExplicitAny: the border between a socket and assertions
export type Body = any

export type Call = {
  method?: string
  path: string
  /** Null sends no key; if absent, the owner's key is sent. */
  key?: string | null
  headers?: Record<string, string | string[]>
  json?: unknown
  body?: string | Buffer
}

export type TestServer = AsyncDisposable & {
  url: string
  ownerKey: string
  dataDir: string
  running: Running
  call(call: Call | string): Promise<Answer>
  stop(): Promise<void>
}

const agent = new Agent({ keepAliveTimeout: 1000, bodyTimeout: 60_000, headersTimeout: 60_000 })

/** A busy machine may be slow, and the server's time limit is not what most tests are about. */
export const patience = { HANDLER_TIMEOUT_SECONDS: '120', SPEND_WAIT_SECONDS: '120' }

/** A whole server in this process, on its own folder and port. */
export async function startServer(
  env: Record<string, string> = {},
  log?: Logger,
  clock?: TimedClock,
): Promise<TestServer> {
  const dataDir = env.DATA_DIR ?? (await mkdtemp(join(tmpdir(), 'atelier-server-')))
  const variables = {
    PORT: '0',
    RATE_LIMIT_IP: '0',
    LOG_LEVEL: 'silent',
    ...patience,
    ...env,
    DATA_DIR: dataDir,
  }
  const config = readConfig(variables)
  await copyMigrated(variables)
  const running = await start(config, variables, log ?? createLog(config.LOG_LEVEL), clock)
  const ownerKey = (await readFile(join(dataDir, 'owner.key'), 'utf8')).trim()
  let isStopped = false
  const stop = async () => {
    if (isStopped) return
    isStopped = true
    await running.stop()
    if (!env.DATA_DIR) await rm(dataDir, { recursive: true, force: true })
  }
  return {
    url: running.baseUrl,
    ownerKey,
    dataDir,
    running,
    call: (call) =>
      callServer(running.baseUrl, ownerKey, typeof call === 'string' ? { path: call } : call),
    stop,
    [Symbol.asyncDispose]: stop,
  }
}

export async function callServer(url: string, ownerKey: string, call: Call): Promise<Answer> {
  const key = call.key === undefined ? ownerKey : call.key
  const answer = await request(url + call.path, {
    dispatcher: agent,
    method: (call.method ?? 'GET') as 'GET',
    headers: {
      ...(key === null ? {} : { authorization: `Bearer ${key}` }),
      ...(call.json === undefined ? {} : { 'content-type': 'application/json' }),
      ...call.headers,
    },
    body: call.json === undefined ? (call.body ?? null) : JSON.stringify(call.json),
  })
  const text = await answer.body.text()
  const isJson = String(answer.headers['content-type'] ?? '').startsWith('application/json')
  const body = isJson && text !== '' ? JSON.parse(text) : undefined
  assertDescribed(call.method ?? 'GET', call.path, answer.statusCode, body)
  return { status: answer.statusCode, headers: answer.headers, text, body }
}
