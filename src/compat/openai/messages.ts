import { isWithoutPrompt } from '#core/chat-content.ts'
import type { CallMessage } from '#core/generation.ts'
import { isRecord } from '#core/record.ts'
import type { ToolCall } from '#core/text-stream.ts'
import { maxToolCalls } from '../limits.ts'
import {
  badParameter,
  type Fields,
  given,
  optionalString,
  requiredMessages,
  requiredString,
} from '../parameters.ts'
import { unpackThoughts } from '../thoughts.ts'

export function readMessages(body: Fields): CallMessage[] {
  // Calls of the preceding answer that still wait for their result.
  const open = new Set<string>()
  const messages = requiredMessages(body).map((message: unknown, index) => {
    const at = `messages[${index}]`
    if (!isRecord(message)) throw badParameter(at, 'must be an object')
    if (message.role !== 'tool' && open.size > 0) throw unanswered(at)
    return readMessage(message, at, open)
  })
  if (open.size > 0) {
    throw badParameter('messages', 'must contain a tool message for each tool call')
  }
  const hasCalls = messages.some(({ role }) => role === 'tool')
  if (!hasCalls && isWithoutPrompt(messages)) {
    throw badParameter('messages', 'must contain at least one non-empty message')
  }
  return messages
}

const unanswered = (at: string) =>
  badParameter(at, 'must be preceded by a tool message for each pending tool call')

function readMessage(message: Fields, at: string, open: Set<string>): CallMessage {
  switch (message.role) {
    case 'system':
    case 'developer':
      return { role: 'system', content: textOf(message, at) }
    case 'user':
      return { role: 'user', content: userContent(message, at) }
    case 'assistant':
      return readAssistant(message, at, open)
    case 'tool': {
      const toolCallId = requiredString(message, 'tool_call_id', `${at}.tool_call_id`)
      if (!open.delete(toolCallId)) {
        throw badParameter(
          `${at}.tool_call_id`,
          'does not match a pending tool call in the preceding assistant message',
        )
      }
      return { role: 'tool', toolCallId, content: textOf(message, at) }
    }
    default:
      throw badParameter(`${at}.role`, 'must be system, developer, user, assistant or tool')
  }
}

function readAssistant(message: Fields, at: string, open: Set<string>): CallMessage {
  const calls = given(message, 'tool_calls')
  if (given(message, 'function_call') !== undefined) {
    throw badParameter(`${at}.function_call`, 'is not supported; use tool_calls')
  }
  if (calls !== undefined && (!Array.isArray(calls) || calls.length > maxToolCalls)) {
    throw badParameter(`${at}.tool_calls`, `must be a list of at most ${maxToolCalls} calls`)
  }
  const hasCalls = calls !== undefined && calls.length > 0
  const said =
    given(message, 'content') ?? optionalString(message, 'refusal', `${at}.refusal`) ?? undefined
  if (said === undefined && !hasCalls) throw badParameter(`${at}.content`, 'is required')
  const content = said === undefined ? '' : textOf({ content: said }, at)
  if (!hasCalls) return { role: 'assistant', content }
  const toolCalls = calls.map((call: unknown, index) => {
    const read = readCall(call, `${at}.tool_calls[${index}]`)
    if (open.has(read.id))
      throw badParameter(`${at}.tool_calls[${index}].id`, 'is used more than once')
    open.add(read.id)
    return read
  })
  return { role: 'assistant', content, ...unpackThoughts(toolCalls) }
}

function readCall(call: unknown, at: string): ToolCall {
  if (!isRecord(call) || !isRecord(call.function)) throw badParameter(at, 'must be a function call')
  const written = given(call.function, 'arguments')
  if (typeof written !== 'string') throw badParameter(`${at}.function.arguments`, 'must be text')
  const signature = signatureOf(call.extra_content)
  return {
    id: requiredString(call, 'id', `${at}.id`),
    name: requiredString(call.function, 'name', `${at}.function.name`),
    arguments: written,
    ...(signature === undefined ? {} : { signature }),
  }
}

/** As Google's own OpenAI-compatible API writes it. */
function signatureOf(extra: unknown): string | undefined {
  const google = isRecord(extra) ? extra.google : undefined
  const signature = isRecord(google) ? google.thought_signature : undefined
  return typeof signature === 'string' ? signature : undefined
}

/** Accepts text, or a list of text parts. */
export function textOf(message: Fields, at: string): string {
  const content = given(message, 'content')
  if (typeof content === 'string') return content
  if (!Array.isArray(content))
    throw badParameter(`${at}.content`, 'must be text or a list of text parts')
  return content
    .map((part: unknown, index) => {
      const text = isRecord(part) ? (part.type === 'refusal' ? part.refusal : part.text) : undefined
      if (typeof text === 'string') return text
      throw badParameter(`${at}.content[${index}]`, 'must be a part of type text here')
    })
    .join('\n')
}

function userContent(message: Fields, at: string): unknown {
  const content = given(message, 'content')
  if (typeof content === 'string') return content
  if (!Array.isArray(content) || content.length === 0) {
    throw badParameter(`${at}.content`, 'must be text or a list of parts')
  }
  return content.map((part: unknown, index) => {
    const where = `${at}.content[${index}]`
    if (!isRecord(part)) throw badParameter(where, 'must be an object')
    if (part.type === 'text') return { type: 'text', text: requiredText(part, where) }
    const url = isRecord(part.image_url) ? part.image_url.url : undefined
    if (part.type === 'image_url' && typeof url === 'string') {
      return { type: 'image_url', image_url: { url } }
    }
    throw badParameter(where, 'must be a part of type text or image_url', 'UNSUPPORTED_PARAMETER')
  })
}

function requiredText(part: Fields, where: string): string {
  if (typeof part.text === 'string') return part.text
  throw badParameter(`${where}.text`, 'must be a string')
}
