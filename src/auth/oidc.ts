import { createHash } from 'node:crypto'
import type { JWTPayload } from 'jose'
import { type Static, Type } from 'typebox'
import { Value } from 'typebox/value'
import type { Clock } from '#core/clock.ts'
import { checkJwt } from './check-jwt.ts'
import type { FetchJson } from './fetch-json.ts'
import { type EmailVerified, isIncomplete, type OidcPerson, toPerson } from './oidc-person.ts'
import { createDiscovery, type OidcProvider } from './oidc-provider.ts'
import { type Random, randomToken } from './random.ts'
import { createRemoteKeys } from './remote-keys.ts'

const TokenAnswer = Type.Object({
  id_token: Type.String(),
  access_token: Type.Optional(Type.String()),
})

const Userinfo = Type.Object({ sub: Type.Optional(Type.String()) })

export type OidcSettings = {
  issuer: string
  clientId: string
  clientSecret: string
  redirectUri: string
  scopes: readonly string[]
  emailVerified: EmailVerified
}

/** Kept in a sealed cookie while the person signs in at the provider, and checked on return. */
export type OidcAttempt = { state: string; nonce: string; verifier: string }

export type OidcClient = {
  begin(): Promise<{ url: string; attempt: OidcAttempt }>
  finish(code: string, attempt: OidcAttempt): Promise<OidcPerson>
}

/** The OpenID Connect authorization code flow with PKCE, for one provider. */
export function createOidcClient(
  settings: OidcSettings,
  { fetchJson, clock, random }: { fetchJson: FetchJson; clock: Clock; random: Random },
): OidcClient {
  const discover = createDiscovery({ issuer: settings.issuer, fetchJson, clock })
  const keys = createRemoteKeys({ url: async () => (await discover()).jwks_uri, fetchJson, clock })

  return {
    async begin() {
      const provider = await discover()
      const attempt = {
        state: randomToken(random),
        nonce: randomToken(random),
        verifier: randomToken(random),
      }
      return { url: authorizationUrl(provider, settings, attempt), attempt }
    },
    async finish(code, attempt) {
      const provider = await discover()
      const tokens = await exchange(provider, settings, fetchJson, { code, ...attempt })
      const claims = await checkJwt(
        tokens.id_token,
        {
          keys,
          algorithms: ['RS256', 'PS256', 'ES256', 'EdDSA'],
          issuer: provider.issuer,
          audience: settings.clientId,
          types: [undefined, 'jwt'],
          requiredClaims: ['sub', 'exp', 'iat', 'nonce'],
        },
        clock.nowMs(),
      )
      requireOurs(claims, settings, attempt)
      const userinfo = isIncomplete(claims, settings.emailVerified)
        ? await askUserinfo(provider, fetchJson, tokens, claims)
        : null
      return toPerson(settings, claims, userinfo)
    },
  }
}

function authorizationUrl(
  provider: OidcProvider,
  { clientId, redirectUri, scopes }: OidcSettings,
  { state, nonce, verifier }: OidcAttempt,
): string {
  const url = new URL(provider.authorization_endpoint)
  const parameters = {
    response_type: 'code',
    client_id: clientId,
    redirect_uri: redirectUri,
    scope: scopes.join(' '),
    state,
    nonce,
    code_challenge: createHash('sha256').update(verifier).digest('base64url'),
    code_challenge_method: 'S256',
  }
  for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value)
  return url.href
}

async function exchange(
  provider: OidcProvider,
  { clientId, clientSecret, redirectUri }: OidcSettings,
  fetchJson: FetchJson,
  { code, verifier }: { code: string; verifier: string },
): Promise<Static<typeof TokenAnswer>> {
  const methods = provider.token_endpoint_auth_methods_supported
  const form = new URLSearchParams({
    grant_type: 'authorization_code',
    code,
    redirect_uri: redirectUri,
    code_verifier: verifier,
  })
  const headers: Record<string, string> = {}
  // Basic is the default if the provider declares no method (OpenID Connect Discovery 3).
  if (!methods || methods.includes('client_secret_basic')) {
    headers.authorization = `Basic ${basic(clientId, clientSecret)}`
  } else {
    form.set('client_id', clientId)
    form.set('client_secret', clientSecret)
  }
  const { status, body } = await fetchJson(provider.token_endpoint, { form, headers })
  if (status !== 200 || !Value.Check(TokenAnswer, body)) {
    throw new Error(`the OpenID provider refused the code with status ${status}`)
  }
  return body
}

function requireOurs(claims: JWTPayload, { clientId }: OidcSettings, { nonce }: OidcAttempt) {
  if (claims.nonce !== nonce) throw new Error('the id token belongs to another sign-in')
  if (Array.isArray(claims.aud) && claims.aud.length > 1 && claims.azp !== clientId) {
    throw new Error('the id token was issued for another client')
  }
}

/** Null if it cannot be had: who the person is, the id token has said. */
async function askUserinfo(
  { userinfo_endpoint: url }: OidcProvider,
  fetchJson: FetchJson,
  { access_token: token }: Static<typeof TokenAnswer>,
  { sub }: JWTPayload,
): Promise<JWTPayload | null> {
  if (url === undefined || token === undefined) return null
  const headers = { authorization: `Bearer ${token}` }
  const answer = await fetchJson(url, { headers }).catch(() => null)
  if (answer?.status !== 200 || !Value.Check(Userinfo, answer.body)) return null
  // OpenID Connect Core 5.3.2: otherwise it may be about somebody else.
  if (answer.body.sub !== sub) throw new Error('the userinfo is about another person')
  return answer.body
}

/** RFC 6749 section 2.3.1: both halves are form-encoded before they are joined. */
const basic = (id: string, secret: string): string =>
  Buffer.from(`${formEncode(id)}:${formEncode(secret)}`).toString('base64')

const formEncode = (text: string): string => new URLSearchParams({ '': text }).toString().slice(1)
