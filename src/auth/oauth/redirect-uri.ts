// Where codes may be sent. URIs are compared exactly, because a prefix or a pattern could let a
// code reach somebody else's page (RFC 9700 section 4.1). The one exception is the port of a
// loopback address, which a program picks when it starts (RFC 8252 section 7.3).

const maxChars = 2048
const loopbackHosts = new Set(['127.0.0.1', '[::1]', 'localhost'])

// RFC 8252 section 7.1: the reversed domain of its maker, so that no program answers to the scheme
// of another, or to one of the system such as tel: or ms-settings:.
const privateScheme = /^[a-z][a-z0-9+-]*(?:\.[a-z0-9+-]+)+:$/
// Programs that people connect and that have used a shorter scheme since before that rule.
const knownSchemes = new Set(
  ['cursor', 'vscode', 'vscode-insiders', 'windsurf', 'zed', 'raycast'].map((name) => `${name}:`),
)
// Hosts are written into a Content-Security-Policy, where `;` and `,` would start a new directive.
const plainHost = /^[a-z0-9.-]*$|^\[[0-9a-f:]+\]$/i
const printable = /^[\x21-\x7e]+$/

/** What is wrong with a redirect URI of a client; null if nothing is. */
export function redirectUriProblem(text: string): string | null {
  if (text.length > maxChars) return `is longer than ${maxChars} characters`
  const url = URL.parse(text)
  if (!url || !printable.test(text)) return 'is not an absolute URI'
  if (url.hash !== '' || text.includes('#')) return 'has a fragment'
  if (url.username !== '' || url.password !== '') return 'has a user name'
  if (!plainHost.test(url.host.replace(/:\d+$/, ''))) return 'has an unusual host'
  if (url.protocol === 'https:') return null
  if (url.protocol === 'http:') return isLoopback(url) ? null : 'needs https'
  if (knownSchemes.has(url.protocol) || privateScheme.test(url.protocol)) return null
  return 'has a scheme that no program can register: use the reversed domain of its maker, such as com.example.app:'
}

const isLoopback = (url: URL): boolean =>
  url.protocol === 'http:' && loopbackHosts.has(url.hostname)

/** Whether the answer to a client that registered `known` may be sent to `given`. */
export function isSameRedirect(known: string, given: string): boolean {
  if (known === given) return true
  const [one, other] = [URL.parse(known), URL.parse(given)]
  if (!one || !other || !isLoopback(one) || !isLoopback(other)) return false
  if (redirectUriProblem(given) !== null) return false
  one.port = ''
  other.port = ''
  return one.href === other.href
}

/** Who receives the code, in words for the person who decides. */
export function receiverOf(redirectUri: string): string {
  const url = new URL(redirectUri)
  if (isLoopback(url)) return 'a program on this computer'
  return url.protocol === 'https:' ? url.host : `the program for ${url.protocol}// links`
}

/** The same as a source of `form-action`, which cannot name IPv6 hosts, only their scheme. */
export function formActionOf(redirectUri: string): string {
  const url = new URL(redirectUri)
  const isNamed = /^https?:$/.test(url.protocol) && !url.hostname.startsWith('[')
  return isNamed ? url.origin : url.protocol
}

/** Adds parameters and leaves everything else as the client wrote it. */
export const withParameters = (redirectUri: string, parameters: Record<string, string>): string =>
  `${redirectUri}${redirectUri.includes('?') ? '&' : '?'}${new URLSearchParams(parameters)}`
