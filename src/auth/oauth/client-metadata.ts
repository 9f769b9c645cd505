import { isRecord } from '#core/record.ts'
import { OAuthError } from './oauth-error.ts'
import { redirectUriProblem } from './redirect-uri.ts'

const maxRedirectUris = 10
const maxNameChars = 100

/** What we keep of a client's description, whether registered or published. */
export type ClientMetadata = { name: string; redirectUris: string[] }

/**
 * Reads RFC 7591 client metadata. Members we do not know are ignored, as the RFC demands. Every
 * client is public here: a secret that anybody can get by registering would prove nothing, so only
 * the PKCE verifier ties a code to the program that asked for it.
 */
export function readClientMetadata(body: unknown): ClientMetadata {
  if (!isRecord(body)) {
    throw new OAuthError('invalid_client_metadata', 'The description is not a JSON object.')
  }
  const { client_name: name, redirect_uris: uris } = body
  requireMember(body, 'grant_types', 'authorization_code')
  requireMember(body, 'response_types', 'code')
  const redirectUris = readRedirectUris(uris)
  return { name: readName(name) ?? hostOf(redirectUris[0] ?? ''), redirectUris }
}

function readRedirectUris(uris: unknown): string[] {
  if (!Array.isArray(uris) || uris.length === 0 || uris.length > maxRedirectUris) {
    throw new OAuthError('invalid_redirect_uri', `Give 1 to ${maxRedirectUris} redirect_uris.`)
  }
  return uris.map((uri) => {
    const problem = typeof uri === 'string' ? redirectUriProblem(uri) : 'is not text'
    if (problem) throw new OAuthError('invalid_redirect_uri', `A redirect URI ${problem}.`)
    return uri
  })
}

/** A member that is absent has a default that includes `value` (RFC 7591 section 2). */
function requireMember(body: object, member: string, value: string) {
  const given = (body as Record<string, unknown>)[member]
  if (given === undefined || (Array.isArray(given) && given.includes(value))) return
  throw new OAuthError('invalid_client_metadata', `${member} does not include ${value}.`)
}

// Control characters, and marks that change the direction of text: a name must not rewrite the
// sentence around it on the consent page.
const misleading = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]+/gu

function readName(name: unknown): string | undefined {
  if (name === undefined || name === null) return undefined
  if (typeof name !== 'string') {
    throw new OAuthError('invalid_client_metadata', 'client_name is not text.')
  }
  const plain = name.replace(misleading, ' ').trim()
  return plain === '' ? undefined : [...plain].slice(0, maxNameChars).join('')
}

const hostOf = (uri: string): string => URL.parse(uri)?.host || 'A program'
