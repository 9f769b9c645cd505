// A text call answered piece by piece. first-accepted.ts handles fallbacks and routes; no
// other model is tried once a provider has accepted. Never passes off a broken-off answer as
// complete.
import type { StreamEvent, StreamText, TextCall } from '#core/generation.ts'
import type { StopSignal } from '#core/stop.ts'
import type { TextPiece } from '#core/text-stream.ts'
import { ProviderError, type TextDelta, type TextResult } from '#providers/provider.ts'
import { type HeldMessages, holdMessages } from './chat-pictures.ts'
import { countBreak } from './circuit-breaker.ts'
import { type AcceptedCall, firstAccepted } from './first-accepted.ts'
import { asProviderError, toFailure } from './provider-failure.ts'
import { hasSpendLimit } from './spend-limit.ts'
import { conclude } from './text-answer.ts'
import { type Asking, giveUp, type Seen, type TextCallDeps } from './text-attempt.ts'
import { candidates } from './text-models.ts'
import { isText } from './text-request.ts'
import { createTimeLimits, nextPiece, type TimeLimit } from './time-limit.ts'

export function createTextStreamer(deps: TextCallDeps): StreamText {
  const limits = createTimeLimits(deps, deps.clock)

  async function accept(given: Given, limit: TimeLimit): Promise<Accepted> {
    const call = given.take()
    const offered = candidates(deps.catalogue, call)
    const { messages, release } = await holdMessages(deps, call, limit)
    try {
      const wait = hasSpendLimit(call.principal) ? limits.waitOf(limit) : undefined
      const order = { call, ...offered, messages, signal: limit, limits, wait }
      const { attempt, answer, attempts } = await firstAccepted(deps, order, askForPieces)
      return { stop: call.stop, attempt, attempts, deltas: answer, release }
    } catch (error) {
      release()
      throw error
    }
  }

  async function* streamText(given: Given, caller: StopSignal) {
    const limit = limits.open(caller)
    let accepted: Accepted | undefined
    try {
      accepted = await accept(given, limit)
      yield* eventsOf(deps, accepted, limit)
    } catch (error) {
      throw error instanceof ProviderError ? toFailure(error) : error
    } finally {
      accepted?.release()
      limits.close(limit)
    }
  }

  return (call, { signal }) => streamText(givenOnce(call), signal)
}

/** A stream may take long, and must not hold its conversation once a provider has accepted it. */
type Given = { take(): TextCall }

function givenOnce(call: TextCall | null): Given {
  return {
    take() {
      const taken = call
      call = null
      if (!taken) throw new Error('a stream is read twice')
      return taken
    },
  }
}

type Deltas = AsyncIterator<TextDelta, void, undefined>

/** A provider that cannot stream answers in one piece. */
const askForPieces: Asking<Deltas> = ({ streamText, generateText }) => {
  if (streamText) {
    return async (request, options) => {
      const deltas = streamText(request, options)[Symbol.asyncIterator]()
      const first = await deltas.next()
      if (first.done || first.value.type !== 'open') throw new Error('a stream without a beginning')
      return deltas
    }
  }
  return generateText && (async (...asked) => inPieces(await generateText(...asked)))
}

async function* inPieces(result: TextResult): AsyncGenerator<TextDelta, void, undefined> {
  for (const thought of result.thoughts ?? []) yield { type: 'thought', ...thought }
  if (result.text !== '') yield { type: 'text', text: result.text }
  for (const [index, { arguments: text, ...call }] of (result.toolCalls ?? []).entries()) {
    yield { type: 'tool_call', index, ...call }
    yield { type: 'tool_arguments', index, text }
  }
  if (result.usage) yield { type: 'usage', usage: result.usage }
  const { finish, endCause, refusal, answeredBy } = result
  yield {
    ...{ type: 'end', finish },
    ...(endCause === undefined ? {} : { endCause }),
    ...(refusal === undefined ? {} : { refusal }),
    ...(answeredBy === undefined ? {} : { answeredBy }),
  }
}

/** Neither a thought nor what a search found is an answer by itself. */
function note(seen: Seen, piece: TextPiece): void {
  if (piece.type === 'hosted') return
  const text = 'text' in piece ? piece.text : piece.name
  seen.hasContent ||= piece.type !== 'thought' && (piece.type !== 'text' || isText(text))
  seen.characters += text.length
  seen.bytes += Buffer.byteLength(text)
}

const howItEnded = ({ kind, isFree }: ProviderError) => {
  if (kind === 'canceled') return 'left'
  return isFree ? 'failed' : 'broken'
}

type Accepted = Pick<TextCall, 'stop'> &
  Pick<HeldMessages, 'release'> &
  Pick<AcceptedCall<Deltas>, 'attempt' | 'attempts'> & { deltas: Deltas }

async function* eventsOf(
  deps: TextCallDeps,
  { stop, attempt, attempts, deltas }: Accepted,
  limit: TimeLimit,
): AsyncGenerator<StreamEvent, void, undefined> {
  const { id, createdAtMs, entry, inputTokens } = attempt
  const seen: Seen = { characters: 0, bytes: 0, usage: null, hasContent: false }
  let isSettled = false
  try {
    yield { type: 'begin', id, modelId: entry.model.id, createdAtMs, inputTokens, attempts }
    for (;;) {
      const { done, value } = await nextPiece(deltas, limit, deps.clock)
      if (done) throw new Error('a stream without an end')
      if (value.type === 'usage') seen.usage = value.usage
      else if (value.type === 'end') {
        isSettled = true
        const { otherFinishes } = value
        const others = otherFinishes ? { otherFinishes } : {}
        const end = await conclude(deps, attempt, { call: { stop }, end: value, seen })
        yield { type: 'end', ...end, ...others }
        return
      } else if (value.type !== 'open' && value.type !== 'working') {
        note(seen, value)
        yield value
      }
    }
  } catch (thrown) {
    if (isSettled) throw thrown
    isSettled = true
    const error = asProviderError(thrown)
    await giveUp(deps, attempt, { seen, how: howItEnded(error) })
    countBreak(deps.breaker, entry, error)
    throw error
  } finally {
    if (!isSettled) {
      await deltas.return?.()
      await giveUp(deps, attempt, { seen, how: 'left' })
    }
  }
}
