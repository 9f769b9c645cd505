// One text completion: picks the adapter, falls back only when a call was surely not accepted,
// and records every attempt before it is made and after it ends. Never repeats a call that may
// have been billed.
import { type RawPart, readContent } from '#core/chat-content.ts'
import type { Clock } from '#core/clock.ts'
import { Failure } from '#core/errors.ts'
import type { GeneratedText, GenerateText, TextCall } from '#core/generation.ts'
import { uuidV7 } from '#core/ids.ts'
import { priceOf } from '#core/pricing.ts'
import { abortSignalOf, type StopSignal } from '#core/stop.ts'
import type { Catalogue, CatalogueEntry } from '#providers/catalogue.ts'
import {
  type MediaInput,
  type Provider,
  ProviderError,
  type TextMessage,
  type TextRequest,
  type TextResult,
  type Usage,
} from '#providers/provider.ts'
import type { Remark, Units } from '#store/tables/ledger.ts'
import type { AttemptLedger } from './attempt-ledger.ts'
import { boundsOf, clampUsage } from './call-bounds.ts'
import type { CircuitBreaker } from './circuit-breaker.ts'
import { asProviderError, mayFallBack, toFailure } from './provider-failure.ts'
import { hasSpendLimit } from './spend-limit.ts'
import { createTimeLimits } from './time-limit.ts'

export type TextGeneratorParts = {
  catalogue: Catalogue
  providers: ReadonlyMap<string, Provider>
  ledger: Pick<AttemptLedger, 'open' | 'settle'>
  breaker: CircuitBreaker
  clock: Clock
  loadImage(url: string, signal: AbortSignal): Promise<MediaInput>
  timeoutMs: number
  onError?(error: unknown): void
}

export function createTextGenerator(parts: TextGeneratorParts): GenerateText {
  const limits = createTimeLimits(parts.timeoutMs)
  return async (call, { signal: caller }) => {
    const limit = limits.open(caller)
    try {
      const entries = candidates(parts.catalogue, call.modelId)
      const read = readMessages(call, parts, limit.signal)
      const messages = read instanceof Promise ? await read : read
      let refused: ProviderError | undefined
      for (const entry of entries) {
        try {
          return await attempt(parts, call, entry, messages, limit.signal)
        } catch (error) {
          if (!(error instanceof ProviderError) || !mayFallBack(error)) throw error
          refused = error
        }
      }
      throw refused
    } catch (error) {
      throw error instanceof ProviderError ? toFailure(error) : error
    } finally {
      limits.close(limit)
    }
  }
}

export function candidates(catalogue: Catalogue, modelId: string): CatalogueEntry[] {
  const first = catalogue.find(modelId)
  if (!first) throw new Failure('MODEL_NOT_FOUND')
  if (first.fallbacks.length === 0) return [first]
  const others = first.fallbacks
    .map((id) => catalogue.find(id))
    .filter((entry) => entry !== undefined)
  return [first, ...others]
}

async function attempt(
  parts: TextGeneratorParts,
  call: TextCall,
  entry: CatalogueEntry,
  messages: TextMessage[],
  signal: StopSignal,
): Promise<GeneratedText> {
  const { breaker, clock } = parts
  const provider = parts.providers.get(entry.provider)
  const generate = provider?.generateText
  if (!generate) throw new Failure('MODEL_KIND_MISMATCH')
  const createdAtMs = clock.nowMs()
  const id = uuidV7(createdAtMs)
  const { pricing } = entry.model
  const isLimited = hasSpendLimit(call.principal)
  const bounds = boundsOf(call, messages, { model: entry.model, isLimited })
  const needed = isLimited ? bounds.most : expectedUsage(call, messages)
  const neededMicros = priceOf(pricing, needed)
  const settle = settler(parts, id)
  const passage = breaker.enter(entry)
  let result: TextResult
  try {
    const opened = open(parts, call, entry, { id, createdAtMs, neededMicros })
    if (opened) await opened
    try {
      const { maxTokens } = bounds
      const request = textRequest({ ...call, maxTokens }, entry.providerModel, messages)
      result = await generate(request, { signal })
    } catch (thrown) {
      const error = asProviderError(thrown)
      // It may have been billed: it counts as spent until someone knows better.
      if (error.outcome === 'unknown') await settle('UNKNOWN', {}, neededMicros)
      else await settle('REJECTED', {}, 0)
      throw error
    }
  } catch (error) {
    passage.failed(error)
    throw error
  }
  passage.succeeded()
  // A provider that counts nothing leaves the cost unknown; the tokens are then our estimate.
  const counted = result.usage && clampUsage(result.usage, bounds, answerBytes(result))
  const costMicros = counted ? priceOf(pricing, counted.usage) : null
  const usage = counted?.usage ?? estimatedUsage(call, messages, result.text)
  const { inputTokens, outputTokens } = usage
  await settle('SUCCEEDED', { inputTokens, outputTokens }, costMicros, counted?.remark)
  return {
    id,
    modelId: entry.model.id,
    text: result.text,
    finish: result.finish,
    usage,
    costMicros,
    createdAtMs,
  }
}

function answerBytes({ text, toolCalls = [] }: TextResult): number {
  const asked = toolCalls.reduce((sum, call) => sum + Buffer.byteLength(call.arguments), 0)
  return Buffer.byteLength(text) + asked
}

const priceTexts = new WeakMap<object, string>()

/** Prices stay as they are while a catalogue lasts. */
function priceText(pricing: object): string {
  const known = priceTexts.get(pricing)
  if (known !== undefined) return known
  const text = JSON.stringify(pricing)
  priceTexts.set(pricing, text)
  return text
}

/** Stored before the call is made. */
export const open = (
  { ledger }: TextGeneratorParts,
  { principal, origin }: Pick<TextCall, 'principal' | 'origin'>,
  { provider, model }: CatalogueEntry,
  attempt: { id: string; createdAtMs: number; neededMicros: number | null },
) =>
  ledger.open(
    {
      attempt: attempt.id,
      accountId: principal.accountId,
      keyId: principal.keyId,
      taskId: null,
      runId: origin?.runId ?? null,
      nodeId: origin?.nodeId ?? null,
      operation: 'chat',
      provider,
      model: model.id,
      unitPrice: model.pricing && priceText(model.pricing),
      reservedMicros: attempt.neededMicros ?? 0,
      createdAtMs: attempt.createdAtMs,
    },
    { spender: principal, neededMicros: attempt.neededMicros, workerId: origin?.workerId },
  )

/**
 * A store that is away now must not change what the caller is told of a call that was made: the
 * ledger keeps how it ended and stores it later.
 */
export const settler =
  ({ ledger, onError }: TextGeneratorParts, attempt: string) =>
  (
    outcome: 'SUCCEEDED' | 'REJECTED' | 'UNKNOWN',
    units: Units,
    costMicros: number | null,
    remark?: Remark,
  ) =>
    ledger
      .settle({ attempt, outcome, units, costMicros, remark })
      ?.catch((error: unknown) => onError?.(error))

function textRequest(call: TextCall, model: string, messages: TextMessage[]): TextRequest {
  const { systemPrompt, temperature, maxTokens, responseFormat } = call
  return { model, messages, systemPrompt, temperature, maxTokens, responseFormat }
}

export const charactersPerToken = 4
export const expectedOutputTokens = 1024

/** Of a caller without a limit: what it counts for if its outcome is never known. */
const expectedUsage = (call: TextCall, messages: TextMessage[]): Usage => ({
  inputTokens: inputTokensOf(call, messages),
  outputTokens: call.maxTokens ?? expectedOutputTokens,
})

const estimatedUsage = (call: TextCall, messages: TextMessage[], text: string): Usage => ({
  inputTokens: inputTokensOf(call, messages),
  outputTokens: Math.ceil(text.length / charactersPerToken),
})

export function inputTokensOf(
  { systemPrompt }: Pick<TextCall, 'systemPrompt'>,
  messages: TextMessage[],
): number {
  let characters = systemPrompt?.length ?? 0
  for (const { content } of messages) {
    if (typeof content === 'string') characters += content.length
    else for (const part of content) characters += part.type === 'text' ? part.text.length : 4000
  }
  return Math.ceil(characters / charactersPerToken)
}

type ReadMessage = { role: TextMessage['role']; content: ReturnType<typeof readContent> }

/** Nearly every message is plain text: then there is nothing to wait for. */
export function readMessages(
  { messages }: Pick<TextCall, 'messages'>,
  { loadImage }: TextGeneratorParts,
  signal: StopSignal,
): TextMessage[] | Promise<TextMessage[]> {
  const read = messages.map(({ role, content }) => ({ role, content: readContent(content) }))
  if (read.every(isPlain)) return read
  const abort = abortSignalOf(signal)
  const load = async (part: RawPart) =>
    part.type === 'text'
      ? part
      : ({ type: 'image', media: await loadImage(part.url, abort) } as const)
  return Promise.all(
    read.map(async ({ role, content }) => ({
      role,
      content: typeof content === 'string' ? content : await Promise.all(content.map(load)),
    })),
  )
}

const isPlain = (message: ReadMessage): message is { role: TextMessage['role']; content: string } =>
  typeof message.content === 'string'
