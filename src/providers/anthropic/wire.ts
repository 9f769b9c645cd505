import { isRecord } from '#providers/json-shape.ts'

export type Block =
  | { type: 'text'; text: string }
  | { type: 'image'; source: { type: 'base64'; media_type: string; data: string } }

export type MessagesBody = {
  model: string
  max_tokens: number
  messages: { role: 'user' | 'assistant'; content: string | Block[] }[]
  system?: string
  temperature?: number
}

export type Message = {
  content: Record<string, unknown>[]
  stop_reason?: unknown
  usage?: unknown
  id?: unknown
}

export const isMessage = (value: unknown): value is Message =>
  isRecord(value) &&
  value.type === 'message' &&
  Array.isArray(value.content) &&
  value.content.every(isRecord)
