import assert from 'node:assert/strict'
import { createHash, randomBytes } from 'node:crypto'
import type { AuthorizationRequest } from '#auth/oauth/authorization.ts'
import { createClients } from '#auth/oauth/clients.ts'
import { createConsents } from '#auth/oauth/consent.ts'
import { createTokenEndpoint } from '#auth/oauth/tokens.ts'
import type { Session } from '#auth/sessions.ts'
import type { Scope } from '#core/scopes.ts'
import type { Db } from '#store/db.ts'
import { insertSession } from '#store/tables/sessions.ts'
import { baseUrl, box, type HandClock, type Person, type startProcess } from './setting.ts'

export const redirectUri = 'https://app.example/back'
const codeVerifier = randomBytes(32).toString('base64url')

type Process = Awaited<ReturnType<typeof startProcess>>

/** Apps that people connect by OAuth, without the pages in between. */
export function openApps(
  db: Db,
  clock: HandClock,
  process: Pick<Process, 'ownTokens' | 'verifier'>,
) {
  const deps = { db, clock, random: randomBytes, box }
  const clients = createClients({ ...deps, fetchDocument: () => assert.fail('nothing is read') })
  const consents = createConsents(deps)
  const tokens = createTokenEndpoint({
    ...deps,
    ownTokens: process.ownTokens,
    resource: `${baseUrl}/mcp`,
    forgetAccount: process.verifier.forgetAccount,
  })
  /** A person who is about to agree. */
  const newConsent = async (person: Person, scopes: Scope[] = ['models:read']) => {
    const { id: clientId } = await clients.register({ redirect_uris: [redirectUri] })
    const request: AuthorizationRequest = {
      clientId,
      clientName: 'An app',
      redirectUri,
      state: null,
      scopes,
      codeChallenge: createHash('sha256').update(codeVerifier).digest('base64url'),
    }
    const session = await sessionOf(person)
    const grant = () => consents.grant(session, request, scopes)
    return { clientId, session, grant }
  }
  const newCode = async (person: Person, scopes?: Scope[]) => {
    const { clientId, grant } = await newConsent(person, scopes)
    return { clientId, code: await grant() }
  }
  async function sessionOf(person: Person): Promise<Session> {
    const session = asSession(person, randomBytes(32).toString('base64url'))
    const nowMs = clock.nowMs()
    const began = { ...session, nowMs, ipAddress: null, userAgent: null }
    assert.ok(await insertSession(db, began))
    return session
  }
  const exchange = ({ clientId, code }: { clientId: string; code: string }) =>
    tokens.issue({
      grant_type: 'authorization_code',
      client_id: clientId,
      redirect_uri: redirectUri,
      code,
      code_verifier: codeVerifier,
    })
  const connect = async (person: Person, scopes?: Scope[]) => {
    const made = await newCode(person, scopes)
    return { ...(await exchange(made)), clientId: made.clientId }
  }
  type Connected = Awaited<ReturnType<typeof connect>>
  const refresh = ({ clientId, refresh_token }: Connected) =>
    tokens.issue({ grant_type: 'refresh_token', client_id: clientId, refresh_token })
  return { clients, newConsent, newCode, exchange, connect, refresh }
}

const asSession = (person: Person, tokenHash: string): Session => ({
  ...person,
  tokenHash,
  role: 'owner',
  email: null,
  createdAtMs: 0,
  lastSeenAtMs: 0,
  accountDisabled: false,
  failedBefore: null,
})
