// A text call answered whole. Attempts, fallbacks and cost are those of text-attempt.ts.
import type { GenerateText } from '#core/generation.ts'
import { ProviderError, type TextResult } from '#providers/provider.ts'
import { toFailure } from './provider-failure.ts'
import { conclude } from './text-answer.ts'
import {
  type Asking,
  candidates,
  firstAccepted,
  isText,
  type Seen,
  type TextCallDeps,
} from './text-attempt.ts'
import { readMessages } from './text-request.ts'
import { createTimeLimits } from './time-limit.ts'

export function createTextGenerator(deps: TextCallDeps): GenerateText {
  const limits = createTimeLimits(deps.timeoutMs)
  return async (call, { signal: caller }) => {
    const limit = limits.open(caller)
    const { signal } = limit
    try {
      const entries = candidates(deps.catalogue, call.modelId)
      const read = readMessages(call.messages, deps.loadImage, signal)
      const messages = read instanceof Promise ? await read : read
      const order = { call, entries, messages, signal }
      const { attempt, answer } = await firstAccepted(deps, order, askForWhole)
      const end = await conclude(deps, attempt, { call, end: answer, seen: seenIn(answer) })
      const { id, createdAtMs, entry } = attempt
      const { text, toolCalls, logprobs, alternatives } = answer
      const written = { text, toolCalls, logprobs, alternatives }
      return { id, modelId: entry.model.id, ...written, ...end, createdAtMs }
    } catch (error) {
      throw error instanceof ProviderError ? toFailure(error) : error
    } finally {
      limits.close(limit)
    }
  }
}

const askForWhole: Asking<TextResult> = ({ generateText }) => generateText

function seenIn({ text, toolCalls, alternatives, usage }: TextResult): Seen {
  let characters = text.length
  let bytes = Buffer.byteLength(text)
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
