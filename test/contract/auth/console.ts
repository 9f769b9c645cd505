import assert from 'node:assert/strict'
import { hash, randomBytes } from 'node:crypto'
import { type ConsoleServices, consolePrefix, type SignUpPolicy } from '#api/console/context.ts'
import { consoleOperations } from '#api/console/registry.ts'
import type { ServerFacts } from '#api/console/server-facts.ts'
import type { Answer } from '#api/operation.ts'
import type { OidcClient } from '#auth/oidc.ts'
import { createPasswords, type Derive } from '#auth/passwords.ts'
import { createAccountLimit, createAddressLimit } from '#auth/rate-limit.ts'
import { createSessions } from '#auth/sessions.ts'
import { createSignInLimits } from '#auth/sign-in-limits.ts'
import type { CatalogueEntry } from '#core/catalogue.ts'
import { Failure } from '#core/errors.ts'
import { compileInput } from '#http/request-input.ts'
import type { Db } from '#store/db.ts'
import { assertDescribed } from '../../support/described.ts'
import { baseUrl, box, type HandClock, startProcess } from './setting.ts'

/** As dependable as scrypt for these tests, and quick. */
const quickDerive: Derive = async (password, salt) =>
  hash('sha256', Buffer.concat([salt, Buffer.from(password)]), 'buffer')

export type Call = {
  body?: unknown
  params?: Record<string, string>
  query?: Record<string, string>
  ipAddress?: string
  origin?: 'same' | 'other'
}

/** The console API of one process, and browsers that call it. */
export async function openConsole(
  db: Db,
  clock: HandClock,
  options: {
    signUp?: SignUpPolicy
    oidc?: OidcClient
    server?: ServerFacts
    lanes?: ConsoleServices['lanes']
    entries?: readonly CatalogueEntry[]
    sendWebhook?: ConsoleServices['sendWebhook']
    checkCallbackUrl?: (url: string) => Promise<unknown>
  } = {},
) {
  const { ownTokens, verifier } = await startProcess(db, clock)
  const services: ConsoleServices = {
    db,
    clock,
    chats: { flush: () => undefined },
    random: randomBytes,
    secretBox: box,
    passwords: createPasswords(quickDerive),
    sessions: createSessions({ db, clock, random: randomBytes, baseUrl }),
    signInLimits: createSignInLimits({
      ...{ clock, perEmail: 10, perAddress: 10, maxWaitMs: 900_000 },
    }),
    signUps: createAddressLimit({ clock, quota: 10 }),
    mintToken: ownTokens.mint,
    verifier,
    oidc: options.oidc ?? null,
    signUp: options.signUp ?? 'open',
    baseUrl,
    // The operations of most suites do not use them.
    server: () => options.server ?? ({} as ServerFacts),
    lanes: options.lanes ?? (() => []),
    saveUpload: () => assert.fail('nothing is uploaded here'),
    sendWebhook: options.sendWebhook ?? (() => assert.fail('nothing is sent here')),
    discovery: {
      find: () => assert.fail('nothing is looked for here'),
      take: async ({ ids }) => ids.length,
    },
    webhookTests: createAccountLimit({ clock, name: 'webhook-tests', quota: 10 }),
    api: {
      db,
      catalogue: { entries: options.entries ?? ([] as readonly CatalogueEntry[]) },
      graphs: { checkCallbackUrl: options.checkCallbackUrl },
    } as ConsoleServices['api'],
  }
  return { services, ownTokens, verifier, browser: () => createBrowser(services) }
}

export type Browser = ReturnType<typeof createBrowser>

function createBrowser(services: ConsoleServices) {
  const cookies = new Map<string, string>()
  const cookieHeader = () => [...cookies].map(([name, value]) => `${name}=${value}`).join('; ')

  /** What the HTTP layer does: validate, resolve the session, answer. */
  async function call(operationId: string, given: Call = {}): Promise<Answer> {
    const operation = consoleOperations.find(({ id }) => id === operationId)
    assert.ok(operation, operationId)
    const input = compileInput(operation)({
      params: given.params ?? {},
      query: given.query ?? {},
      body: given.body,
      bodyBytes: 100,
    })
    const answer = await operation.handle(
      {
        services,
        session: await services.sessions.resolve(cookieHeader()),
        ipAddress: given.ipAddress ?? '192.0.2.1',
        key: null,
        isSameOrigin: given.origin !== 'other',
        requestId: 'x',
        signal: () => new AbortController().signal,
        headerValues: (name) => (name === 'cookie' ? [cookieHeader()] : []),
      },
      input,
    )
    assert.ok(
      operation.success[answer.status],
      `status ${answer.status} of ${operationId} is not declared`,
    )
    keepCookie(answer.headers?.['set-cookie'])
    const path = `${consolePrefix}${operation.path}`
    assertDescribed(operation.method, path, answer.status, answer.body)
    return answer
  }

  function keepCookie(setCookie: string | undefined) {
    const [name = '', value = ''] = setCookie?.split(';')[0]?.split(/=(.*)/) ?? []
    if (value !== '') cookies.set(name, value)
    else cookies.delete(name)
  }

  return {
    call,
    cookies,
    cookieHeader,
    /** The `data` of a successful call. */
    async data<T = Record<string, unknown>>(operationId: string, given?: Call): Promise<T> {
      const answer = await call(operationId, given)
      assert.equal(answer.status, 200)
      const { success, data } = answer.body as { success: boolean; data: T }
      assert.equal(success, true)
      return data
    },
    /** The Failure of a refused call. */
    async refusal(operationId: string, given?: Call): Promise<Failure> {
      const failure = await call(operationId, given).then(
        () => assert.fail(`${operationId} was not refused`),
        (error) => error,
      )
      assert.ok(failure instanceof Failure, String(failure?.stack ?? failure))
      return failure
    },
  }
}
