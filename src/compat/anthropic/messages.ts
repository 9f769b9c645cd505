// The messages of a request. One message of a client may become several here: the results of
// functions and the text that follows them.
import { isWithoutPrompt, type RawPart, textOf as wordsOf } from '#core/chat-content.ts'
import type { CallMessage } from '#core/generation.ts'
import { isRecord } from '#core/record.ts'
import type { ToolCall } from '#core/text-stream.ts'
import {
  badParameter,
  type Fields,
  given,
  requiredMessages,
  requiredString,
} from '../parameters.ts'

const maxToolCalls = 128

export function readMessages(body: Fields): CallMessage[] {
  // Tool calls that still wait for their result.
  const open = new Set<string>()
  const messages = requiredMessages(body).flatMap((message: unknown, index) => {
    const at = `messages.${index}`
    if (!isRecord(message)) throw badParameter(at, 'must be an object')
    return readMessage(message, at, open)
  })
  if (open.size > 0) throw unanswered('messages')
  const hasResults = messages.some(({ role }) => role === 'tool')
  if (!hasResults && isWithoutPrompt(messages)) {
    throw badParameter('messages', 'must contain at least one non-empty message')
  }
  return messages
}

const unanswered = (at: string) =>
  badParameter(at, 'must contain a tool_result for each pending tool_use')

function readMessage(message: Fields, at: string, open: Set<string>): CallMessage[] {
  const content = given(message, 'content')
  const blocks = blocksOf(content, `${at}.content`)
  switch (message.role) {
    case 'user':
      return readUser(blocks, `${at}.content`, open)
    case 'assistant':
      if (open.size > 0) throw unanswered(at)
      return [readAssistant(blocks, `${at}.content`, open)]
    case 'system':
      return [{ role: 'system', content: textOf(content, `${at}.content`) }]
    default:
      throw badParameter(`${at}.role`, 'must be user, assistant or system')
  }
}

function blocksOf(content: unknown, at: string): Fields[] {
  if (typeof content === 'string') return [{ type: 'text', text: content }]
  if (!Array.isArray(content)) throw badParameter(at, 'must be text or a list of blocks')
  return content.map((block: unknown, index) => {
    if (isRecord(block)) return block
    throw badParameter(`${at}.${index}`, 'must be an object')
  })
}

/** Accepts text, or a list of text blocks. */
export function textOf(content: unknown, at: string): string {
  return blocksOf(content ?? '', at)
    .map(({ type, text }, index) => {
      if (type === 'text' && typeof text === 'string') return text
      throw badParameter(`${at}.${index}`, 'must be a text block here', 'UNSUPPORTED_PARAMETER')
    })
    .join('\n')
}

function readUser(blocks: Fields[], at: string, open: Set<string>): CallMessage[] {
  const results: CallMessage[] = []
  const parts: RawPart[] = []
  for (const [index, block] of blocks.entries()) {
    const where = `${at}.${index}`
    if (block.type === 'tool_result') results.push(readResult(block, where, open))
    else parts.push(readPart(block, where))
  }
  if (open.size > 0) throw unanswered(at)
  if (parts.length === 0) return results
  const isText = parts.every(({ type }) => type === 'text')
  const content = isText ? wordsOf(parts) : parts.map(toContent)
  return [...results, { role: 'user', content }]
}

function readResult(block: Fields, at: string, open: Set<string>): CallMessage {
  const toolCallId = requiredString(block, 'tool_use_id', `${at}.tool_use_id`)
  if (!open.delete(toolCallId)) {
    throw badParameter(
      `${at}.tool_use_id`,
      'does not match a pending tool_use in the preceding assistant message',
    )
  }
  const text = textOf(block.content, `${at}.content`)
  return { role: 'tool', toolCallId, content: block.is_error === true ? `Error: ${text}` : text }
}

function readPart(block: Fields, at: string): RawPart {
  if (block.type === 'text' && typeof block.text === 'string') {
    return { type: 'text', text: block.text }
  }
  const source = block.type === 'image' ? block.source : undefined
  if (isRecord(source)) return { type: 'image_url', url: addressOf(source, at) }
  const known = 'must be a block of type text, image or tool_result'
  throw badParameter(at, known, 'UNSUPPORTED_PARAMETER')
}

const toContent = (part: RawPart): object =>
  part.type === 'text' ? part : { type: 'image_url', image_url: { url: part.url } }

function addressOf(source: Fields, at: string): string {
  if (source.type === 'url') return requiredString(source, 'url', `${at}.source.url`)
  if (source.type === 'base64') {
    const type = requiredString(source, 'media_type', `${at}.source.media_type`)
    return `data:${type};base64,${requiredString(source, 'data', `${at}.source.data`)}`
  }
  throw badParameter(`${at}.source.type`, 'must be base64 or url', 'UNSUPPORTED_PARAMETER')
}

function readAssistant(blocks: Fields[], at: string, open: Set<string>): CallMessage {
  const texts: string[] = []
  const toolCalls: ToolCall[] = []
  let signature: string | undefined
  for (const [index, block] of blocks.entries()) {
    const where = `${at}.${index}`
    if (block.type === 'text' && typeof block.text === 'string') texts.push(block.text)
    else if (block.type === 'redacted_thinking') {
      if (typeof block.data === 'string') signature = block.data
    } else if (block.type === 'tool_use') {
      const call = readUse(block, where, open)
      toolCalls.push(signature === undefined ? call : { ...call, signature })
      signature = undefined
    } else if (block.type !== 'thinking') {
      const known = 'must be a block of type text, tool_use, thinking or redacted_thinking'
      throw badParameter(where, known, 'UNSUPPORTED_PARAMETER')
    }
  }
  const said = { role: 'assistant' as const, content: texts.join('\n') }
  return toolCalls.length === 0 ? said : { ...said, toolCalls }
}

function readUse(block: Fields, at: string, open: Set<string>): ToolCall {
  const id = requiredString(block, 'id', `${at}.id`)
  if (open.has(id)) throw badParameter(`${at}.id`, 'is used more than once')
  if (open.size >= maxToolCalls) {
    throw badParameter(at, `exceeds the limit of ${maxToolCalls} tool calls per message`)
  }
  const input = given(block, 'input') ?? {}
  if (!isRecord(input)) throw badParameter(`${at}.input`, 'must be an object')
  open.add(id)
  const name = requiredString(block, 'name', `${at}.name`)
  return { id, name, arguments: JSON.stringify(input) }
}
