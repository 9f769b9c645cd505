// Whether a call may move from one model to another. One rule for chats, nodes and tasks:
//
//   surely not accepted, or ended with a known bill ─▶ it may move, for a reason that the route names
//   may have been accepted ─▶ it stays; only a text call of a route that says `mayPayTwice` moves,
//                             after a time-out, and both attempts are in the ledger
//
// A 2xx is acceptance, also of a stream that has not said a word.
import { Failure } from '#core/errors.ts'
import { defaultMoves, type MoveReason, type Route } from '#core/route.ts'
import { ProviderError } from '#providers/provider.ts'

/** Why the call could be made elsewhere; null if it could not, whatever the route says. */
export function moveReasonOf(error: unknown): MoveReason | null {
  // The answer was blocked after it had been paid for, and that is settled.
  if (error instanceof Failure) return error.code === 'CONTENT_REJECTED' ? 'content' : null
  if (!(error instanceof ProviderError)) return null
  if (error.outcome === 'unknown') return error.kind === 'timeout' ? 'timeout' : null
  switch (error.kind) {
    case 'busy':
      return 'rate_limit'
    case 'unreachable':
      return 'connect'
    case 'timeout':
      return 'timeout'
    case 'invalid':
      return error.isContextOverflow ? 'context' : null
    case 'content':
      return 'content'
    case 'auth':
    case 'not_found':
    case 'server':
    case 'protocol':
      return 'unavailable'
    case 'canceled':
      return null
    default:
      return error.kind satisfies never
  }
}

/** For the fallbacks that the operator gave a model. */
const movesWithoutRoute: readonly MoveReason[] = [...defaultMoves, 'timeout']

export function mayMove(
  error: unknown,
  route: Route | undefined,
  medium: 'text' | 'media',
): boolean {
  const reason = moveReasonOf(error)
  if (reason === null || !(route?.on ?? movesWithoutRoute).includes(reason)) return false
  const isUnknown = error instanceof ProviderError && error.outcome === 'unknown'
  return !isUnknown || (medium === 'text' && route?.mayPayTwice === true)
}
