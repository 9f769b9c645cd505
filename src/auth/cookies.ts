/** Returns the first value if the cookie was sent more than once. */
export function readCookie(header: string | undefined, name: string): string | null {
  for (const pair of header?.split(';') ?? []) {
    const equals = pair.indexOf('=')
    if (equals !== -1 && pair.slice(0, equals).trim() === name) return pair.slice(equals + 1).trim()
  }
  return null
}

/** The prefix `__Host-` requires Secure, and a browser ignores a Secure cookie sent over http. */
export const cookieName = (base: 'session' | 'oidc', baseUrl: string): string =>
  baseUrl.startsWith('https:') ? `__Host-${base}` : base

/** SameSite=Lax keeps the session on links from other sites and on the return from OpenID. */
export function setCookie(name: string, value: string, options: { maxAgeSeconds: number }): string {
  const secure = name.startsWith('__Host-') ? ' Secure;' : ''
  return `${name}=${value}; Path=/; Max-Age=${options.maxAgeSeconds}; HttpOnly;${secure} SameSite=Lax`
}
