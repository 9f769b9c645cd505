// Some providers keep the system's words apart from the conversation, and refuse one without
// a turn of the user. They take the results of one answer's calls as one turn, and arguments as
// JSON rather than as its text.
import type { ToolCall } from '#core/text-stream.ts'
import { isRecord, type Json, parseJson } from './json-shape.ts'
import type { TextMessage, TextRequest, ToolResult } from './provider.ts'

export type Turn =
  | { role: 'user'; content: TextMessage['content'] }
  | { role: 'assistant'; content: TextMessage['content']; toolCalls: ToolCall[] }
  | { role: 'results'; results: (ToolResult & { name: string })[] }

/** `jsonHint` stands in for a JSON mode where the provider has none. */
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

/** No provider takes a picture as a system's word. */
const plainText = (content: TextMessage['content']): string =>
  typeof content === 'string'
    ? content
    : content.map((part) => (part.type === 'text' ? part.text : '')).join('')

/** What a model wrote instead of an object is passed on under a name of its own. */
export function argumentsOf({ arguments: text }: ToolCall): Json {
  if (text.trim() === '') return {}
  const value = parseJson(text)
  return isRecord(value) ? value : { arguments: text }
}
