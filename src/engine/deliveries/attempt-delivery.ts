import type { Readable } from 'node:stream'
import { readRetryAfterMs } from '#core/retry-after.ts'
import type { Gateway, GatewayResponse } from '#outbound/gateway.ts'
import { OutboundFailed, OutboundRefused } from '#outbound/outbound-errors.ts'
import type { Outcome } from './next-state.ts'

const timeoutMs = 15_000
// Enough for any reasonable answer. Beyond what is kept, it is read only so that the connection can
// be reused.
const maxAnswerBytes = 16 * 1024
const keptBytes = 1024

/** One POST. Whatever the receiver does is an outcome and not an error. */
export async function attemptDelivery(
  gateway: Pick<Gateway, 'request'>,
  message: { url: string; headers: Record<string, string>; body: string; nowMs: number },
  signal: AbortSignal,
): Promise<Outcome> {
  try {
    const answer = await gateway.request(message.url, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        'accept-encoding': 'identity',
        ...message.headers,
      },
      body: message.body,
      timeoutMs,
      // `readBeginning` limits how much of the body is read.
      maxBytes: Number.MAX_SAFE_INTEGER,
      statusCounts: true,
      signal,
    })
    return outcomeOf(answer, await readBeginning(answer.body), message.nowMs)
  } catch (error) {
    signal.throwIfAborted()
    if (!(error instanceof OutboundFailed || error instanceof OutboundRefused)) throw error
    return { statusCode: null, error: error.message, body: null, retryAfterMs: 0 }
  }
}

/** Kept for people who investigate a failed delivery. */
async function readBeginning(body: Readable): Promise<string | null> {
  const chunks: Buffer[] = []
  let seen = 0
  try {
    for await (const chunk of body) {
      if (seen < keptBytes) chunks.push(chunk.subarray(0, keptBytes - seen))
      seen += chunk.length
      if (seen > maxAnswerBytes) break
    }
  } catch {
    // The status has already arrived; how the body ends changes nothing.
  }
  if (seen === 0) return null
  // Decoded as a stream, which drops a character that was cut. PostgreSQL cannot store NUL.
  return new TextDecoder().decode(Buffer.concat(chunks), { stream: true }).replaceAll('\0', ' ')
}

function outcomeOf(
  { status, headers }: GatewayResponse,
  body: string | null,
  nowMs: number,
): Outcome {
  const mayAskForTime = status === 429 || status === 503
  return {
    statusCode: status,
    error: sentenceFor(status),
    body,
    retryAfterMs: mayAskForTime ? (readRetryAfterMs(headers, nowMs) ?? 0) : 0,
  }
}

function sentenceFor(status: number): string | null {
  if (status >= 200 && status < 300) return null
  if (status >= 300 && status < 400)
    return `The receiver answered ${status}; redirects are not followed.`
  if (status === 410) return 'The receiver answered 410: it wants no more deliveries.'
  return `The receiver answered ${status}.`
}
