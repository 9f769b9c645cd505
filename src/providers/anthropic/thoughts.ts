// Thoughts between tool turns. The API wants them back unchanged before the calls they led to;
// callers know nothing of them, so they travel as the signature of the first call.

import type { ToolCall } from '#core/text-stream.ts'
import { isRecord, parseJson, recordsOf } from '#providers/json-shape.ts'
import type { Thought } from './wire.ts'

/** Tells ours from the signatures of other providers, which a fallback may hand to us. */
const mark = 'anthropic.'

export const signatureOf = (thoughts: readonly Thought[]): string | undefined =>
  thoughts.length === 0
    ? undefined
    : mark + Buffer.from(JSON.stringify(thoughts)).toString('base64url')

/** Of the calls of one answer. A signature that cannot be read is as good as none. */
export function thoughtsBefore(calls: readonly ToolCall[]): Thought[] {
  for (const { signature } of calls) {
    if (!signature?.startsWith(mark)) continue
    const text = Buffer.from(signature.slice(mark.length), 'base64url').toString()
    return recordsOf(parseJson(text)).filter(isThought)
  }
  return []
}

export const isThought = (block: unknown): block is Thought =>
  isRecord(block) &&
  (block.type === 'thinking'
    ? typeof block.thinking === 'string' && typeof block.signature === 'string'
    : block.type === 'redacted_thinking' && typeof block.data === 'string')

/** Of a block the API gave, only what it takes back. */
export const toThought = (block: Thought): Thought =>
  block.type === 'thinking'
    ? { type: 'thinking', thinking: block.thinking, signature: block.signature }
    : { type: 'redacted_thinking', data: block.data }
