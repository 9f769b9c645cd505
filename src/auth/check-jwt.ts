import type { JWTPayload, JWTVerifyGetKey } from 'jose'
import { Failure } from '#core/errors.ts'
import { StoreUnavailable } from '#store/db.ts'
import { credentialExpired, invalidCredential } from './bearer.ts'
import { jose } from './jose.ts'

export const maxTokenLength = 8_192
export const clockSkewSeconds = 30

export type JwtRules = {
  keys: JWTVerifyGetKey
  algorithms: string[]
  issuer: string
  audience: string | string[]
  /** Allowed values of the `typ` header; undefined allows a token without one. */
  types: readonly (string | undefined)[]
  requiredClaims: string[]
}

/**
 * Returns the claims of a token whose signature, times, issuer and audience are valid, or throws
 * a 401 Failure. The key comes from `rules` alone: `jku`, `x5u` and `jwk` in the header are never
 * read.
 */
export async function checkJwt(token: string, rules: JwtRules, nowMs: number): Promise<JWTPayload> {
  if (token.length > maxTokenLength) throw invalidCredential('the token is too long')
  try {
    const { decodeProtectedHeader, jwtVerify } = jose()
    const header = decodeProtectedHeader(token)
    if (header.crit !== undefined) throw invalidCredential('crit is not supported')
    if (!rules.types.includes(header.typ?.toLowerCase())) throw invalidCredential('wrong typ')
    const { payload } = await jwtVerify(token, rules.keys, {
      algorithms: rules.algorithms,
      issuer: rules.issuer,
      audience: rules.audience,
      requiredClaims: rules.requiredClaims,
      clockTolerance: clockSkewSeconds,
      currentDate: new Date(nowMs),
    })
    if (payload.iat !== undefined && payload.iat > nowMs / 1000 + clockSkewSeconds) {
      throw invalidCredential('issued in the future')
    }
    return payload
  } catch (error) {
    throw asFailure(error)
  }
}

function asFailure(error: unknown): unknown {
  if (error instanceof Failure || error instanceof StoreUnavailable) return error
  if (error instanceof jose().errors.JWTExpired) return credentialExpired()
  // Any other error comes from what the token made the parser or the key import do, so it is the
  // caller's fault and not a server error.
  return invalidCredential(error instanceof Error ? error.message : 'unreadable token')
}

/**
 * A claim that is non-empty text and can be stored unchanged; anything else makes the token
 * invalid. A database would replace a lone surrogate, which could merge two subjects into one,
 * and PostgreSQL cannot store NUL.
 */
export function textClaim(claims: JWTPayload, name: string): string {
  const value = claims[name]
  if (typeof value !== 'string' || value === '') {
    throw invalidCredential(`the claim ${name} is not text`)
  }
  if (value.isWellFormed() && !value.includes('\0')) return value
  throw invalidCredential(`the claim ${name} is not well-formed text`)
}
