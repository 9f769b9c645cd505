// What an OpenID provider says about a person: who they are, how they are called and written to.
import type { JWTPayload } from 'jose'
import { textClaim } from './check-jwt.ts'

const longestName = 100
/** Longer ones cannot be used on the internet (RFC 5321 section 4.5.3.1.3). */
const longestEmail = 254

/**
 * What an e-mail without `email_verified` is worth: with `required` nothing, with `trusted` as much
 * as a verified one.
 */
export type EmailVerified = 'required' | 'trusted'

export type OidcPerson = {
  issuer: string
  subject: string
  /** Null if the provider says none, or none that may be trusted. */
  email: string | null
  /** What the provider calls them, if anything. */
  name: string | null
  /** Part of an e-mail that may belong to somebody else, so only good for display. */
  fallbackName: string | null
}

/** `userinfo` is null if it was not asked or has failed. */
export function toPerson(
  { issuer, emailVerified }: { issuer: string; emailVerified: EmailVerified },
  idToken: JWTPayload,
  userinfo: JWTPayload | null,
): OidcPerson {
  const sources = userinfo ? [idToken, userinfo] : [idToken]
  const isDenied = sources.some(({ email_verified }) => verifiedOf(email_verified) === false)
  const emails = sources.flatMap(
    (claims) => emailOf(claims, isDenied ? 'denied' : emailVerified) ?? [],
  )
  const names = sources.flatMap((claims) => nameOf(claims) ?? [])
  const localParts = sources.flatMap(({ email }) => displayText(String(email ?? '').split('@')[0]))
  return {
    issuer,
    subject: textClaim(idToken, 'sub'),
    email: emails[0] ?? null,
    name: names[0] ?? null,
    fallbackName: localParts.find((part) => part !== null) ?? null,
  }
}

/** Whether the id token leaves something open that userinfo may say. */
export const isIncomplete = (idToken: JWTPayload, emailVerified: EmailVerified): boolean =>
  nameOf(idToken) === null ||
  (verifiedOf(idToken.email_verified) !== false && emailOf(idToken, emailVerified) === null)

/** Null if it is not said. Some providers send text instead of booleans. */
function verifiedOf(claim: unknown): boolean | null {
  return claim === undefined || claim === null ? null : claim === true || claim === 'true'
}

function emailOf(claims: JWTPayload, rule: EmailVerified | 'denied'): string | null {
  const isTrusted = rule !== 'denied' && (verifiedOf(claims.email_verified) ?? rule === 'trusted')
  if (!isTrusted || typeof claims.email !== 'string' || claims.email === '') return null
  const email = textClaim(claims, 'email').toLowerCase()
  return email.length <= longestEmail && /^[^\s@]+@[^\s@]+$/.test(email) ? email : null
}

function nameOf(claims: JWTPayload): string | null {
  const { name, preferred_username, given_name, family_name } = claims
  const parts = [given_name, family_name].filter((part) => typeof part === 'string')
  return displayText(name) ?? displayText(preferred_username) ?? displayText(parts.join(' '))
}

/** On one line and of bounded length; null if nothing is left. */
function displayText(value: unknown): string | null {
  if (typeof value !== 'string') return null
  // Marks that turn the direction of writing would reach beyond the name.
  const clean = value.replace(/[\s\p{Cc}\p{Cs}\u202a-\u202e\u2066-\u2069]+/gu, ' ').trim()
  return [...clean].slice(0, longestName).join('').trim() || null
}
