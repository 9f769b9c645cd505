// One text completion, whole or piece by piece, with functions the model may ask for. Keeps the
// rules of every attempt: recorded before the call, settled after it, another model only while
// no provider has accepted. Never lets an answer that broke off pass for a whole one.
import { uuidV7 } from '#core/ids.ts'
import { priceOf } from '#core/pricing.ts'
import type { StopSignal } from '#core/stop.ts'
import type { StreamCall, StreamEvent, StreamText } from '#core/text-stream.ts'
import type { CatalogueEntry } from '#providers/catalogue.ts'
import {
  type CallOptions,
  type Message,
  type Provider,
  ProviderError,
  type TextDelta,
  type TextRequest,
  type Usage,
} from '#providers/provider.ts'
import { boundsOf, type CallBounds, clampUsage } from './call-bounds.ts'
import {
  candidates,
  charactersPerToken,
  expectedOutputTokens,
  inputTokensOf,
  open as openAttempt,
  readMessages,
  settler,
  type TextGeneratorParts,
} from './generate-text.ts'
import { asProviderError, mayFallBack, toFailure } from './provider-failure.ts'
import { hasSpendLimit } from './spend-limit.ts'
import { createTimeLimits, expire, type TimeLimit } from './time-limit.ts'

/** Between two pieces; before the first a model may think as long as the call may take. */
const idleMs = 60_000

export function createTextStreamer(parts: TextGeneratorParts): StreamText {
  const limits = createTimeLimits(parts.timeoutMs)
  return async function* (call, { signal: caller, delivery }) {
    const limit = limits.open(caller)
    try {
      const entries = candidates(parts.catalogue, call.modelId)
      const messages = await readConversation(call, parts, limit.signal)
      const begun = await firstAccepted({ parts, call, messages, delivery, limit }, entries)
      yield* eventsOf(begun)
    } catch (error) {
      throw error instanceof ProviderError ? toFailure(error) : error
    } finally {
      limits.close(limit)
    }
  }
}

type Work = {
  parts: TextGeneratorParts
  call: StreamCall
  messages: Message[]
  delivery: 'pieces' | 'whole'
  limit: TimeLimit
}

type Begun = Work & {
  id: string
  createdAtMs: number
  entry: CatalogueEntry
  inputTokens: number
  bounds: CallBounds
  /** What was held back for it; null where the price is not known. */
  neededMicros: number | null
  deltas: AsyncIterator<TextDelta>
  settle: ReturnType<typeof settler>
}

async function firstAccepted(work: Work, entries: CatalogueEntry[]): Promise<Begun> {
  let refused: ProviderError | undefined
  for (const entry of entries) {
    try {
      return await begin(work, entry)
    } catch (error) {
      if (!(error instanceof ProviderError) || !mayFallBack(error)) throw error
      refused = error
    }
  }
  throw refused
}

/** Done once the provider has accepted the call. */
async function begin(work: Work, entry: CatalogueEntry): Promise<Begun> {
  const { parts, call, messages, delivery, limit } = work
  const provider = parts.providers.get(entry.provider)
  const createdAtMs = parts.clock.nowMs()
  const id = uuidV7(createdAtMs)
  const inputTokens = tokensOf(call, messages)
  const outputTokens = call.maxTokens ?? expectedOutputTokens
  const isLimited = hasSpendLimit(call.principal)
  const bounds = boundsOf(call, messages, { model: entry.model, isLimited })
  const needed = isLimited ? bounds.most : { inputTokens, outputTokens }
  const neededMicros = priceOf(entry.model.pricing, needed)
  const settle = settler(parts, id)
  return parts.breaker.guard(entry, async () => {
    const opened = openAttempt(parts, call, entry, { id, createdAtMs, neededMicros })
    if (opened) await opened
    const { maxTokens } = bounds
    const request = requestOf({ ...call, maxTokens }, entry.providerModel, messages)
    try {
      const answer = deltasOf(provider, request, { signal: limit.signal, delivery })
      const deltas = answer[Symbol.asyncIterator]()
      const first = await deltas.next()
      if (first.done || first.value.type !== 'open') throw new Error('a stream without a beginning')
      const begun = { ...work, id, createdAtMs, entry, inputTokens, bounds, neededMicros }
      return { ...begun, deltas, settle }
    } catch (thrown) {
      const error = asProviderError(thrown)
      if (error.outcome === 'unknown') await settle('UNKNOWN', {}, neededMicros)
      else await settle('REJECTED', {}, 0)
      throw error
    }
  })
}

function deltasOf(
  provider: Provider | undefined,
  request: TextRequest,
  { signal, delivery }: CallOptions & { delivery: 'pieces' | 'whole' },
): AsyncIterable<TextDelta> {
  if (delivery === 'pieces' && provider?.streamText) return provider.streamText(request, { signal })
  return wholeAnswer(provider, request, { signal })
}

async function* wholeAnswer(
  provider: Provider | undefined,
  request: TextRequest,
  options: CallOptions,
): AsyncGenerator<TextDelta> {
  if (!provider?.generateText) {
    const message = 'this model makes no text'
    throw new ProviderError('not_found', { outcome: 'not_sent', message })
  }
  const result = await provider.generateText(request, options)
  yield { type: 'open', requestId: result.requestId }
  if (result.text !== '') yield { type: 'text', text: result.text }
  for (const [index, { arguments: text, ...call }] of (result.toolCalls ?? []).entries()) {
    yield { type: 'tool_call', index, ...call }
    yield { type: 'tool_arguments', index, text }
  }
  if (result.usage) yield { type: 'usage', usage: result.usage }
  yield { type: 'end', finish: result.finish }
}

async function* eventsOf(begun: Begun): AsyncGenerator<StreamEvent, void, undefined> {
  const { id, createdAtMs, entry, limit, deltas } = begun
  const seen: Seen = { characters: 0, bytes: 0, usage: null }
  let isSettled = false
  try {
    yield { type: 'begin', id, modelId: entry.model.id, createdAtMs }
    for (;;) {
      const { done, value } = await nextOf(deltas, limit, seen.characters > 0)
      if (done) throw new Error('a stream without an end')
      if (value.type === 'usage') seen.usage = value.usage
      else if (value.type === 'end') {
        isSettled = true
        const { usage, costMicros } = await succeed(begun, seen)
        yield { type: 'end', finish: value.finish, usage, costMicros }
        return
      } else if (value.type !== 'open') {
        const text = 'text' in value ? value.text : value.name
        seen.characters += text.length
        seen.bytes += Buffer.byteLength(text)
        yield value
      }
    }
  } catch (thrown) {
    const error = asProviderError(thrown)
    if (!isSettled) {
      isSettled = true
      await giveUp(begun, seen, error.kind === 'canceled' ? 'left' : 'broken')
      // The provider had accepted, which spoke for it; this speaks against it.
      await begun.parts.breaker.guard(entry, () => Promise.reject(error)).catch(() => {})
    }
    throw error
  } finally {
    if (!isSettled) {
      await deltas.return?.()
      await giveUp(begun, seen, 'left')
    }
  }
}

type Seen = { characters: number; bytes: number; usage: Usage | null }

const estimated = ({ inputTokens }: Begun, { characters }: Seen): Usage => ({
  inputTokens,
  outputTokens: Math.ceil(characters / charactersPerToken),
})

/** A provider that counts nothing leaves the cost unknown; the tokens are then our estimate. */
async function succeed(begun: Begun, seen: Seen) {
  const counted = seen.usage && clampUsage(seen.usage, begun.bounds, seen.bytes)
  const usage = counted?.usage ?? estimated(begun, seen)
  const costMicros = counted ? priceOf(begun.entry.model.pricing, counted.usage) : null
  const { inputTokens, outputTokens } = usage
  await begun.settle('SUCCEEDED', { inputTokens, outputTokens }, costMicros, counted?.remark)
  return { usage, costMicros }
}

/**
 * It was accepted and may be billed. A provider whose reader leaves stops working, so what came
 * is what is counted; of a stream that broke, nobody knows how far the provider went.
 */
async function giveUp(begun: Begun, seen: Seen, how: 'left' | 'broken') {
  const guess = estimated(begun, seen)
  const counted = seen.usage && clampUsage(seen.usage, begun.bounds, seen.bytes)
  const inputTokens = counted?.usage.inputTokens ?? guess.inputTokens
  const outputTokens = Math.max(counted?.usage.outputTokens ?? 0, guess.outputTokens)
  const arrived = priceOf(begun.entry.model.pricing, { inputTokens, outputTokens })
  const { neededMicros } = begun
  const cost =
    how === 'left' || arrived === null || neededMicros === null
      ? arrived
      : Math.max(arrived, neededMicros)
  await begun.settle('UNKNOWN', { inputTokens, outputTokens }, cost, counted?.remark)
}

function requestOf(call: StreamCall, model: string, messages: Message[]): TextRequest {
  const { systemPrompt, temperature, maxTokens, responseFormat } = call
  const { tools, toolChoice, parallelToolCalls, stop, topP } = call
  const spoken = { model, messages, systemPrompt, temperature, maxTokens, responseFormat }
  return { ...spoken, tools, toolChoice, parallelToolCalls, stop, topP }
}

/** Pictures are fetched; what functions were asked for and what they gave stays as it is. */
async function readConversation(
  call: StreamCall,
  parts: TextGeneratorParts,
  signal: StopSignal,
): Promise<Message[]> {
  const { messages } = call
  const spoken = messages.filter((message) => message.role !== 'tool')
  const read = await readMessages({ ...call, messages: spoken }, parts, signal)
  let next = 0
  return messages.map((message): Message => {
    if (message.role === 'tool') return message
    const { role, content } = read[next++] ?? { role: message.role, content: '' }
    return 'toolCalls' in message
      ? { role, content, toolCalls: message.toolCalls }
      : { role, content }
  })
}

function tokensOf(call: StreamCall, messages: Message[]): number {
  let characters = call.tools ? JSON.stringify(call.tools).length : 0
  const spoken = messages.filter((message) => message.role !== 'tool')
  for (const message of messages) {
    if (message.role === 'tool') characters += message.content.length
    else
      for (const { name, arguments: text } of message.toolCalls ?? [])
        characters += name.length + text.length
  }
  return inputTokensOf(call, spoken) + Math.ceil(characters / charactersPerToken)
}

/** Ends the call where the next piece is too long in coming, once pieces have begun to come. */
async function nextOf(deltas: AsyncIterator<TextDelta>, limit: TimeLimit, hasBegun: boolean) {
  if (!hasBegun) return deltas.next()
  const idle = setTimeout(expire, idleMs, limit)
  try {
    return await deltas.next()
  } finally {
    clearTimeout(idle)
  }
}
