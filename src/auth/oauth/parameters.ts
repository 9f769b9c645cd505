import { OAuthError } from './oauth-error.ts'

/** Parameters of a request to an OAuth endpoint, each at most once. */
export type Parameters = Readonly<Record<string, string | undefined>>

/** RFC 6749 section 3.1: an empty parameter counts as absent, a repeated one is an error. */
export function readParameters(given: URLSearchParams): Parameters {
  const parameters: Record<string, string> = Object.create(null)
  for (const [name, value] of given) {
    if (value === '') continue
    if (name in parameters) throw new OAuthError('invalid_request', `${name} is given twice.`)
    parameters[name] = value
  }
  return parameters
}

export function requireParameter(parameters: Parameters, name: string): string {
  const value = parameters[name]
  if (value === undefined) throw new OAuthError('invalid_request', `${name} is missing.`)
  return value
}
