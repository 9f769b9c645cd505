// The most one call can use. Under a spend limit this is reserved for it, so that concurrent calls
// cannot exceed the limit together; usage that a provider reports beyond it is not believed.
import { hasParts, type Usage, usageOf, usageParts } from '#core/usage.ts'
import type { Model } from '#providers/catalogue.ts'
import type { Message, TextRequest } from '#providers/provider.ts'

/**
 * Sent with a call under a spend limit that names no maxTokens: long enough for nearly every
 * answer with its reasoning, and 0.16 USD at 10 USD per million tokens.
 */
const cappedOutputTokens = 16_384
/** For models that declare no maximum, when called without a limit. */
const mostOutputTokens = 131_072
/** Tokens that a provider adds itself: the framing of a chat, instructions about functions. */
const addedInputTokens = 4_000
/** The highest token count of one picture among the providers we know, in high detail. */
const tokensPerPicture = 50_000

export type CallBounds = {
  /** Sent in the request; undefined if the provider may decide. */
  maxTokens: number | undefined
  /** Also bounds each part of the usage; a part that is missing here cannot occur. */
  most: Usage
}

type Call = Pick<TextRequest, 'systemPrompt' | 'maxTokens' | 'tools' | 'jsonSchema' | 'choices'>

export function boundsOf(
  call: Call,
  messages: readonly Message[],
  { model, isLimited }: { model: Model; isLimited: boolean },
): CallBounds {
  const { maxInputTokens, maxOutputTokens } = model.capabilities
  const cap = Math.min(maxOutputTokens ?? cappedOutputTokens, cappedOutputTokens)
  const maxTokens = call.maxTokens ?? (isLimited ? cap : undefined)
  const given = addedInputTokens + mostTokensIn(call, messages)
  const inputTokens = Math.min(given, maxInputTokens ?? given)
  // Each of several answers may be as long as one.
  const outputTokens = (maxTokens ?? maxOutputTokens ?? mostOutputTokens) * (call.choices ?? 1)
  return { maxTokens, most: withParts({ inputTokens, outputTokens }, countPictures(messages)) }
}

/** No parts for the one-hour cache or for audio: our requests never use either. */
const withParts = ({ inputTokens, outputTokens }: Usage, pictures: number): Usage => ({
  inputTokens,
  outputTokens,
  cachedInputTokens: inputTokens,
  cacheWriteTokens: inputTokens,
  reasoningTokens: outputTokens,
  ...(pictures > 0 ? { inputImageTokens: inputTokens, cachedImageTokens: inputTokens } : {}),
})

function countPictures(messages: readonly Message[]): number {
  let pictures = 0
  for (const { content } of messages) {
    if (typeof content === 'string') continue
    for (const { type } of content) if (type === 'image') pictures++
  }
  return pictures
}

/** No tokenizer produces more than one token per byte. */
function mostTokensIn(call: Call, messages: readonly Message[]): number {
  const { systemPrompt = '', tools, jsonSchema } = call
  let tokens = Buffer.byteLength(systemPrompt)
  if (tools) tokens += Buffer.byteLength(JSON.stringify(tools))
  if (jsonSchema) tokens += Buffer.byteLength(JSON.stringify(jsonSchema))
  for (const message of messages) {
    const { content } = message
    if (typeof content === 'string') tokens += Buffer.byteLength(content)
    else
      for (const part of content)
        tokens += part.type === 'text' ? Buffer.byteLength(part.text) : tokensPerPicture
    if (message.role === 'tool') continue
    for (const { name, arguments: text } of message.toolCalls ?? [])
      tokens += Buffer.byteLength(name) + Buffer.byteLength(text)
  }
  return tokens
}

/** `answerBytes` raises the bound if a provider generated more than it was asked to. */
export function clampUsage(
  reported: Usage,
  { most }: Pick<CallBounds, 'most'>,
  answerBytes: number,
): { usage: Usage; remark: 'CLAMPED' | undefined } {
  const inputTokens = between(reported.inputTokens, most.inputTokens)
  const outputTokens = between(reported.outputTokens, Math.max(most.outputTokens, answerBytes))
  const areWholesSame =
    inputTokens === reported.inputTokens && outputTokens === reported.outputTokens
  if (areWholesSame && !hasParts(reported)) return { usage: reported, remark: undefined }
  const possible: Partial<Usage> = {}
  for (const { name } of usageParts) if (most[name] !== undefined) possible[name] = reported[name]
  const usage = usageOf(inputTokens, outputTokens, possible)
  const isSame = areWholesSame && usageParts.every(({ name }) => usage[name] === reported[name])
  return isSame ? { usage: reported, remark: undefined } : { usage, remark: 'CLAMPED' }
}

const between = (count: number, most: number) => Math.min(Math.max(count, 0), most)
