import { type CallToolResult, ProtocolError, ProtocolErrorCode } from '@modelcontextprotocol/server'
import type { Failure } from '#core/errors.ts'
import type { RouteAnswer } from './route-call.ts'

/** The body of the HTTP response, as structured data and as text. */
export const toResult = ({ status, body }: RouteAnswer): CallToolResult => ({
  content: [{ type: 'text', text: body }],
  structuredContent: JSON.parse(body) as Record<string, unknown>,
  isError: status >= 400,
})

/** The same for a call that was refused before any request was made. */
export function toRefusal({ status, code, message, retryable, details }: Failure): CallToolResult {
  const body = JSON.stringify({ success: false, error: { code, message, retryable, details } })
  return toResult({ status, headers: {}, body })
}

/** The data of a response, for methods that have no result of their own for a refusal. */
export function dataOf<T>({ status, body }: RouteAnswer): T {
  const { data, error } = JSON.parse(body) as { data: T; error?: { message: string } }
  if (status < 400) return data
  throw new ProtocolError(
    ProtocolErrorCode.InternalError,
    error?.message ?? 'Not available.',
    error,
  )
}
