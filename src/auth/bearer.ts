import { Failure } from '#core/errors.ts'
import type { Principal } from '#core/principal.ts'
import type { KeyScope } from '#core/scopes.ts'

// RFC 6750 section 3: a request without a credential gets no error code.
const challenge = 'Bearer realm="ai-tools"'

export const authRequired = () =>
  new Failure('AUTH_REQUIRED', { headers: { 'www-authenticate': challenge } })

/** `reason` is for the log. The caller only learns that the credential is not valid. */
export const invalidCredential = (reason: string) =>
  new Failure('INVALID_CREDENTIAL', {
    headers: { 'www-authenticate': `${challenge}, error="invalid_token"` },
    cause: reason,
  })

export const credentialExpired = () =>
  new Failure('CREDENTIAL_EXPIRED', {
    headers: { 'www-authenticate': `${challenge}, error="invalid_token"` },
  })

export const accountDisabled = () => new Failure('ACCOUNT_DISABLED')

export function requireScope(principal: Principal, scope: KeyScope): void {
  if (principal.scopes.has(scope)) return
  throw new Failure('INSUFFICIENT_SCOPE', {
    details: { scope },
    headers: {
      'www-authenticate': `${challenge}, error="insufficient_scope", scope="${scope}"`,
    },
  })
}

/**
 * The token of an Authorization header. Another scheme counts as no credential. Several headers
 * or text after the token are refused, so that a proxy and this server can never read different
 * credentials from one request.
 */
export function bearerToken(authorization: string | readonly string[] | undefined): string {
  const header = typeof authorization === 'object' ? onlyOne(authorization) : authorization
  if (header === undefined) throw authRequired()
  const space = header.indexOf(' ')
  const scheme = space === -1 ? header : header.slice(0, space)
  if (scheme.length !== 6 || scheme.toLowerCase() !== 'bearer' || space === -1) throw authRequired()
  let start = space
  while (header.charCodeAt(start) === 0x20) start++
  if (start === header.length) throw authRequired()
  return header.slice(start)
}

function onlyOne(headers: readonly string[]): string | undefined {
  if (headers.length > 1) throw invalidCredential('more than one Authorization header')
  return headers[0]
}
