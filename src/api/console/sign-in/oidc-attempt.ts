import { cookieName, readCookie, setCookie } from '#auth/cookies.ts'
import { oauthPaths } from '#auth/oauth/server-metadata.ts'
import type { OidcAttempt } from '#auth/oidc.ts'
import { Type } from '#core/schema.ts'
import type { ConsoleServices } from '../context.ts'

const attemptSeconds = 600
const sealedAs = { table: 'oidc-cookie', row: 'attempt' }

/** The query of an app's request for access, to which the person returns after signing in. */
export const Authorize = Type.Optional(Type.String({ maxLength: 6_000 }))

/** Where a person is sent after signing in. */
export const landingUrl = ({ baseUrl }: ConsoleServices, authorize: string | undefined): string =>
  authorize === undefined ? `${baseUrl}/console/` : `${baseUrl}${oauthPaths.authorize}?${authorize}`

/** The link that the person followed. It is used once the provider has identified them. */
export type OidcLink = { kind: 'set-up' | 'invitation'; tokenHash: string }

type Attempt = OidcAttempt & { authorize?: string | undefined; link?: OidcLink }

/** The browser stores the attempt; it is sealed, so it can be neither read nor forged there. */
export function sealAttempt(services: ConsoleServices, attempt: Attempt): string {
  const { secretBox, clock, baseUrl } = services
  const expiresAtMs = clock.nowMs() + attemptSeconds * 1000
  const sealed = secretBox.seal(sealedAs, Buffer.from(JSON.stringify({ ...attempt, expiresAtMs })))
  const value = Buffer.from(sealed).toString('base64url')
  return setCookie(cookieName('oidc', baseUrl), value, { maxAgeSeconds: attemptSeconds })
}

/** Null for anything that is not a sealed attempt of the last ten minutes. */
export function openAttempt(
  { secretBox, clock, baseUrl }: ConsoleServices,
  cookieHeader: string | undefined,
): Attempt | null {
  const value = readCookie(cookieHeader, cookieName('oidc', baseUrl))
  if (value === null) return null
  try {
    const opened = secretBox.open(sealedAs, Buffer.from(value, 'base64url'))
    const attempt = JSON.parse(opened.toString('utf8')) as Attempt & { expiresAtMs: number }
    return clock.nowMs() < attempt.expiresAtMs ? attempt : null
  } catch {
    return null
  }
}
