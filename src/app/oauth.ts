import { text } from 'node:stream/consumers'
import { addressKey } from '#auth/address-key.ts'
import type { FetchDocument } from '#auth/oauth/client-documents.ts'
import { createClients } from '#auth/oauth/clients.ts'
import { createConsents } from '#auth/oauth/consent.ts'
import { createTokenEndpoint } from '#auth/oauth/tokens.ts'
import { mcpResource } from '#auth/own-tokens.ts'
import { createAccountLimit } from '#auth/rate-limit.ts'
import type { Clock } from '#core/clock.ts'
import type { OAuthRoutes } from '#http/oauth/oauth-routes.ts'
import type { Gateway } from '#outbound/gateway.ts'
import type { Db } from '#store/db.ts'
import type { SecretBox } from '#store/secret-box.ts'
import type { openIdentity } from './identity.ts'

// An app registers once per installation, and a person connects a few at a time.
const registrationsPerMinute = 10
const documentsPerMinute = 20
// Descriptions of clients have some 500 bytes.
const documentLimits = { timeoutMs: 5_000, maxBytes: 16 * 1024 }

/** The authorization server for programs that people connect to /mcp. */
export function openOAuth(deps: {
  db: Db
  clock: Clock
  box: SecretBox
  gateway: Gateway
  identity: Awaited<ReturnType<typeof openIdentity>>
  baseUrl: string
}): Omit<OAuthRoutes, 'observer'> {
  const { db, clock, box, gateway, baseUrl } = deps
  const { random, ownTokens, verifier, gate, developer } = deps.identity
  const resource = mcpResource(baseUrl)
  const limit = (name: string, quota: number) => createAccountLimit({ clock, name, quota })
  const registrations = limit('oauth-registrations', registrationsPerMinute)
  return {
    baseUrl,
    resource,
    clients: createClients({ db, clock, random, fetchDocument: documentsThrough(gateway) }),
    consents: createConsents({ db, clock, random, box }),
    tokens: createTokenEndpoint({
      db,
      clock,
      random,
      ownTokens,
      resource,
      box,
      forgetAccount: verifier.forgetAccount,
    }),
    sessions: developer.sessions,
    registrations: { admit: (address) => registrations.admit(addressKey(address)) },
    documents: limit('oauth-documents', documentsPerMinute),
    countAddress: gate.countAddress,
  }
}

const documentsThrough =
  (gateway: Gateway): FetchDocument =>
  async (url) => {
    const { status, body } = await gateway.request(url, {
      headers: { accept: 'application/json' },
      ...documentLimits,
      signal: AbortSignal.timeout(documentLimits.timeoutMs),
    })
    return { status, text: await text(body) }
  }
