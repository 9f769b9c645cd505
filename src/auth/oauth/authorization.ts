import { type Role, scopesOf } from '#core/roles.ts'
import { namedScopes, type Scope, scopes as usualScopes } from '#core/scopes.ts'
import type { OAuthClient } from '#store/tables/oauth-clients.ts'
import { OAuthError, type OAuthErrorCode } from './oauth-error.ts'
import type { Parameters } from './parameters.ts'
import { isSameRedirect, withParameters } from './redirect-uri.ts'

/** A valid request, ready for a person to decide. */
export type AuthorizationRequest = {
  clientId: string
  clientName: string
  redirectUri: string
  state: string | null
  scopes: Scope[]
  codeChallenge: string
}

const challengeForm = /^[A-Za-z0-9_-]{43}$/
// A longer one would not fit into the address that leads back to the client.
const maxStateChars = 2048

/**
 * The URI that the answer goes to. Every other error is reported there; a wrong URI is reported
 * to the person only (RFC 6749 section 4.1.2.1).
 */
export function redirectUriOf(client: OAuthClient, parameters: Parameters): string {
  const given = parameters.redirect_uri
  const [only] = client.redirectUris
  if (given === undefined && client.redirectUris.length === 1 && only !== undefined) return only
  if (given !== undefined && client.redirectUris.some((uri) => isSameRedirect(uri, given))) {
    return given
  }
  throw new OAuthError('invalid_request', 'redirect_uri is not one that the client has registered.')
}

export function readAuthorization(
  client: OAuthClient,
  parameters: Parameters,
  { redirectUri, resource, role }: { redirectUri: string; resource: string; role: Role },
): AuthorizationRequest {
  const { response_type: type, code_challenge: codeChallenge, state = null } = parameters
  if (type !== 'code') {
    throw new OAuthError('unsupported_response_type', 'response_type must be code.')
  }
  if (parameters.code_challenge_method !== 'S256' || !challengeForm.test(codeChallenge ?? '')) {
    throw new OAuthError('invalid_request', 'Send a code_challenge with the method S256.')
  }
  if ((state?.length ?? 0) > maxStateChars) {
    throw new OAuthError('invalid_request', `state is longer than ${maxStateChars} characters.`)
  }
  checkResource(parameters.resource, resource)
  return {
    clientId: client.id,
    clientName: client.name,
    redirectUri,
    state,
    scopes: readScopes(parameters.scope, role),
    codeChallenge: codeChallenge ?? '',
  }
}

/**
 * RFC 8707: tokens are for one resource, and a client that asks for another gets none. A client
 * that names no resource means this one. A query such as `?workflows=1` belongs to the request,
 * not to the resource.
 */
export function checkResource(given: string | undefined, resource: string) {
  if (given === undefined) return
  const url = URL.parse(given)
  if (url && `${url.origin}${url.pathname.replace(/\/$/, '')}` === resource && url.hash === '')
    return
  throw new OAuthError('invalid_target', `Tokens are issued for ${resource} only.`)
}

/**
 * Unknown scopes are left out, and so are those that the person does not have. A request without
 * scopes asks for all of the usual ones, and the person chooses.
 */
function readScopes(given: string | undefined, role: Role): Scope[] {
  const words = (given ?? '').split(' ').filter((word) => word !== '')
  const known = words.length === 0 ? [...usualScopes] : namedScopes.filter((s) => words.includes(s))
  if (known.length === 0) throw new OAuthError('invalid_scope', 'None of these scopes exists.')
  const asked = scopesOf(role).filter((scope) => (known as Scope[]).includes(scope))
  if (asked.length > 0) return asked
  throw new OAuthError('access_denied', 'Your role does not allow what this app asks for.')
}

/** The scopes that the person left checked, and never more than were asked for. */
export const chosenScopes = (request: AuthorizationRequest, checked: readonly string[]): Scope[] =>
  request.scopes.filter((scope) => checked.includes(scope))

type Answered = Pick<AuthorizationRequest, 'redirectUri' | 'state'>

/** The address of an answer; `iss` says which server answered (RFC 9207). */
export const answerAddress = (
  { redirectUri, state }: Answered,
  answer: { code: string } | { error: OAuthErrorCode; error_description: string },
  issuer: string,
): string =>
  withParameters(redirectUri, { ...answer, ...(state === null ? {} : { state }), iss: issuer })
