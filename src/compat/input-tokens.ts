// How many tokens a call has, counted without calling anybody.
import { countDocuments, countImages, readContent, textOf } from '#core/chat-content.ts'
import type { TextCall } from '#core/generation.ts'

/** Counts with one vendor's tokenizer, so for the models of others it is an estimate. */
export type CountTokens = (text: string) => Promise<number>

type Asked = Omit<TextCall, 'principal'>

/** In characters: several times what any model takes. */
const longestCounted = 10_000_000
/** About what Anthropic counts for a picture of one megapixel. */
const tokensPerImage = 1_400
/** About ten pages. */
const tokensPerDocument = 20_000

export async function inputTokensOf(call: Asked, countTokens: CountTokens): Promise<number> {
  const files =
    countImages(call.messages) * tokensPerImage + countDocuments(call.messages) * tokensPerDocument
  const words = wordsOf(call)
  // The rest of a longer text is taken to be like its beginning.
  const sample = words.slice(0, longestCounted)
  const counted = await countTokens(sample)
  return Math.round(counted * (words.length / Math.max(1, sample.length))) + files
}

/** All text of a call that a provider would count. */
function wordsOf({ systemPrompt = '', tools, messages }: Asked): string {
  const words = [systemPrompt, tools ? JSON.stringify(tools) : '']
  for (const message of messages) {
    words.push(textOf(readContent(message.content ?? '')))
    if (message.role !== 'assistant') continue
    for (const { text } of message.thoughts ?? []) words.push(text)
    for (const { name, arguments: written } of message.toolCalls ?? []) words.push(name, written)
  }
  return words.join('\n')
}
