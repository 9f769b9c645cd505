// The most tokens that a call can take beside what is written in it. Reservations under a limit and
// the highCost of estimates count with the same numbers, so that a maxCost of highCost refuses no
// call of its run.
import type { Usage } from './usage.ts'

/**
 * Sent with a call under a spend limit that names no maxTokens: long enough for nearly every
 * answer with its reasoning, and 0.16 USD at 10 USD per million tokens.
 */
const cappedOutputTokens = 16_384

export const cappedOutput = (maxOutputTokens: number | undefined): number =>
  Math.min(maxOutputTokens ?? cappedOutputTokens, cappedOutputTokens)

/**
 * Of pictures: the most that a vendor we know counts for one that it makes and one that it is
 * given, in high detail, and what it adds to the prompt.
 */
export const tokensPerPicture = { made: 16_384, given: 50_000, added: 4_000 }

/**
 * Tokens that a vendor adds itself: for each message (OpenAI 3 or 4), for the chat, for functions
 * and schemas (Anthropic up to 800 for functions), for the request to answer in JSON.
 */
const framing = { chat: 32, message: 16, functions: 1_000, json: 64 }

type Framed = { messages: number; hasFunctions: boolean; isJson: boolean }

/** `messages`: without the system prompt, which always counts as one. */
export const mostFramingTokens = ({ messages, hasFunctions, isJson }: Framed): number =>
  framing.chat +
  framing.message * (messages + 1) +
  (hasFunctions ? framing.functions : 0) +
  (isJson ? framing.json : 0)

/**
 * Every part that may have a rate of its own, as large as its whole. None for audio, which our
 * requests never use, and for the one-hour cache only if it is asked for.
 */
export const withMostParts = (
  { inputTokens, outputTokens }: Usage,
  { hasPictures, keepsForAnHour = false }: { hasPictures: boolean; keepsForAnHour?: boolean },
): Usage => ({
  inputTokens,
  outputTokens,
  cachedInputTokens: inputTokens,
  cacheWriteTokens: inputTokens,
  ...(keepsForAnHour ? { cacheWrite1hTokens: inputTokens } : {}),
  reasoningTokens: outputTokens,
  ...(hasPictures ? { inputImageTokens: inputTokens, cachedImageTokens: inputTokens } : {}),
})
