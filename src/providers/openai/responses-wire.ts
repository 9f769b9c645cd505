import { isRecord } from '#core/record.ts'
import type { ReasoningEffort } from '#core/text-stream.ts'

export type InputPart =
  | { type: 'input_text'; text: string }
  | { type: 'input_image'; image_url: string; detail: 'auto' }

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
  | { type: 'function_call_output'; call_id: string; output: string }
  | ReasoningItem

export type ResponsesBody = {
  model: string
  input: InputItem[]
  store: false
  instructions?: string
  max_output_tokens?: number
  temperature?: number
  top_p?: number
  reasoning?: { effort: ReasoningEffort }
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
  tools?: {
    type: 'function'
    name: string
    description?: string
    parameters: Record<string, unknown>
    strict: boolean
  }[]
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

export const isReasoning = (item: unknown): item is ReasoningItem =>
  isRecord(item) &&
  item.type === 'reasoning' &&
  typeof item.id === 'string' &&
  typeof item.encrypted_content === 'string'
