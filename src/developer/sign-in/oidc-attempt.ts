import { cookieName, readCookie, setCookie } from '#auth/cookies.ts'
import type { OidcAttempt } from '#auth/oidc.ts'
import type { DeveloperServices } from '../context.ts'

const attemptSeconds = 600
const place = { table: 'oidc-cookie', row: 'attempt' }

/** Sealed, because the browser keeps it: it can be neither read nor made up there. */
export function sealAttempt(services: DeveloperServices, attempt: OidcAttempt): string {
  const { secretBox, clock, baseUrl } = services
  const expiresAtMs = clock.nowMs() + attemptSeconds * 1000
  const sealed = secretBox.seal(place, Buffer.from(JSON.stringify({ ...attempt, expiresAtMs })))
  const value = Buffer.from(sealed).toString('base64url')
  return setCookie(cookieName('oidc', baseUrl), value, { maxAgeSeconds: attemptSeconds })
}

/** Null for anything that is not a sealed attempt of the last ten minutes. */
export function openAttempt(
  { secretBox, clock, baseUrl }: DeveloperServices,
  cookieHeader: string | undefined,
): OidcAttempt | null {
  const value = readCookie(cookieHeader, cookieName('oidc', baseUrl))
  if (value === null) return null
  try {
    const opened = secretBox.open(place, Buffer.from(value, 'base64url'))
    const attempt = JSON.parse(opened.toString('utf8')) as OidcAttempt & { expiresAtMs: number }
    return clock.nowMs() < attempt.expiresAtMs ? attempt : null
  } catch {
    return null
  }
}
