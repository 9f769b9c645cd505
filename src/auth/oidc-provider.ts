import { type Static, Type } from 'typebox'
import { Value } from 'typebox/value'
import type { Clock } from '#core/clock.ts'
import type { FetchJson } from './fetch-json.ts'

const freshMs = 3_600_000
const retryAfterFailureMs = 5_000

const Discovery = Type.Object({
  issuer: Type.String(),
  authorization_endpoint: Type.String(),
  token_endpoint: Type.String(),
  jwks_uri: Type.String(),
  userinfo_endpoint: Type.Optional(Type.String()),
  token_endpoint_auth_methods_supported: Type.Optional(Type.Array(Type.String())),
})

/** The provider's discovery document, fetched when first needed and again after an hour. */
export type OidcProvider = Static<typeof Discovery>

export function createDiscovery(options: {
  issuer: string
  fetchJson: FetchJson
  clock: Clock
}): () => Promise<OidcProvider> {
  const { issuer, fetchJson, clock } = options
  let reading: Promise<OidcProvider> | null = null
  let readAtMs = 0
  let keptMs = 0

  async function read(): Promise<OidcProvider> {
    // Anyone can start a sign-in, so a provider that is down must not be asked for each of them.
    readAtMs = clock.nowMs()
    keptMs = retryAfterFailureMs
    const { status, body } = await fetchJson(`${trim(issuer)}/.well-known/openid-configuration`)
    if (status !== 200 || !Value.Check(Discovery, body)) {
      throw new Error('the OpenID provider has no readable configuration')
    }
    // OpenID Connect Discovery 4.3: the issuer in the document must be the one we asked.
    if (trim(body.issuer) !== trim(issuer)) {
      throw new Error('the OpenID configuration names another issuer')
    }
    readAtMs = clock.nowMs()
    keptMs = freshMs
    return body
  }

  return () => {
    const sinceMs = clock.nowMs() - readAtMs
    // A clock that was set back must not keep a failure for longer.
    if (reading === null || sinceMs < 0 || sinceMs >= keptMs) reading = read()
    return reading
  }
}

const trim = (issuer: string): string => issuer.replace(/\/$/, '')
