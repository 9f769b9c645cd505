// Headers that all operations share, described once and then referred to.

const tag = '(?:W/)?"[\\x21\\x23-\\x7e]*"'

export const requestIdPattern = '^[A-Za-z0-9_-]{1,64}$'

export const commonParameters = {
  RequestId: {
    name: 'X-Request-Id',
    in: 'header',
    required: false,
    schema: { type: 'string' },
    description:
      'Your own identifier of the request, returned with the answer. Up to 64 letters, digits, _ and -; anything else is ignored.',
  },
  IfNoneMatch: {
    name: 'If-None-Match',
    in: 'header',
    required: false,
    schema: { type: 'string', pattern: `^(?:\\*|${tag}(?:\\s*,\\s*${tag})*)$` },
    description: 'ETags of answers you have. If one still matches, the answer is 304.',
  },
}

export const commonHeaders = {
  RequestId: {
    schema: { type: 'string', pattern: requestIdPattern },
    description: 'Identifies the request in the log of the server.',
  },
  ETag: {
    schema: { type: 'string' },
    description: 'Identifies this state of the answer, for If-None-Match.',
  },
  RetryAfter: {
    schema: { type: 'integer', minimum: 0 },
    description: 'Seconds to wait before the next attempt.',
  },
  RateLimit: {
    schema: { type: 'string' },
    description: 'What is left, if a limit applies: `"default";r=59;t=60`.',
  },
  RateLimitPolicy: {
    schema: { type: 'string' },
    description: 'The limits that apply: `"default";q=60;w=60` are 60 requests in 60 seconds.',
  },
  WwwAuthenticate: {
    schema: { type: 'string' },
    description: 'The scheme to authenticate with, and what is wrong with the credential.',
  },
}

type HeaderName = keyof typeof commonHeaders

const header = (name: HeaderName) => ({ $ref: `#/components/headers/${name}` })
export const parameter = (name: keyof typeof commonParameters) => ({
  $ref: `#/components/parameters/${name}`,
})

/** The headers of an answer, besides those of the operation itself. */
export function headersOf(
  status: number,
  { isLimited, hasTag }: { isLimited: boolean; hasTag: boolean },
): Record<string, object> {
  return {
    'X-Request-Id': header('RequestId'),
    ...(isLimited && status < 500
      ? { RateLimit: header('RateLimit'), 'RateLimit-Policy': header('RateLimitPolicy') }
      : {}),
    ...(hasTag && (status === 200 || status === 304) ? { ETag: header('ETag') } : {}),
    ...(status === 429 || status === 503 ? { 'Retry-After': header('RetryAfter') } : {}),
    ...(status === 401 ? { 'WWW-Authenticate': header('WwwAuthenticate') } : {}),
  }
}
