// A request of a node to another system, through the gateway.
import { readRetryAfterMs } from '#core/retry-after.ts'
import type { HttpAnswer, HttpCall } from '#graph/node/outside-calls.ts'
import { OutboundFailed } from '#outbound/outbound-errors.ts'
import type { OutsideCall } from './make-call.ts'
import type { NodeScope } from './node-scope.ts'
import type { RunWork } from './run-deps.ts'
import { untilRoom } from './run-memory.ts'

const maxResponseBytes = 5 * 1024 * 1024
const busyStatuses = new Set([429, 502, 503, 504])

/** Who asks for a longer pause is not asked again before it is over: that answer counts. */
const longestPauseMs = 60_000

/** Thrown so that a busy answer is retried; the last answer counts, busy or not. */
class Busy extends Error {
  readonly pauseMs: number
  constructor(status: number, pauseMs: number) {
    super(`the address answered ${status}`)
    this.pauseMs = pauseMs
  }
}

export function httpCall({ deps, work, halt }: NodeScope, call: HttpCall): OutsideCall<HttpAnswer> {
  const isSafe = call.method === 'GET' || call.method === 'HEAD'
  return {
    kind: 'HTTP',
    request: { kind: 'HTTP', call },
    isSafe,
    ifLost: call.mayBeLost && { status: 0, headers: {}, body: '' },
    neededMicros: null,
    async perform(step) {
      const { account_id: accountId } = work.row
      const credential =
        call.credential === undefined
          ? null
          : await deps.useCredential({ accountId, name: call.credential, url: call.url })
      halt.throwIfEnding()
      const { status, headers, body } = await deps.gateway.request(call.url, {
        method: call.method as 'GET',
        headers: { ...call.headers, ...credential?.headers },
        ...(call.body === undefined ? {} : { body: call.body }),
        timeoutMs: call.timeoutMs,
        maxBytes: maxResponseBytes,
        signal: work.halt.signal(),
      })
      const answer = { status, headers: { ...headers }, body: await readText(work, body) }
      const value = credential?.hide(answer) ?? answer
      if (isSafe && busyStatuses.has(status) && step.attempts < 3) {
        const pauseMs = readRetryAfterMs(headers, deps.clock.nowMs()) ?? 0
        if (pauseMs <= longestPauseMs) throw new Busy(status, pauseMs)
      }
      return { value, costMicros: null, isReusable: status >= 200 && status < 300 }
    },
    repeatAfterMs(error) {
      if (error instanceof Busy) return error.pauseMs
      if (!(error instanceof OutboundFailed)) return null
      const isLasting = ['too_large', 'protocol', 'tls', 'aborted'].includes(error.kind)
      return isLasting || (error.sent && !isSafe) ? null : 0
    },
  }
}

/** Counts the memory while the body arrives, because hundreds of requests may be in flight. */
async function readText({ held }: RunWork, body: AsyncIterable<Uint8Array>): Promise<string> {
  const chunks: Uint8Array[] = []
  let bytes = 0
  try {
    for await (const chunk of body) {
      held.add(chunk.length)
      bytes += chunk.length
      chunks.push(chunk)
      await untilRoom(held)
    }
    return Buffer.concat(chunks).toString()
  } finally {
    held.remove(bytes)
  }
}
