/** The first value sent for a cookie. */
export function readCookie(header: string | undefined, name: string): string | null {
  for (const part of header?.split(';') ?? []) {
    const equals = part.indexOf('=')
    if (equals !== -1 && part.slice(0, equals).trim() === name) return part.slice(equals + 1).trim()
  }
  return null
}

/** Plain http has no Secure cookies, and `__Host-` needs Secure. */
export const cookieName = (base: 'session' | 'oidc', baseUrl: string): string =>
  baseUrl.startsWith('https:') ? `__Host-${base}` : base

/** Lax: a link from elsewhere, and the way back from an OpenID provider, keep the session. */
export function setCookie(name: string, value: string, options: { maxAgeSeconds: number }): string {
  const secure = name.startsWith('__Host-') ? ' Secure;' : ''
  return `${name}=${value}; Path=/; Max-Age=${options.maxAgeSeconds}; HttpOnly;${secure} SameSite=Lax`
}
