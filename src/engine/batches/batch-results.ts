// What a vendor says about a call in a batch, as its run and the ledger get it.
import type { Model } from '#core/catalogue.ts'
import type { BatchedEnd, NormalReason } from '#core/economy.ts'
import { Failure } from '#core/errors.ts'
import { highestPrice, priceOf, type UnitPrices } from '#core/pricing.ts'
import type { NodeError } from '#core/run-facts.ts'
import type { BatchResult, ProviderError, TextResult } from '#providers/provider.ts'
import type { EndedCall, SentCall, Settlement } from '#store/engine-store.ts'
import { clampUsage } from '../calls/call-bounds.ts'
import { seenIn } from '../calls/generate-text.ts'
import { isSafeToRepeat, outcomeUnknown, toFailure } from '../calls/provider-failure.ts'
import { judge } from '../calls/text-answer.ts'
import { charactersPerToken } from '../calls/text-request.ts'

export type Ended = Omit<EndedCall, 'held' | 'answer' | 'call'> & {
  call: SentCall
  end: BatchedEnd
}

type Bill = Omit<Settlement, 'attempt' | 'nowMs'>

const free: Bill = { outcome: 'REJECTED', units: {}, costMicros: 0 }

/** `model`: undefined if it is no longer known. */
export function endOf(
  call: SentCall,
  provider: string,
  { result, model, nowMs }: { result: BatchResult; model: Model | undefined; nowMs: number },
): Ended {
  if ('unprocessed' in result) return returned(call, { reason: 'UNPROCESSED', from: 'SENT', nowMs })
  if ('error' in result) return failed(call, result.error, nowMs)
  const { bill, end } = answered(call, result.result, { provider, model })
  return ended(call, { bill, end, nowMs })
}

const ended = (
  call: SentCall,
  { bill, end, nowMs }: { bill: Bill; end: BatchedEnd; nowMs: number },
): Ended => ({
  ...{ call, from: 'SENT', status: 'BATCHED', reason: null, end },
  settlement: { attempt: call.id, ...bill, nowMs },
})

/** It was certainly not billed, so it is made at the normal price. */
export const returned = (
  call: SentCall,
  { reason, from, nowMs }: { reason: NormalReason; from: 'QUEUED' | 'SENT'; nowMs: number },
): Ended => ({
  ...{ call, from, status: 'RETURNED', reason, end: { returned: reason } },
  settlement: { attempt: call.id, ...free, nowMs },
})

/** Nobody knows whether the vendor answered it, so it is not sent again. */
export const lost = (call: SentCall, nowMs: number): Ended =>
  ended(call, {
    bill: { outcome: 'UNKNOWN', units: {}, costMicros: neededFor(call) },
    end: { error: outcomeUnknown },
    nowMs,
  })

const pricesOf = ({ price }: SentCall): UnitPrices | null =>
  price === null ? null : (JSON.parse(price) as UnitPrices)

/** Of one that an earlier release has queued, the most is known, but not what was expected. */
const neededFor = (call: SentCall) =>
  call.needed_micros ?? (call.most && highestPrice(pricesOf(call), call.most))

function failed(call: SentCall, error: ProviderError, nowMs: number): Ended {
  if (isSafeToRepeat(error)) return returned(call, { reason: 'UNPROCESSED', from: 'SENT', nowMs })
  const isKnown = error.outcome !== 'unknown' || error.isFree
  if (!isKnown) return lost(call, nowMs)
  return ended(call, {
    bill: error.outcome === 'unknown' ? { ...free, outcome: 'FAILED' } : free,
    end: { error: nodeErrorOf(toFailure(error)) },
    nowMs,
  })
}

const nodeErrorOf = ({ code, message, retryable }: Failure): NodeError => ({
  code,
  message,
  retryable,
})

function answered(
  call: SentCall,
  result: TextResult,
  { provider, model }: { provider: string; model: Model | undefined },
): { bill: Bill; end: BatchedEnd } {
  const seen = seenIn(result)
  const counted =
    seen.usage && call.most
      ? clampUsage(seen.usage, { most: call.most }, { answerBytes: seen.bytes, model })
      : null
  const guess = {
    inputTokens: call.most?.inputTokens ?? 0,
    outputTokens: Math.ceil(seen.characters / charactersPerToken),
  }
  const known = counted && priceOf(pricesOf(call), counted.usage)
  const costMicros = known ?? call.uncounted_micros
  const bill = { units: counted?.usage ?? guess, costMicros, remark: counted?.remark }
  const judged = judge(result, provider, seen.hasContent)
  if (judged instanceof Failure)
    return { bill: { ...bill, outcome: 'FAILED' }, end: { error: nodeErrorOf(judged) } }
  const { text } = result
  const answer = judged === 'stop' ? text : { text, finish: judged }
  return { bill: { ...bill, outcome: 'SUCCEEDED' }, end: { answer, costMicros } }
}
