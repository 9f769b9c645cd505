import { scopes } from '#core/scopes.ts'
import { ownAlgorithm } from '../key-ring.ts'

export const oauthPaths = {
  authorize: '/oauth/authorize',
  token: '/oauth/token',
  register: '/oauth/register',
  revoke: '/oauth/revoke',
} as const

/**
 * RFC 8414. The three members with `jwks`, `subject` and `id_token` are there for clients that
 * read it as OpenID discovery, which requires them; id tokens themselves are not issued.
 */
export const serverMetadata = (baseUrl: string) => ({
  issuer: baseUrl,
  authorization_endpoint: baseUrl + oauthPaths.authorize,
  token_endpoint: baseUrl + oauthPaths.token,
  registration_endpoint: baseUrl + oauthPaths.register,
  revocation_endpoint: baseUrl + oauthPaths.revoke,
  jwks_uri: `${baseUrl}/.well-known/jwks.json`,
  scopes_supported: scopes,
  response_types_supported: ['code'],
  response_modes_supported: ['query'],
  grant_types_supported: ['authorization_code', 'refresh_token'],
  token_endpoint_auth_methods_supported: ['none'],
  revocation_endpoint_auth_methods_supported: ['none'],
  code_challenge_methods_supported: ['S256'],
  authorization_response_iss_parameter_supported: true,
  client_id_metadata_document_supported: true,
  subject_types_supported: ['public'],
  id_token_signing_alg_values_supported: [ownAlgorithm],
  service_documentation: `${baseUrl}/docs`,
})
