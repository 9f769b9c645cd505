// A paid call whose answer comes in pieces (paid-call.ts settles it). Never passes off a broken-off
// answer as complete, and never leaves an attempt unsettled, whoever ends it.
import type { PaidEvent, SpeechPiece, TranscriptPiece } from '#core/audio.ts'
import type { PricedUnits } from '#core/pricing.ts'
import type { UsedPiece } from '#providers/provider.ts'
import { countBreak } from './circuit-breaker.ts'
import { openPaidCall, type PaidCall, type PaidCallDeps } from './paid-call.ts'
import { asProviderError, toFailure } from './provider-failure.ts'
import { nextPiece, type TimeLimit } from './time-limit.ts'

/** An accepted call. Its pieces end without an error only if the provider itself ended them. */
type Opened<Piece> = {
  mimeType?: string
  pieces: AsyncGenerator<Piece | UsedPiece, void, undefined>
}

type Begin = { type: 'begin'; id: string; modelId: string; mimeType: string | undefined }

type Options = {
  limit: TimeLimit
  /** Known before the call if it depends only on what is sent. */
  used?: PricedUnits | undefined
}

export async function* streamPaidCall<Piece extends SpeechPiece | TranscriptPiece>(
  deps: PaidCallDeps,
  call: PaidCall<Opened<Piece>>,
  { limit, used: known }: Options,
): AsyncGenerator<Begin | Piece | PaidEvent, void, undefined> {
  const { id, entry, answer, succeeded, lost } = await openPaidCall(deps, call)
  const { mimeType, pieces } = answer
  let used = known ?? null
  let isSettled = false
  try {
    yield { type: 'begin', id, modelId: call.entry.model.id, mimeType }
    for (;;) {
      const { done, value } = await nextPiece(pieces, limit, deps.clock)
      if (done) break
      if (value.type === 'used') used = known ?? value.units
      else yield value
    }
    isSettled = true
    yield { type: 'paid', ...(await succeeded(used)) }
  } catch (thrown) {
    if (isSettled) throw thrown
    isSettled = true
    const error = asProviderError(thrown)
    await lost()
    countBreak(deps.breaker, entry, error)
    throw toFailure(error)
  } finally {
    if (!isSettled) {
      await pieces.return()
      await lost()
    }
  }
}
