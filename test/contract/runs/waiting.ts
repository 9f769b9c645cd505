// An account with people, a run that sleeps in a wait, and the operations on it, called as the HTTP
// side calls them.
import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import type { Context } from '#api/public/context.ts'
import { answerWait } from '#api/public/waits/answer-wait.ts'
import { getWait } from '#api/public/waits/get-wait.ts'
import { listWaits } from '#api/public/waits/list-waits.ts'
import { Failure } from '#core/errors.ts'
import { uuidV7 } from '#core/ids.ts'
import type { Role } from '#core/roles.ts'
import { keyScopes } from '#core/scopes.ts'
import type { WaitDetails } from '#core/wait-facts.ts'
import { compileInput } from '#http/request-input.ts'
import type { Db } from '#store/db.ts'
import { createSecretBox } from '#store/secret-box.ts'
import { insertAccount } from '#store/tables/accounts.ts'
import { insertUser } from '#store/tables/users.ts'
import { type NewWait, openWaits } from '#store/tables/waits.ts'
import { createWaitTokens } from '#store/wait-tokens.ts'
import { openGraphTools } from '../../../src/graph/expressions/graph-tools.ts'
import type { Body } from '../../support/server.ts'
import { addRun, addWorkflow, chain } from './setting.ts'

const operations = { listWaits, getWait, answerWait }
const readers = new Map(Object.values(operations).map((one) => [one.id, compileInput(one)]))

/** Shared by all tests of a file: it starts a process. */
let tools: ReturnType<typeof openGraphTools> | undefined
export const closeTools = async () => tools?.close()

export type Caller = Pick<Context['principal'], 'userId' | 'keyId'>
export type Outcome = { status: number; code: string | null; data: Body; details: Body }

const baseUrl = 'http://127.0.0.1'

type Clock = { at: number; nowMs(): number }

function servicesOn(db: Db, clock: Clock): Context['services'] {
  tools ??= openGraphTools({ patienceMs: Number.POSITIVE_INFINITY })
  const payloads = {
    put: async (_: string, json: string) => json,
    read: async (_: string, held: string) => JSON.parse(held),
  }
  return {
    ...{ db, clock, baseUrl, graphs: tools },
    runs: { payloads, refreshMedia: async (_: string, value: unknown) => value },
    waits: {
      tokens: createWaitTokens(createSecretBox(Buffer.alloc(32, 7)), baseUrl),
      secretsOf: async () => ['secret'],
    },
  } as unknown as Context['services']
}

type Settings = WaitDetails & Partial<Pick<NewWait, 'kind' | 'title'>> & { expires_at?: number }

export async function openAccount(db: Db) {
  const accountId = randomUUID()
  const clock: Clock = { at: Date.UTC(2026, 10, 17), nowMs: () => clock.at }
  await db.transaction((tx) => insertAccount(tx, { id: accountId, name: 'A', nowMs: clock.at }))
  const workflow = await addWorkflow(db, accountId, chain(1))
  const services = servicesOn(db, clock)

  async function addPerson(email: string, role: Role): Promise<Caller> {
    const id = randomUUID()
    const person = { id, accountId, role, email, passwordHash: 'x', oidc: null, nowMs: clock.at }
    await db.transaction((tx) => insertUser(tx, person))
    return { userId: id, keyId: null }
  }

  /** Its expiry is measured by the clock of the database. */
  async function addWait(settings: Settings = {}, starter: string | null = null) {
    const { kind = 'APPROVAL', title = 'Publish?', expires_at, ...details } = settings
    const spender = { keyId: null, userId: starter, limits: {}, accountSpendPerMonthMicros: null }
    const runId = await addRun(db, accountId, workflow, { spender, nowMs: clock.at++ })
    const later = Date.now() + 3_600_000
    // Asleep, as a run is that only waits.
    await db.write(
      `update runs set status = 'RUNNING', started_at = 1, wake_at = $2 where id = $1`,
      [runId, later],
    )
    const wait: NewWait = {
      ...{ id: uuidV7(clock.at), account_id: accountId, run_id: runId, path: 'ok', node_id: 'ok' },
      ...{ kind, title, until_ms: expires_at ?? later, after_ms: null },
      ...{ value: '"draft"', value_digest: 'd', details },
    }
    await db.writeAll(() => [openWaits(db.dialect, [wait])])
    return { runId, waitId: wait.id }
  }

  const call = (name: keyof typeof operations, caller: Caller, options: Options) =>
    callAs(services, { accountId, ...caller }, name, options)
  const answer = (params: object, caller: Caller, body: object, scopes?: readonly string[]) =>
    call('answerWait', caller, { params, body, ...(scopes ? { scopes } : {}) })
  return { accountId, clock, services, workflow, addPerson, addWait, call, answer }
}

type Options = { params?: object; query?: object; body?: unknown; scopes?: readonly string[] }

async function callAs(
  services: Context['services'],
  caller: Caller & { accountId: string },
  name: keyof typeof operations,
  { params = {}, query = {}, body, scopes = keyScopes }: Options,
): Promise<Outcome> {
  const limits = { limits: {}, accountSpendPerMonthMicros: null }
  const context = {
    services,
    principal: { ...caller, scopes: new Set(scopes), ...limits },
    ...{ requestId: 'test', ipAddress: '192.0.2.1', headerValues: () => [] },
    signal: () => new AbortController().signal,
  } as unknown as Parameters<typeof answerWait.handle>[0]
  const operation = operations[name]
  try {
    const raw = { params, query, body, bodyBytes: body === undefined ? 0 : 1 }
    const input = readers.get(operation.id)?.(raw, () => [])
    assert.ok(input)
    const { status, body: sent } = await operation.handle(context, input)
    return { status, code: null, data: (sent as Body).data, details: null }
  } catch (error) {
    if (!(error instanceof Failure)) throw error
    return { status: error.status, code: error.code, data: null, details: error.details }
  }
}

export type Account = Awaited<ReturnType<typeof openAccount>>
