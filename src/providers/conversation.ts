// For providers that separate the system prompt from the conversation and refuse a conversation
// without a user turn. They expect the results of one answer's calls in one turn, and arguments as
// a JSON object rather than as text.
import { isRecord } from '#core/record.ts'
import type { Thought, ToolCall } from '#core/text-stream.ts'
import { type Json, parseJson } from './json-shape.ts'
import type { Content, ContentPart, TextRequest, ToolResult } from './provider.ts'

export type Turn =
  | { role: 'user'; content: Content }
  | { role: 'assistant'; content: Content; thoughts: Thought[]; toolCalls: ToolCall[] }
  | { role: 'results'; results: (ToolResult & { name: string })[] }
  /** Only where the provider accepts instructions within the conversation. */
  | { role: 'system'; content: ContentPart[] }

type Options = {
  /** The instruction for providers without a JSON mode. */
  jsonHint?: string
  /** Instructions within the conversation keep their place, after the turn of a user. */
  keepsPlaces?: boolean
}

export function splitSystem(
  { systemPrompt, messages, responseFormat }: TextRequest,
  { jsonHint, keepsPlaces = false }: Options = {},
): { system: ContentPart[]; turns: Turn[] } {
  const system = textParts(systemPrompt ?? '').filter(hasWords)
  const turns: Turn[] = []
  const names = new Map<string, string>()
  /** Instructions that wait for the turn of a user. */
  let waiting: ContentPart[] = []
  const addInstruction = (parts: ContentPart[]) => {
    const last = turns.at(-1)
    if (last?.role === 'system') last.content.push(...parts)
    else if (last === undefined || last.role === 'assistant') waiting.push(...parts)
    else turns.push({ role: 'system', content: parts })
  }
  const placeWaiting = () => {
    const parts = waiting
    waiting = []
    if (parts.length > 0) addInstruction(parts)
  }
  for (const message of messages) {
    if (message.role === 'tool') {
      const result = { ...message, name: names.get(message.toolCallId) ?? message.toolCallId }
      // An instruction between two results must not part them.
      const last = turns.findLast(({ role }) => role !== 'system')
      if (last?.role === 'results') last.results.push(result)
      else turns.push({ role: 'results', results: [result] })
      continue
    }
    const { role, content, thoughts = [], toolCalls = [] } = message
    // An answer may have been cut while its model still thought, and clients send it back.
    if (role === 'assistant' && toolCalls.length === 0 && !saysAnything(content)) continue
    for (const { id, name } of toolCalls) names.set(id, name)
    if (role === 'system') {
      const parts = textParts(content).filter(hasWords)
      if (!keepsPlaces || turns.length === 0) system.push(...parts)
      else if (parts.length > 0) addInstruction(parts)
      continue
    }
    if (role === 'assistant') placeWaiting()
    turns.push(role === 'user' ? { role, content } : { role, content, thoughts, toolCalls })
  }
  placeWaiting()
  // What still waits follows the last answer; a provider wants nothing after that.
  system.push(...waiting)
  if (turns.length === 0) turns.push({ role: 'user', content: joined(system.splice(0)) })
  if (responseFormat === 'json' && jsonHint) system.push({ type: 'text', text: jsonHint })
  return { system, turns }
}

/** These providers refuse a text of nothing but white space, wherever it is. */
export const hasWords = (part: ContentPart): boolean =>
  part.type !== 'text' || part.text.trim() !== ''

const saysAnything = (content: Content): boolean =>
  typeof content === 'string' ? content.trim() !== '' : content.some(hasWords)

/** No provider accepts pictures in a system prompt. */
const textParts = (content: Content): ContentPart[] =>
  typeof content === 'string'
    ? [{ type: 'text', text: content }]
    : content.filter(({ type }) => type === 'text')

/** The instructions as one text, undefined if there are none. */
export const systemText = (system: readonly ContentPart[]): string | undefined =>
  system.length > 0 ? joined(system) : undefined

const joined = (parts: readonly ContentPart[]): string =>
  parts.map((part) => (part.type === 'text' ? part.text : '')).join('\n\n')

export const contentText = (content: Content): string =>
  typeof content === 'string'
    ? content
    : content.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('\n')

/** For providers without a mark for the result of a function that failed. */
export const resultText = ({ content, isError }: ToolResult): string =>
  isError ? `Error: ${contentText(content)}` : contentText(content)

/** The pictures and documents among the parts. */
export const mediaIn = (content: Content) =>
  typeof content === 'string' ? [] : content.filter((part) => part.type !== 'text')

/** If the model wrote anything but a JSON object, that text is passed on as `arguments`. */
export function argumentsOf({ arguments: text }: ToolCall): Json {
  if (text.trim() === '') return {}
  const value = parseJson(text)
  return isRecord(value) ? value : { arguments: text }
}
