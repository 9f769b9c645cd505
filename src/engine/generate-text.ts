// One text completion: picks the adapter, falls back only when a call was surely not accepted,
// and records every attempt before it is made and after it ends. Never repeats a call that may
// have been billed.
import { readContent } from '#core/chat-content.ts'
import type { Clock } from '#core/clock.ts'
import { Failure } from '#core/errors.ts'
import type { GeneratedText, GenerateText, TextCall } from '#core/generation.ts'
import { uuidV7 } from '#core/ids.ts'
import { priceOf } from '#core/pricing.ts'
import type { Catalogue, CatalogueEntry } from '#providers/catalogue.ts'
import {
  type MediaInput,
  type Provider,
  ProviderError,
  type TextMessage,
  type TextRequest,
  type Usage,
} from '#providers/provider.ts'
import type { AttemptLedger } from './attempt-ledger.ts'
import type { CircuitBreaker } from './circuit-breaker.ts'
import { mayFallBack, toFailure } from './provider-failure.ts'

export type TextGeneratorParts = {
  catalogue: Catalogue
  providers: ReadonlyMap<string, Provider>
  ledger: AttemptLedger
  breaker: CircuitBreaker
  clock: Clock
  loadImage(url: string, signal: AbortSignal): Promise<MediaInput>
  timeoutMs: number
}

export function createTextGenerator(parts: TextGeneratorParts): GenerateText {
  return async (call, { signal: caller }) => {
    const entries = candidates(parts.catalogue, call.modelId)
    const deadline = new AbortController()
    const expire = () =>
      deadline.abort(
        new ProviderError('timeout', {
          outcome: 'unknown',
          message: 'the provider did not answer in time',
        }),
      )
    const leave = () => deadline.abort(caller.reason)
    const timer = setTimeout(expire, parts.timeoutMs)
    caller.addEventListener('abort', leave, { once: true })
    try {
      const messages = await Promise.all(
        call.messages.map((message) => toMessage(message, parts, deadline.signal)),
      )
      return await firstAccepted(parts, call, entries, messages, deadline.signal)
    } catch (error) {
      if (error instanceof ProviderError) throw toFailure(error)
      throw error
    } finally {
      clearTimeout(timer)
      caller.removeEventListener('abort', leave)
    }
  }
}

function candidates(catalogue: Catalogue, modelId: string): CatalogueEntry[] {
  const first = catalogue.find(modelId)
  if (!first) throw new Failure('MODEL_NOT_FOUND')
  const others = first.fallbacks
    .map((id) => catalogue.find(id))
    .filter((entry) => entry !== undefined)
  return [first, ...others]
}

async function firstAccepted(
  parts: TextGeneratorParts,
  call: TextCall,
  entries: CatalogueEntry[],
  messages: TextMessage[],
  signal: AbortSignal,
): Promise<GeneratedText> {
  let refused: ProviderError | undefined
  for (const entry of entries) {
    try {
      return await attempt(parts, call, entry, messages, signal)
    } catch (error) {
      if (!(error instanceof ProviderError) || !mayFallBack(error)) throw error
      refused = error
    }
  }
  throw refused
}

async function attempt(
  parts: TextGeneratorParts,
  call: TextCall,
  entry: CatalogueEntry,
  messages: TextMessage[],
  signal: AbortSignal,
): Promise<GeneratedText> {
  const { ledger, breaker, clock } = parts
  const provider = parts.providers.get(entry.provider)
  if (!provider?.generateText) throw new Failure('MODEL_KIND_MISMATCH')
  breaker.enter(entry.provider)
  const createdAtMs = clock.nowMs()
  const id = uuidV7(createdAtMs)
  const pricing = entry.model.pricing
  const neededMicros = priceOf(pricing, expectedUsage(messages, call.maxTokens))
  await ledger.open(
    {
      attempt: id,
      accountId: call.principal.accountId,
      keyId: call.principal.keyId,
      taskId: null,
      runId: null,
      nodeId: null,
      operation: 'chat',
      provider: entry.provider,
      model: entry.model.id,
      unitPrice: pricing ? JSON.stringify(pricing) : null,
      reservedMicros: neededMicros ?? 0,
      createdAtMs,
    },
    { spender: call.principal, neededMicros },
  )
  try {
    const result = await provider.generateText(textRequest(call, entry.providerModel, messages), {
      signal,
    })
    breaker.succeeded(entry.provider)
    // A provider that counts nothing leaves the cost unknown; the tokens are then our estimate.
    const costMicros = result.usage ? priceOf(pricing, result.usage) : null
    const usage = result.usage ?? estimatedUsage(messages, result.text)
    const { inputTokens, outputTokens } = usage
    await ledger.settle({
      attempt: id,
      outcome: 'SUCCEEDED',
      units: { inputTokens, outputTokens },
      costMicros,
    })
    return {
      id,
      modelId: entry.model.id,
      text: result.text,
      finish: result.finish,
      usage,
      costMicros,
      createdAtMs,
    }
  } catch (thrown) {
    const error = asProviderError(thrown, signal)
    breaker.failed(entry.provider, error)
    await ledger.settle({
      attempt: id,
      outcome: error.outcome === 'unknown' ? 'UNKNOWN' : 'REJECTED',
      units: {},
      // It may have been billed: it counts as spent until someone knows better.
      costMicros: error.outcome === 'unknown' ? neededMicros : 0,
    })
    throw error
  }
}

/** Our own deadline aborts the call: what the adapter makes of it is still a time-out. */
function asProviderError(thrown: unknown, signal: AbortSignal): ProviderError {
  if (signal.reason instanceof ProviderError) return signal.reason
  if (thrown instanceof ProviderError) return thrown
  return new ProviderError('protocol', {
    outcome: 'unknown',
    message: 'the adapter failed',
    cause: thrown,
  })
}

function textRequest(call: TextCall, model: string, messages: TextMessage[]): TextRequest {
  const { systemPrompt, temperature, maxTokens, responseFormat } = call
  return { model, messages, systemPrompt, temperature, maxTokens, responseFormat }
}

const charactersPerToken = 4
const expectedOutputTokens = 1024

/** Rough on purpose: it only holds money back until the real usage is known. */
const expectedUsage = (messages: TextMessage[], maxTokens: number | undefined): Usage => ({
  inputTokens: inputTokensOf(messages),
  outputTokens: maxTokens ?? expectedOutputTokens,
})

const estimatedUsage = (messages: TextMessage[], text: string): Usage => ({
  inputTokens: inputTokensOf(messages),
  outputTokens: Math.ceil(text.length / charactersPerToken),
})

function inputTokensOf(messages: TextMessage[]): number {
  let characters = 0
  for (const { content } of messages) {
    if (typeof content === 'string') characters += content.length
    else for (const part of content) characters += part.type === 'text' ? part.text.length : 4000
  }
  return Math.ceil(characters / charactersPerToken)
}

async function toMessage(
  { role, content }: TextCall['messages'][number],
  { loadImage }: TextGeneratorParts,
  signal: AbortSignal,
): Promise<TextMessage> {
  const read = readContent(content)
  if (typeof read === 'string') return { role, content: read }
  const parts = await Promise.all(
    read.map(async (part) =>
      part.type === 'text'
        ? part
        : ({ type: 'image', media: await loadImage(part.url, signal) } as const),
    ),
  )
  return { role, content: parts }
}
