import { isRecord } from '#core/record.ts'
import type { ReasoningEffort, Thought } from '#core/text-stream.ts'
import { parseJson, recordsOf, textOf } from '#providers/json-shape.ts'
import { sign, signedBy } from '#providers/signatures.ts'

export type InputPart =
  | { type: 'input_text'; text: string }
  | { type: 'input_image'; image_url: string; detail: 'auto' }
  | { type: 'input_file'; filename: string; file_data: string }

/** What the model thought, encrypted. The API needs it back, unchanged, before the calls. */
export type ReasoningItem = {
  type: 'reasoning'
  id: string
  summary: []
  encrypted_content: string
}

export type InputItem =
  | { role: 'system' | 'user' | 'assistant'; content: string | InputPart[] }
  | { type: 'function_call'; call_id: string; name: string; arguments: string }
  | { type: 'function_call_output'; call_id: string; output: string | InputPart[] }
  | ReasoningItem

export type ResponsesBody = {
  model: string
  input: InputItem[]
  store: false
  instructions?: string
  max_output_tokens?: number
  temperature?: number
  top_p?: number
  reasoning?: { effort?: ReasoningEffort; summary?: 'auto' }
  include?: ['reasoning.encrypted_content' | 'message.output_text.logprobs']
  top_logprobs?: number
  text?: {
    verbosity?: 'low' | 'medium' | 'high'
    format?:
      | { type: 'json_object' }
      | {
          type: 'json_schema'
          name: string
          schema: Record<string, unknown>
          description?: string
          strict?: boolean
        }
  }
  tools?: (
    | {
        type: 'function'
        name: string
        description?: string
        parameters: Record<string, unknown>
        strict: boolean
      }
    /** A tool of the vendor, as the caller wrote it. */
    | Record<string, unknown>
  )[]
  max_tool_calls?: number
  service_tier?: 'flex'
  tool_choice?: 'auto' | 'none' | 'required' | { type: 'function'; name: string }
  parallel_tool_calls?: boolean
  stream?: true
}

export type ResponseAnswer = {
  id?: unknown
  status: string
  output: Record<string, unknown>[]
  usage?: unknown
  error?: unknown
  incomplete_details?: unknown
}

export const isResponse = (value: unknown): value is ResponseAnswer =>
  isRecord(value) &&
  value.object === 'response' &&
  typeof value.status === 'string' &&
  Array.isArray(value.output) &&
  value.output.every(isRecord)

/** Undefined if the item is no thought, or one that need not be sent back and says nothing. */
export function thoughtIn(item: Record<string, unknown>): Thought | undefined {
  const { type, id, encrypted_content: sealed } = item
  if (type !== 'reasoning') return undefined
  const text = recordsOf(item.summary)
    .map((part) => textOf(part.text) ?? '')
    .join('\n\n')
  if (typeof id === 'string' && typeof sealed === 'string') {
    const kept = Buffer.from(JSON.stringify([id, sealed])).toString('base64url')
    return { text, signature: sign('openai', kept) }
  }
  return text === '' ? undefined : { text }
}

/** Empty if the thought is another vendor's. The API wants it back without its summary. */
export function reasoningItems(thought: Thought): ReasoningItem[] {
  const kept = signedBy('openai', thought)
  if (kept === undefined) return []
  const read = parseJson(Buffer.from(kept, 'base64url').toString())
  const [id, sealed] = Array.isArray(read) ? read : []
  return typeof id === 'string' && typeof sealed === 'string'
    ? [{ type: 'reasoning', id, summary: [], encrypted_content: sealed }]
    : []
}

/** How often the vendor searched the web. Pages that it opened are not billed. */
export const searchesIn = (output: readonly Record<string, unknown>[]): number =>
  output.filter(({ type, action }) => {
    const { type: done } = isRecord(action) ? action : {}
    return type === 'web_search_call' && (done === undefined || done === 'search')
  }).length
