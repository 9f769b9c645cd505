import { isRecord } from '#core/record.ts'
import type { Hosted, ReasoningEffort, Thought } from '#core/text-stream.ts'
import { sign, signedBy } from '#providers/signatures.ts'

/** What the model thought before a call. The API needs it back unchanged, in the same order. */
export type ThoughtBlock =
  | { type: 'thinking'; thinking: string; signature: string }
  | { type: 'redacted_thinking'; data: string }

export type CacheControl = { type: 'ephemeral'; ttl?: '1h' }

type Source = { type: 'base64'; media_type: string; data: string }

export type TextBlock = { type: 'text'; text: string; cache_control?: CacheControl }

export type MediaBlock = { cache_control?: CacheControl } & (
  | { type: 'image'; source: Source }
  | { type: 'document'; source: Source; title?: string }
)

export type ResultBlock = {
  type: 'tool_result'
  tool_use_id: string
  content: string | (TextBlock | MediaBlock | HostedBlock)[]
  is_error?: true
  cache_control?: CacheControl
}

/** A block of a hosted tool, as the API wrote it. */
export type HostedBlock = Record<string, unknown>

export type Block =
  | HostedBlock
  | TextBlock
  | MediaBlock
  | { type: 'tool_use'; id: string; name: string; input: object; cache_control?: CacheControl }
  | ResultBlock
  | ThoughtBlock

export type MessagesBody = {
  model: string
  max_tokens: number
  messages: { role: 'user' | 'assistant' | 'system'; content: string | Block[] }[]
  system?: string | TextBlock[]
  cache_control?: CacheControl
  stop_sequences?: string[]
  thinking?: { type: 'adaptive'; display: 'summarized' }
  output_config?: {
    effort?: ReasoningEffort
    format?: { type: 'json_schema'; schema: Record<string, unknown> }
  }
  tools?: (
    | {
        name: string
        description?: string
        input_schema: object
        strict?: boolean
        cache_control?: CacheControl
      }
    | HostedBlock
  )[]
  tool_choice?: (
    | { type: 'auto' | 'any' | 'none'; name?: never }
    | { type: 'tool'; name: string }
  ) & { disable_parallel_tool_use?: true }
}

/** Undefined if the block is no thought. */
export function thoughtIn(block: Record<string, unknown>): Thought | undefined {
  const { type, thinking, signature, data } = block
  if (type === 'thinking' && typeof thinking === 'string' && typeof signature === 'string') {
    return { text: thinking, signature: sign('anthropic', signature) }
  }
  return type === 'redacted_thinking' && typeof data === 'string'
    ? { text: '', signature: sign('anthropic-redacted', data) }
    : undefined
}

/** Empty if the thought is another vendor's. */
export function thoughtBlocks(thought: Thought): ThoughtBlock[] {
  const signature = signedBy('anthropic', thought)
  if (signature !== undefined) return [{ type: 'thinking', thinking: thought.text, signature }]
  const data = signedBy('anthropic-redacted', thought)
  return data === undefined ? [] : [{ type: 'redacted_thinking', data }]
}

/** A search that the vendor made, and what it found. */
export const isHosted = ({ type }: Record<string, unknown>): boolean =>
  type === 'server_tool_use' || type === 'web_search_tool_result'

/** A block of an answer as it is, except that a thought names its vendor. */
export function hostedItem(block: Record<string, unknown>): Hosted {
  const signature = thoughtIn(block)?.signature
  const signed = block.type === 'redacted_thinking' ? { data: signature } : { signature }
  return { form: 'anthropic', item: signature === undefined ? block : { ...block, ...signed } }
}

export type MessageEnd = { stop_reason?: unknown; stop_sequence?: unknown; stop_details?: unknown }

export type Message = MessageEnd & {
  content: Record<string, unknown>[]
  usage?: unknown
  id?: unknown
}

export const isMessage = (value: unknown): value is Message =>
  isRecord(value) &&
  value.type === 'message' &&
  Array.isArray(value.content) &&
  value.content.every(isRecord)
