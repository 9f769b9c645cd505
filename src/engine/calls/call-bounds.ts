// The most one call can use: what its prompt and its maximum allow. Under a spend limit this is
// reserved for it, so that concurrent calls cannot exceed the limit together, and it counts if the
// outcome is never known. Reported usage may be more, because some servers add context of their
// own: it is believed up to the context window of the model.
import {
  cappedOutput,
  mostFramingTokens,
  tokensPerPicture,
  withMostParts,
} from '#core/call-tokens.ts'
import type { Model } from '#core/catalogue.ts'
import { hasParts, type Usage, usageOf, usageParts } from '#core/usage.ts'
import type { ContentPart, Message, TextRequest } from '#providers/provider.ts'

/** For models that declare no maximum, when called without a limit. */
const mostOutputTokens = 131_072
/** Of models that declare none: as much as most take. */
export const usualWindowTokens = 131_072

export type CallBounds = {
  /** Sent in the request; undefined if the provider may decide. */
  maxTokens: number | undefined
  /** Also bounds each part of the usage; a part that is missing here cannot occur. */
  most: Usage
  /** Room in `most` for what the server added to an earlier prompt. */
  addedTokens: number
}

type Call = Pick<
  TextRequest,
  'systemPrompt' | 'maxTokens' | 'tools' | 'webSearch' | 'jsonSchema' | 'responseFormat' | 'choices'
>

/** What the last answer of a model had beyond its prompt, if its server adds context of its own. */
const addedTokens = new WeakMap<Model, number>()

export function boundsOf(
  call: Call,
  messages: readonly Message[],
  { model, isLimited }: { model: Model; isLimited: boolean },
): CallBounds {
  const { maxInputTokens, maxOutputTokens } = model.capabilities
  const maxTokens = call.maxTokens ?? (isLimited ? cappedOutput(maxOutputTokens) : undefined)
  const added = isLimited ? (addedTokens.get(model) ?? 0) : 0
  const given = added + mostTokensIn(call, messages)
  const window = maxInputTokens ?? usualWindowTokens
  // Nobody knows how many pages a document has before its vendor has read it.
  const hasDocuments = messages.some((message) => hasPart(message, 'document'))
  // What a search finds is input as well.
  const inputTokens =
    hasDocuments || call.webSearch
      ? Math.max(window, Math.min(given, maxInputTokens ?? given))
      : Math.min(given, maxInputTokens ?? given)
  // Each of several answers may be as long as one.
  const outputTokens = (maxTokens ?? maxOutputTokens ?? mostOutputTokens) * (call.choices ?? 1)
  const hasPictures = hasDocuments || messages.some((message) => hasPart(message, 'image'))
  const keepsForAnHour = isKeptForAnHour(call, messages)
  const most = withMostParts({ inputTokens, outputTokens }, { hasPictures, keepsForAnHour })
  if (call.webSearch) most.searches = call.webSearch.most
  return { maxTokens, most, addedTokens: added }
}

/** Remembers what the server added to the prompt: later calls under a limit reserve that too. */
export function countUsage(
  bounds: CallBounds,
  reported: Usage,
  { answerBytes, model }: { answerBytes: number; model: Model },
): ReturnType<typeof clampUsage> {
  const counted = clampUsage(reported, bounds, { answerBytes, model })
  const beyond = counted.usage.inputTokens - bounds.most.inputTokens
  if (beyond <= 0 && bounds.addedTokens === 0) return counted
  // From what this call had room for: answers of concurrent calls must not add up.
  const added = bounds.addedTokens + beyond
  if (added > 0) addedTokens.set(model, added)
  else addedTokens.delete(model)
  return counted
}

const hasPart = ({ content }: Message, wanted: ContentPart['type']): boolean =>
  typeof content !== 'string' && content.some(({ type }) => type === wanted)

const hasCalls = (message: Message): boolean =>
  message.role !== 'tool' && (message.toolCalls?.length ?? 0) > 0

const isKeptForAnHour = ({ tools = [] }: Call, messages: readonly Message[]): boolean =>
  tools.some(({ cache }) => cache === '1h') ||
  messages.some(
    (message) =>
      (typeof message.content !== 'string' &&
        message.content.some(({ cache }) => cache === '1h')) ||
      (message.role !== 'tool' && message.toolCalls?.some(({ cache }) => cache === '1h')),
  )

/** No tokenizer produces more than one token per byte. */
function mostTokensIn(call: Call, messages: readonly Message[]): number {
  const { systemPrompt = '', tools, jsonSchema } = call
  let tokens = mostFramingTokens({
    messages: messages.length,
    // Those of earlier calls are declared to some vendors even if the request declares none.
    hasFunctions: tools !== undefined || jsonSchema !== undefined || messages.some(hasCalls),
    isJson: call.responseFormat === 'json',
  })
  tokens += Buffer.byteLength(systemPrompt)
  if (tools) tokens += Buffer.byteLength(JSON.stringify(tools))
  if (jsonSchema) tokens += Buffer.byteLength(JSON.stringify(jsonSchema))
  for (const message of messages) {
    const { content } = message
    if (typeof content === 'string') tokens += Buffer.byteLength(content)
    else
      for (const part of content)
        tokens += part.type === 'text' ? Buffer.byteLength(part.text) : tokensPerPicture.given
    if (message.role === 'tool') continue
    for (const { text, signature = '' } of message.thoughts ?? [])
      tokens += Buffer.byteLength(text) + Buffer.byteLength(signature)
    for (const { name, arguments: text, signature = '' } of message.toolCalls ?? [])
      tokens += Buffer.byteLength(name) + Buffer.byteLength(text) + Buffer.byteLength(signature)
  }
  return tokens
}

/** `answerBytes` raises the bound if a provider generated more than it was asked to. */
export function clampUsage(
  reported: Usage,
  { most }: Pick<CallBounds, 'most'>,
  { answerBytes, model }: { answerBytes: number; model?: Model | undefined },
): { usage: Usage; remark: 'CLAMPED' | undefined } {
  const isBeyond =
    reported.inputTokens > most.inputTokens || reported.outputTokens > most.outputTokens
  const believed = isBeyond && model ? windowOf(model, most) : most
  const inputTokens = between(reported.inputTokens, believed.inputTokens)
  const outputTokens = between(reported.outputTokens, Math.max(believed.outputTokens, answerBytes))
  const areWholesSame =
    inputTokens === reported.inputTokens && outputTokens === reported.outputTokens
  if (areWholesSame && !hasParts(reported)) return { usage: reported, remark: undefined }
  const possible: Partial<Usage> = {}
  for (const { name } of usageParts) if (most[name] !== undefined) possible[name] = reported[name]
  const usage = usageOf(inputTokens, outputTokens, possible)
  if (reported.searches) usage.searches = reported.searches
  const isSame = areWholesSame && usageParts.every(({ name }) => usage[name] === reported[name])
  return isSame ? { usage: reported, remark: undefined } : { usage, remark: 'CLAMPED' }
}

const windowOf = ({ capabilities }: Model, most: Usage) => {
  const { maxInputTokens = usualWindowTokens, maxOutputTokens } = capabilities
  return {
    inputTokens: Math.max(most.inputTokens, maxInputTokens),
    outputTokens: Math.max(most.outputTokens, maxOutputTokens ?? maxInputTokens),
  }
}

const between = (count: number, most: number) => Math.min(Math.max(count, 0), most)
