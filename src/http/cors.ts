import type { FastifyReply, FastifyRequest } from 'fastify'

const exposed =
  'Location, Retry-After, ETag, X-Request-Id, Idempotent-Replayed, RateLimit, RateLimit-Policy, WWW-Authenticate, X-Should-Retry, Request-Id, X-Atelier-Notes, X-RateLimit-Limit-Requests, X-RateLimit-Remaining-Requests, X-RateLimit-Reset-Requests, Anthropic-RateLimit-Requests-Limit, Anthropic-RateLimit-Requests-Remaining, Anthropic-RateLimit-Requests-Reset'

/**
 * MCP clients name their protocol version when they look for metadata. The headers of the last
 * six lines are those that the JavaScript clients of OpenAI, Anthropic and Google add.
 */
const acceptedHeaders = [
  'Authorization, Content-Type, Idempotency-Key, If-Match, If-None-Match, X-Request-Id',
  'X-Atelier-Tag',
  'Mcp-Protocol-Version',
  'OpenAI-Organization, OpenAI-Project',
  'X-Api-Key, Anthropic-Version, Anthropic-Beta, Anthropic-Dangerous-Direct-Browser-Access',
  'X-Stainless-Arch, X-Stainless-Helper-Method, X-Stainless-Lang, X-Stainless-OS',
  'X-Stainless-Package-Version, X-Stainless-Retry-Count, X-Stainless-Runtime',
  'X-Stainless-Runtime-Version, X-Stainless-Timeout',
  'X-Goog-Api-Key, X-Goog-Api-Client',
].join(', ')

/**
 * Public paths are open to every origin, all others to the configured ones. Cookies are never
 * accepted across origins. Returns whether the origin may read the response.
 */
export function setCorsHeaders(
  request: FastifyRequest,
  reply: FastifyReply,
  rules: { isPublic: boolean; allowedOrigins: ReadonlySet<string> },
): boolean {
  const origin = request.headers.origin
  if (origin === undefined) return false
  if (!rules.isPublic) {
    reply.header('Vary', 'Origin')
    if (!rules.allowedOrigins.has(origin)) return false
  }
  reply.header('Access-Control-Allow-Origin', rules.isPublic ? '*' : origin)
  reply.header('Access-Control-Expose-Headers', exposed)
  return true
}

export function answerPreflight(reply: FastifyReply, allow: string) {
  return reply
    .code(204)
    .header('Access-Control-Allow-Methods', allow)
    .header('Access-Control-Allow-Headers', acceptedHeaders)
    .header('Access-Control-Max-Age', '600')
    .send()
}
