// Judges a finished answer. A blocked, unusable or empty one is a failure of its call, never an
// empty success; it was billed all the same, and is settled like any other.
import { Failure } from '#core/errors.ts'
import type { AnswerEnd, TextCall } from '#core/generation.ts'
import type { EndCause, ProviderEnd } from '#core/text-stream.ts'
import type { TextResult } from '#providers/provider.ts'
import type { Attempt } from './new-attempt.ts'
import { type Seen, settleAnswer, type TextCallDeps } from './text-attempt.ts'

type End = ProviderEnd & Pick<TextResult, 'answeredBy' | 'tier'>

/** Settles the attempt, then throws a Failure if the answer is not usable. */
export async function conclude(
  deps: TextCallDeps,
  attempt: Attempt,
  { call, end, seen }: { call: Pick<TextCall, 'stop' | 'tier'>; end: End; seen: Seen },
): Promise<AnswerEnd> {
  // With stop sequences an answer may rightly be empty: one may match at the very beginning.
  // So may one that paused in a search.
  const mayBeEmpty = end.endCause === 'pause' || (end.finish === 'stop' && call.stop !== undefined)
  const hasContent = seen.hasContent || mayBeEmpty
  const judged = judge(end, attempt.entry.provider, hasContent)
  const isFailure = judged instanceof Failure
  const outcome = isFailure ? 'FAILED' : 'SUCCEEDED'
  const { finish, endCause, answeredBy } = end
  const tier = call.tier && end.tier
  const settling = { seen, outcome, finish, answeredBy, tier } as const
  const { usage, costMicros, settled } = settleAnswer(deps, attempt, settling)
  try {
    if (settled) await settled
  } catch (error) {
    deps.onError?.(error)
  }
  if (isFailure) throw judged
  if (endCause && isCause(endCause, call)) return { finish: judged, endCause, usage, costMicros }
  return { finish: judged, usage, costMicros }
}

/** Servers name others than the caller's as well, such as the mark that ends a turn. */
const isCause = (cause: EndCause, { stop = [] }: Pick<TextCall, 'stop'>): boolean =>
  cause === 'pause' || stop.includes(cause.stopSequence)

export function judge(
  { finish, refusal }: End,
  provider: string,
  hasContent: boolean,
): Failure | AnswerEnd['finish'] {
  const said = (otherwise: string) => `${provider}: ${lineOf(refusal) || otherwise}`
  switch (finish) {
    case 'content_filter':
      return new Failure('CONTENT_REJECTED', { message: said('the answer was blocked') })
    case 'malformed': {
      // A second call may well succeed, but would be paid for again.
      const message = said('the answer is not usable')
      return new Failure('PROVIDER_ERROR', { message, retryable: false })
    }
    case 'stop':
      return hasContent ? finish : new Failure('EMPTY_ANSWER')
    case 'length':
      return hasContent ? finish : new Failure('EMPTY_ANSWER', { message: cutBeforeAnyText })
    default:
      return finish satisfies never
  }
}

const cutBeforeAnyText =
  'The model reached its output limit before it wrote any text. Raise maxTokens: reasoning counts towards it.'

const lineOf = (words = ''): string =>
  words
    .replace(/[\p{C}\s]+/gu, ' ')
    .trim()
    .slice(0, 300)
