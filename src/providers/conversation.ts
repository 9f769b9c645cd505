// Some providers keep the system's words apart from the conversation, and refuse one without
// a turn of the user.
import type { TextMessage, TextRequest } from './provider.ts'

export type Turn = { role: 'user' | 'assistant'; content: TextMessage['content'] }

/** `jsonHint` stands in for a JSON mode where the provider has none. */
export function splitSystem(
  { systemPrompt, messages, responseFormat }: TextRequest,
  options: { jsonHint?: string } = {},
): { system: string | undefined; turns: Turn[] } {
  const system: string[] = systemPrompt ? [systemPrompt] : []
  const turns: Turn[] = []
  for (const { role, content } of messages) {
    if (role === 'system') system.push(plainText(content))
    else turns.push({ role, content })
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
