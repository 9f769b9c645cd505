import type { Clock } from '#core/clock.ts'
import { timeOfUuid, uuidV7 } from '#core/ids.ts'
import { scopesOf } from '#core/roles.ts'
import type { Scope } from '#core/scopes.ts'
import type { Db } from '#store/db.ts'
import type { AccountStanding } from '#store/tables/accounts.ts'
import { isOAuthGrantLive } from '#store/tables/oauth-grants.ts'
import { readUserStanding } from '#store/tables/users.ts'
import { invalidCredential } from './bearer.ts'
import { checkJwt, clockSkewSeconds, textClaim } from './check-jwt.ts'
import { jose } from './jose.ts'
import { type KeyRing, ownAlgorithm } from './key-ring.ts'

export const maxTokenTtlSeconds = 900

/** The content of a valid JWT and the current state of its account. */
export type JwtOutcome = {
  account: AccountStanding
  userId: string | null
  scopes: Scope[]
  /** The token is refused from this time on; clock skew is included. */
  expiresAtMs: number
  /** Present only if the token was issued to a client that a person has connected. */
  grantId?: string
}

export type MintRequest = {
  userId: string
  accountId: string
  scopes: readonly Scope[]
  ttlSeconds: number
  /** The client that gets the token; absent for a person's own token. */
  app?: { clientId: string; grantId: string }
}

/** The resource that access tokens of connected clients are issued for (RFC 8707). */
export const mcpResource = (baseUrl: string): string => `${baseUrl}/mcp`

export type OwnTokens = {
  issuer: string
  mint(request: MintRequest): Promise<{ token: string; expiresAtMs: number }>
  verify(token: string): Promise<JwtOutcome>
}

export function createOwnTokens(options: {
  db: Db
  clock: Clock
  keyRing: KeyRing
  baseUrl: string
}): OwnTokens {
  const { db, clock, keyRing, baseUrl } = options
  // Both audiences are this server, and each tool of /mcp is an operation of the API: a token for
  // one is accepted by the other, and its scopes mean the same there.
  const audience = { api: `${baseUrl}/api/ai-tools/v1`, mcp: mcpResource(baseUrl) }

  return {
    issuer: baseUrl,

    async mint({ userId, accountId, scopes, ttlSeconds, app }) {
      const nowMs = clock.nowMs()
      const iat = Math.floor(nowMs / 1000)
      const exp = iat + Math.min(ttlSeconds, maxTokenTtlSeconds)
      const { kid, key } = keyRing.signer()
      const ofApp = app ? { client_id: app.clientId, grant_id: app.grantId } : {}
      const { SignJWT } = jose()
      const token = await new SignJWT({ acct: accountId, scope: scopes.join(' '), ...ofApp })
        .setProtectedHeader({ alg: ownAlgorithm, typ: 'at+jwt', kid })
        .setIssuer(baseUrl)
        .setAudience(app ? audience.mcp : audience.api)
        .setSubject(userId)
        .setIssuedAt(iat)
        .setExpirationTime(exp)
        .setJti(uuidV7(nowMs))
        .sign(key)
      return { token, expiresAtMs: exp * 1000 }
    },

    async verify(token) {
      const claims = await checkJwt(
        token,
        {
          keys: keyRing.find,
          algorithms: [ownAlgorithm],
          issuer: baseUrl,
          audience: Object.values(audience),
          types: ['at+jwt'],
          requiredClaims: ['sub', 'acct', 'scope', 'iat', 'exp', 'jti'],
        },
        clock.nowMs(),
      )
      const { iat = 0, exp = 0 } = claims
      if (exp - iat > maxTokenTtlSeconds) throw invalidCredential('the token lives too long')
      const [userId, accountId] = [textClaim(claims, 'sub'), textClaim(claims, 'acct')]
      const grantId = claims.grant_id === undefined ? null : textClaim(claims, 'grant_id')
      const [standing, isConnected] = await Promise.all([
        readUserStanding(db, userId, accountId),
        grantId === null || isOAuthGrantLive(db, { accountId, userId }, grantId),
      ])
      if (!standing) throw invalidCredential('the user of this token no longer exists')
      if (timeOfUuid(textClaim(claims, 'jti')) <= standing.tokensAfterMs) {
        throw invalidCredential('the token was made before the password was changed')
      }
      if (!isConnected) throw invalidCredential('the app of this token was disconnected')
      const granted = new Set(String(claims.scope).split(' '))
      return {
        account: standing.account,
        userId,
        // The role may have changed since the token was made.
        scopes: scopesOf(standing.role).filter((scope) => granted.has(scope)),
        expiresAtMs: (exp + clockSkewSeconds) * 1000,
        ...(grantId === null ? {} : { grantId }),
      }
    },
  }
}
