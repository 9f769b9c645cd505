import type { JWTPayload } from 'jose'
import type { Clock } from '#core/clock.ts'
import { uuidPattern, uuidV7 } from '#core/ids.ts'
import { choicesOf } from '#core/principal.ts'
import { isScope, type Scope } from '#core/scopes.ts'
import type { Db } from '#store/db.ts'
import { type AccountStanding, readAccount } from '#store/tables/accounts.ts'
import { findExternalAccount, provisionExternalAccount } from '#store/tables/external-identities.ts'
import { invalidCredential } from './bearer.ts'
import { checkJwt, clockSkewSeconds, textClaim } from './check-jwt.ts'
import type { FetchJson } from './fetch-json.ts'
import type { ExternalIssuer } from './issuers-file.ts'
import { jose } from './jose.ts'
import type { JwtOutcome } from './own-tokens.ts'
import { createRemoteKeys } from './remote-keys.ts'

const isUuid = new RegExp(uuidPattern)
const maxSubjectLength = 255

/** One token verifier per issuer the operator configured. */
export function createExternalTokens(options: {
  db: Db
  clock: Clock
  issuers: readonly ExternalIssuer[]
  fetchJson: FetchJson
}): Map<string, (token: string) => Promise<JwtOutcome>> {
  const { db, clock, fetchJson } = options

  const verifierOf = (issuer: ExternalIssuer) => {
    const source = issuer.keys
    const rules = {
      keys:
        'jwks' in source
          ? jose().createLocalJWKSet(source.jwks)
          : createRemoteKeys({ url: () => source.url, fetchJson, clock }),
      algorithms: issuer.algorithms,
      issuer: issuer.issuer,
      audience: issuer.audience,
      types: [undefined, 'jwt', 'at+jwt', 'application/at+jwt'],
      requiredClaims: ['exp', 'sub'],
    }
    return async (token: string): Promise<JwtOutcome> => {
      const claims = await checkJwt(token, rules, clock.nowMs())
      textClaim(claims, 'sub')
      return {
        account: await findAccount(issuer, textClaim(claims, issuer.accountClaim)),
        userId: null,
        scopes: scopesOf(claims, issuer),
        expiresAtMs: ((claims.exp ?? 0) + clockSkewSeconds) * 1000,
      }
    }
  }

  async function findAccount(issuer: ExternalIssuer, subject: string): Promise<AccountStanding> {
    if (issuer.autoProvision) return provisioned(issuer, subject)
    const account = isUuid.test(subject) ? await readAccount(db, subject.toLowerCase()) : null
    if (!account) throw invalidCredential('the token names no account')
    const { id: accountId, disabledAtMs, spendLimitMicros } = account
    const disabled = disabledAtMs !== null
    return { accountId, disabled, spendLimitMicros, ...choicesOf(account) }
  }

  async function provisioned(issuer: ExternalIssuer, subject: string): Promise<AccountStanding> {
    if (subject.length > maxSubjectLength) {
      throw invalidCredential('the account claim cannot be stored')
    }
    const identity = { issuer: issuer.issuer, subject }
    const known = await findExternalAccount(db, identity)
    if (known) return known
    const nowMs = clock.nowMs()
    return provisionExternalAccount(db, {
      ...identity,
      accountId: uuidV7(nowMs),
      accountName: subject,
      nowMs,
    })
  }

  return new Map(options.issuers.map((issuer) => [issuer.issuer, verifierOf(issuer)]))
}

function scopesOf(claims: JWTPayload, issuer: ExternalIssuer): Scope[] {
  if (claims.scope === undefined) return issuer.defaultScopes
  return typeof claims.scope === 'string' ? claims.scope.split(' ').filter(isScope) : []
}
