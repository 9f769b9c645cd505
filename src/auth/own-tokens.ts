import { SignJWT } from 'jose'
import type { Clock } from '#core/clock.ts'
import { uuidV7 } from '#core/ids.ts'
import { scopesOf } from '#core/roles.ts'
import type { Scope } from '#core/scopes.ts'
import type { Db } from '#store/db.ts'
import type { AccountStanding } from '#store/tables/accounts.ts'
import { readUserStanding } from '#store/tables/users.ts'
import { invalidCredential } from './bearer.ts'
import { checkJwt, clockSkewSeconds, textClaim } from './check-jwt.ts'
import { type KeyRing, ownAlgorithm } from './key-ring.ts'

export const maxTokenTtlSeconds = 900

/** The content of a valid JWT and the current state of its account. */
export type JwtOutcome = {
  account: AccountStanding
  userId: string | null
  scopes: Scope[]
  /** The token is refused from this time on; clock skew is included. */
  expiresAtMs: number
}

export type MintRequest = {
  userId: string
  accountId: string
  scopes: readonly Scope[]
  ttlSeconds: number
}

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
  const audience = `${baseUrl}/api/ai-tools/v1`

  return {
    issuer: baseUrl,

    async mint({ userId, accountId, scopes, ttlSeconds }) {
      const nowMs = clock.nowMs()
      const iat = Math.floor(nowMs / 1000)
      const exp = iat + Math.min(ttlSeconds, maxTokenTtlSeconds)
      const { kid, key } = keyRing.signer()
      const token = await new SignJWT({ acct: accountId, scope: scopes.join(' ') })
        .setProtectedHeader({ alg: ownAlgorithm, typ: 'at+jwt', kid })
        .setIssuer(baseUrl)
        .setAudience(audience)
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
          audience,
          types: ['at+jwt'],
          requiredClaims: ['sub', 'acct', 'scope', 'iat', 'exp', 'jti'],
        },
        clock.nowMs(),
      )
      const { iat = 0, exp = 0 } = claims
      if (exp - iat > maxTokenTtlSeconds) throw invalidCredential('the token lives too long')
      const userId = textClaim(claims, 'sub')
      const standing = await readUserStanding(db, userId, textClaim(claims, 'acct'))
      if (!standing) throw invalidCredential('the user of this token no longer exists')
      const granted = new Set(String(claims.scope).split(' '))
      return {
        account: standing.account,
        userId,
        // The role may have changed since the token was made.
        scopes: scopesOf(standing.role).filter((scope) => granted.has(scope)),
        expiresAtMs: (exp + clockSkewSeconds) * 1000,
      }
    },
  }
}
