import type { MediaOptions } from '#core/media-options.ts'
import { isRecord } from '#core/record.ts'
import type { JsonSchema, ReasoningEffort } from '#core/text-stream.ts'
import { isPathId } from '#providers/json-shape.ts'

export type ChatPart =
  | { type: 'text'; text: string }
  | { type: 'image_url'; image_url: { url: string } }
  | { type: 'file'; file: { filename: string; file_data: string } }

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
  frequency_penalty?: number
  presence_penalty?: number
  logit_bias?: Record<string, number>
  verbosity?: 'low' | 'medium' | 'high'
  n?: number
  logprobs?: boolean
  top_logprobs?: number
  response_format?: { type: 'json_object' } | { type: 'json_schema'; json_schema: JsonSchema }
  tools?: {
    type: 'function'
    function: { name: string; description?: string; parameters?: object; strict?: boolean }
  }[]
  tool_choice?: 'auto' | 'none' | 'required' | { type: 'function'; function: { name: string } }
  parallel_tool_calls?: boolean
  service_tier?: 'flex'
  stream?: true
  stream_options?: { include_usage: true }
}

export type ImageBody = MediaOptions & {
  model: string
  prompt: string
  n: 1
  size?: string
  quality?: string
  response_format?: 'b64_json'
}

export type ChatChoice = {
  message: { content?: unknown; refusal?: unknown; tool_calls?: unknown } & Record<string, unknown>
  finish_reason?: unknown
  stop_reason?: unknown
  matched_stop?: unknown
  logprobs?: unknown
}

type ChatCompletion = {
  id?: unknown
  choices: [ChatChoice, ...unknown[]]
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
  return isChoice(value.choices[0])
}

export const isChoice = (value: unknown): value is ChatChoice =>
  isRecord(value) && isRecord(value.message)

export const isImageAnswer = (value: unknown): value is ImageAnswer =>
  isRecord(value) && Array.isArray(value.data) && value.data.every(isRecord)

export const isVideoJob = (value: unknown): value is VideoJob =>
  isRecord(value) && isPathId(value.id) && typeof value.status === 'string'
