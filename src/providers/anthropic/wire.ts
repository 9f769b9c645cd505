import { isRecord } from '#core/record.ts'
import type { ReasoningEffort } from '#core/text-stream.ts'

/** What the model thought before a call. The API needs it back unchanged, in the same order. */
export type Thought =
  | { type: 'thinking'; thinking: string; signature: string }
  | { type: 'redacted_thinking'; data: string }

export type Block =
  | { type: 'text'; text: string }
  | { type: 'image'; source: { type: 'base64'; media_type: string; data: string } }
  | { type: 'tool_use'; id: string; name: string; input: object }
  | { type: 'tool_result'; tool_use_id: string; content: string }
  | Thought

export type MessagesBody = {
  model: string
  max_tokens: number
  messages: { role: 'user' | 'assistant'; content: string | Block[] }[]
  system?: string
  cache_control?: { type: 'ephemeral' }
  stop_sequences?: string[]
  output_config?: {
    effort?: ReasoningEffort
    format?: { type: 'json_schema'; schema: Record<string, unknown> }
  }
  tools?: { name: string; description?: string; input_schema: object; strict?: boolean }[]
  tool_choice?: (
    | { type: 'auto' | 'any' | 'none'; name?: never }
    | { type: 'tool'; name: string }
  ) & { disable_parallel_tool_use?: true }
}

export const isThought = (block: unknown): block is Thought =>
  isRecord(block) &&
  (block.type === 'thinking'
    ? typeof block.thinking === 'string' && typeof block.signature === 'string'
    : block.type === 'redacted_thinking' && typeof block.data === 'string')

/** Keeps only those fields of a block that the API accepts back. */
export const toThought = (block: Thought): Thought =>
  block.type === 'thinking'
    ? { type: 'thinking', thinking: block.thinking, signature: block.signature }
    : { type: 'redacted_thinking', data: block.data }

export type Message = {
  content: Record<string, unknown>[]
  stop_reason?: unknown
  stop_details?: unknown
  usage?: unknown
  id?: unknown
}

export const isMessage = (value: unknown): value is Message =>
  isRecord(value) &&
  value.type === 'message' &&
  Array.isArray(value.content) &&
  value.content.every(isRecord)
