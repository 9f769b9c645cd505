// The request that a model gets for a conversation, and the settings that shape it. Pure.
import type { Answer, Turn } from './turn-tree.ts'

/** As typed: tools and schema are text until they are sent, so that half of one is kept too. */
export type ChatSettings = {
  model: string
  /** A second model that answers beside the first. */
  beside: string | null
  system: string
  temperature: number | null
  maxTokens: number | null
  effort: string | null
  tools: string
  schema: string
}

export const noSettings: ChatSettings = {
  model: '',
  beside: null,
  system: '',
  temperature: null,
  maxTokens: null,
  effort: null,
  tools: '',
  schema: '',
}

export type Read<T> = { value: T | undefined } | { problem: string }

function readJson(text: string): Read<unknown> {
  if (text.trim() === '') return { value: undefined }
  try {
    return { value: JSON.parse(text) }
  } catch (error) {
    return { problem: error instanceof Error ? error.message : 'This is not valid JSON.' }
  }
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** A list of functions, as OpenAI's API takes them; each may leave out the frame around it. */
export function readTools(text: string): Read<object[]> {
  const read = readJson(text)
  if ('problem' in read || read.value === undefined) return read as Read<object[]>
  const list = Array.isArray(read.value) ? read.value : [read.value]
  const tools = list.map((tool) =>
    isObject(tool) && tool.type === undefined ? { type: 'function', function: tool } : tool,
  )
  const isTool = (tool: unknown) =>
    isObject(tool) && isObject(tool.function) && typeof tool.function.name === 'string'
  if (tools.length === 0 || !tools.every(isTool))
    return { problem: 'A tool needs at least a name: [{"name": "weather"}].' }
  return { value: tools as object[] }
}

export function readSchema(text: string): Read<Record<string, unknown>> {
  const read = readJson(text)
  if ('problem' in read) return read
  if (read.value !== undefined && !isObject(read.value))
    return { problem: 'A schema is an object: {"type": "object"}.' }
  return { value: read.value }
}

const valueIn = <T>(read: Read<T>): T | undefined => ('value' in read ? read.value : undefined)

/** Null if everything can be sent. */
export function settingsProblem({ tools, schema }: ChatSettings): string | null {
  const problems = { tools: readTools(tools), schema: readSchema(schema) }
  if ('problem' in problems.tools) return `Tools: ${problems.tools.problem}`
  return 'problem' in problems.schema ? `JSON schema: ${problems.schema.problem}` : null
}

export const schemaOf = (settings: ChatSettings): Record<string, unknown> | undefined =>
  valueIn(readSchema(settings.schema))

export function chatBody(model: string, path: readonly Turn[], settings: ChatSettings) {
  const { system, temperature, maxTokens, effort } = settings
  const tools = valueIn(readTools(settings.tools))
  const schema = schemaOf(settings)
  return {
    model,
    messages: [
      ...(system.trim() ? [{ role: 'system', content: system }] : []),
      ...path.flatMap(messagesOf),
    ],
    ...(temperature === null ? {} : { temperature }),
    ...(maxTokens === null ? {} : { max_completion_tokens: maxTokens }),
    ...(effort === null ? {} : { reasoning_effort: effort }),
    ...(tools ? { tools } : {}),
    ...(schema
      ? { response_format: { type: 'json_schema', json_schema: { name: 'answer', schema } } }
      : {}),
  }
}

function messagesOf(turn: Turn): object[] {
  switch (turn.role) {
    case 'user':
      return [{ role: 'user', content: contentOf(turn.text, turn.images) }]
    case 'tool':
      return turn.results.map(({ callId, text }) => ({
        role: 'tool',
        tool_call_id: callId,
        content: text,
      }))
    case 'assistant':
      return answerMessage(turn)
    default:
      return turn satisfies never
  }
}

const contentOf = (text: string, images: readonly string[]) =>
  images.length === 0
    ? text
    : [
        ...(text ? [{ type: 'text', text }] : []),
        ...images.map((url) => ({ type: 'image_url', image_url: { url } })),
      ]

/** An answer that failed before its first word would tell the model nothing. */
function answerMessage({ text, toolCalls }: Answer): object[] {
  if (text === '' && toolCalls.length === 0) return []
  const calls = toolCalls.map(({ id, name, arguments: written, extra }) => ({
    id,
    type: 'function',
    function: { name, arguments: written },
    ...(extra === undefined ? {} : { extra_content: extra }),
  }))
  return [
    {
      role: 'assistant',
      content: text === '' ? null : text,
      ...(calls.length > 0 ? { tool_calls: calls } : {}),
    },
  ]
}
