// For providers that separate the system prompt from the conversation and refuse a conversation
// without a user turn. They expect the results of one answer's calls in one turn, and arguments as
// a JSON object rather than as text.
import { isRecord } from '#core/record.ts'
import type { ToolCall } from '#core/text-stream.ts'
import { type Json, parseJson } from './json-shape.ts'
import type { TextMessage, TextRequest, ToolResult } from './provider.ts'

export type Turn =
  | { role: 'user'; content: TextMessage['content'] }
  | { role: 'assistant'; content: TextMessage['content']; toolCalls: ToolCall[] }
  | { role: 'results'; results: (ToolResult & { name: string })[] }

/** `jsonHint` is the instruction for providers without a JSON mode. */
export function splitSystem(
  { systemPrompt, messages, responseFormat }: TextRequest,
  options: { jsonHint?: string } = {},
): { system: string | undefined; turns: Turn[] } {
  const system: string[] = systemPrompt ? [systemPrompt] : []
  const turns: Turn[] = []
  const names = new Map<string, string>()
  for (const message of messages) {
    if (message.role === 'tool') {
      const result = { ...message, name: names.get(message.toolCallId) ?? message.toolCallId }
      const last = turns.at(-1)
      if (last?.role === 'results') last.results.push(result)
      else turns.push({ role: 'results', results: [result] })
      continue
    }
    const { role, content, toolCalls = [] } = message
    for (const { id, name } of toolCalls) names.set(id, name)
    if (role === 'system') system.push(plainText(content))
    else if (role === 'user') turns.push({ role, content })
    else turns.push({ role, content, toolCalls })
  }
  if (turns.length === 0) turns.push({ role: 'user', content: system.splice(0).join('\n\n') })
  if (responseFormat === 'json' && options.jsonHint) system.push(options.jsonHint)
  return { system: system.length > 0 ? system.join('\n\n') : undefined, turns }
}

/** No provider accepts pictures in a system prompt. */
const plainText = (content: TextMessage['content']): string =>
  typeof content === 'string'
    ? content
    : content.map((part) => (part.type === 'text' ? part.text : '')).join('')

/** If the model wrote anything but a JSON object, that text is passed on as `arguments`. */
export function argumentsOf({ arguments: text }: ToolCall): Json {
  if (text.trim() === '') return {}
  const value = parseJson(text)
  return isRecord(value) ? value : { arguments: text }
}
