// A text call whose answer comes whole. first-accepted.ts handles fallbacks and routes,
// text-attempt.ts each attempt and its cost.
import { flexMs } from '#core/economy.ts'
import type { AnswerEnd, GeneratedText, GenerateText, TextCall } from '#core/generation.ts'
import { ProviderError, type TextResult } from '#providers/provider.ts'
import { type HeldMessages, holdMessages } from './chat-pictures.ts'
import { type AcceptedCall, firstAccepted } from './first-accepted.ts'
import { mayMove, moveReasonOf } from './move-rule.ts'
import { failedAfterPaying } from './paid-before.ts'
import { toFailure } from './provider-failure.ts'
import type { OpenedKey, ProviderKeys } from './provider-keys.ts'
import { hasSpendLimit } from './spend-limit.ts'
import { conclude } from './text-answer.ts'
import type { Asking, Seen, TextCallDeps, TextOrder } from './text-attempt.ts'
import { candidates } from './text-models.ts'
import { isText } from './text-request.ts'
import { createTimeLimits } from './time-limit.ts'

export type TextGeneratorDeps = TextCallDeps & { providerKeys: Pick<ProviderKeys, 'use'> }

export function createTextGenerator(deps: TextGeneratorDeps): GenerateText {
  const usual = createTimeLimits(deps, deps.clock)
  const slow = createTimeLimits({ timeoutMs: flexMs, totalMs: flexMs }, deps.clock)

  async function generate(
    call: TextCall,
    options: Parameters<GenerateText>[1] & { key?: OpenedKey | undefined },
  ): Promise<GeneratedText> {
    const { signal: caller, waitUntil, payAgain, waiting, key } = options
    const limits = call.tier ? slow : usual
    const limit = limits.open(caller)
    let held: HeldMessages | undefined
    try {
      const offered = candidates(deps.catalogue, call)
      const holding = holdMessages(deps, call, limit)
      held = holding instanceof Promise ? await holding : holding
      const wait = hasSpendLimit(call.principal) ? limits.waitOf(limit, waitUntil?.()) : undefined
      const { messages } = held
      const own = { call, messages, signal: limit, limits, waitUntil, payAgain, waiting, key, wait }
      const order = { ...own, ...offered }
      const { attempt, answer, attempts, end } = await firstUsable(deps, order)
      return {
        id: attempt.id,
        modelId: attempt.entry.model.id,
        attempts,
        text: answer.text,
        thoughts: answer.thoughts,
        hosted: answer.hosted,
        toolCalls: answer.toolCalls,
        logprobs: answer.logprobs,
        alternatives: answer.alternatives,
        tier: call.tier && answer.tier,
        finish: end.finish,
        endCause: end.endCause,
        usage: end.usage,
        costMicros: end.costMicros,
        createdAtMs: attempt.createdAtMs,
      }
    } catch (error) {
      // With an account's key, whoever opened it looks at the provider's error first.
      throw key ? error : asFailure(error)
    } finally {
      held?.release()
      limits.close(limit)
    }
  }

  async function generateWithKey(
    name: string,
    call: TextCall,
    options: Parameters<GenerateText>[1],
  ) {
    const { entries } = candidates(deps.catalogue, call)
    const { provider } = entries[0]
    const use = { accountId: call.principal.accountId, credential: { name }, provider }
    try {
      return await deps.providerKeys.use(use, (key) => generate(call, { ...options, key }))
    } catch (error) {
      throw asFailure(error)
    }
  }

  return (call, options) =>
    call.credential === undefined
      ? generate(call, options)
      : generateWithKey(call.credential, call, options)
}

/**
 * An answer that was blocked is paid and settled, so a route may let another model answer: one that
 * was not asked yet.
 */
async function firstUsable(
  deps: TextCallDeps,
  order: TextOrder,
): Promise<AcceptedCall<TextResult> & { end: AnswerEnd }> {
  const { call, route } = order
  const made = await firstAccepted(deps, order, askForWhole)
  const { attempt, answer, attempts = [], rest = [] } = made
  try {
    const end = await conclude(deps, attempt, { call, end: answer, seen: seenIn(answer) })
    return { ...made, end }
  } catch (error) {
    if (!route) throw error
    const { model, deployment } = attempt.entry
    const outcome = moveReasonOf(error) ?? 'failed'
    const before = attempts.with(-1, { model: model.id, outcome, deployment })
    if (rest.length > 0 && mayMove(error, route, 'text'))
      return firstUsable(deps, { ...order, entries: rest, before })
    const all = { attempts: before, isOfRun: call.origin !== undefined }
    throw order.before ? failedAfterPaying(error, all) : error
  }
}

const asFailure = (error: unknown) => (error instanceof ProviderError ? toFailure(error) : error)

const askForWhole: Asking<TextResult> = ({ generateText }) => generateText

export function seenIn({ text, thoughts, toolCalls, alternatives, usage }: TextResult): Seen {
  let characters = text.length
  let bytes = Buffer.byteLength(text)
  for (const thought of thoughts ?? []) {
    characters += thought.text.length
    bytes += Buffer.byteLength(thought.text)
  }
  for (const other of alternatives ?? []) {
    const seen = seenIn({ ...other, usage, requestId: null })
    characters += seen.characters
    bytes += seen.bytes
  }
  if (!toolCalls) return { characters, bytes, usage, hasContent: isText(text) }
  for (const { name, arguments: written } of toolCalls) {
    characters += name.length + written.length
    bytes += Buffer.byteLength(name) + Buffer.byteLength(written)
  }
  return { characters, bytes, usage, hasContent: true }
}
