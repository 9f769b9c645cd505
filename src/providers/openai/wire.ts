import type { JsonSchema, ReasoningEffort } from '#core/text-stream.ts'
import { isPathId, isRecord } from '#providers/json-shape.ts'

export type ChatPart =
  | { type: 'text'; text: string }
  | { type: 'image_url'; image_url: { url: string } }

export type WireToolCall = {
  id: string
  type: 'function'
  function: { name: string; arguments: string }
}

export type ChatMessage =
  | {
      role: 'system' | 'user' | 'assistant'
      content: string | ChatPart[] | null
      tool_calls?: WireToolCall[]
    }
  | { role: 'tool'; tool_call_id: string; content: string }

export type ChatBody = {
  model: string
  messages: ChatMessage[]
  temperature?: number
  top_p?: number
  stop?: string[]
  max_tokens?: number
  reasoning_effort?: ReasoningEffort
  response_format?: { type: 'json_object' } | { type: 'json_schema'; json_schema: JsonSchema }
  tools?: {
    type: 'function'
    function: { name: string; description?: string; parameters?: object; strict?: boolean }
  }[]
  tool_choice?: 'auto' | 'none' | 'required' | { type: 'function'; function: { name: string } }
  parallel_tool_calls?: boolean
  stream?: true
  stream_options?: { include_usage: true }
}

export type ImageBody = {
  model: string
  prompt: string
  n: 1
  size?: string
  quality?: string
  response_format?: 'b64_json'
}

type ChatCompletion = {
  id?: unknown
  choices: [
    {
      message: { content?: unknown; refusal?: unknown; tool_calls?: unknown }
      finish_reason?: unknown
    },
  ]
  usage?: unknown
}

type ImageAnswer = { data: Record<string, unknown>[]; usage?: unknown }

export type VideoJob = {
  id: string
  status: string
  progress?: unknown
  error?: unknown
}

export function isChatCompletion(value: unknown): value is ChatCompletion {
  if (!isRecord(value) || !Array.isArray(value.choices)) return false
  const choice: unknown = value.choices[0]
  return isRecord(choice) && isRecord(choice.message)
}

export const isImageAnswer = (value: unknown): value is ImageAnswer =>
  isRecord(value) && Array.isArray(value.data) && value.data.every(isRecord)

export const isVideoJob = (value: unknown): value is VideoJob =>
  isRecord(value) && isPathId(value.id) && typeof value.status === 'string'
