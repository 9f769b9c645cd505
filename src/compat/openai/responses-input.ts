// Turns the items of a Responses request into messages. One answer of a model comes back as several
// items: its thoughts (opaque), its text and each of its calls. Here they become one message again.
import { isWithoutPrompt } from '#core/chat-content.ts'
import type { CallMessage } from '#core/generation.ts'
import { isRecord } from '#core/record.ts'
import type { Thought, ToolCall } from '#core/text-stream.ts'
import { maxToolCalls } from '../limits.ts'
import { badParameter, type Fields, given, requiredString } from '../parameters.ts'
import { textOf } from './messages.ts'

type Reading = {
  messages: CallMessage[]
  /** Calls that still wait for their result. */
  open: Set<string>
  /** What the next answer or call came from, for the vendor of its model. */
  thoughts: Thought[]
  signature: string | undefined
}

export function readInput(input: unknown): CallMessage[] {
  if (typeof input === 'string' && input.trim() !== '') return [{ role: 'user', content: input }]
  if (!Array.isArray(input) || input.length === 0) {
    throw badParameter('input', 'must be text or a list of at least one item')
  }
  const reading: Reading = { messages: [], open: new Set(), thoughts: [], signature: undefined }
  for (const [index, item] of input.entries()) {
    const at = `input[${index}]`
    if (!isRecord(item)) throw badParameter(at, 'must be an object')
    readItem(item, at, reading)
  }
  if (reading.open.size > 0) {
    throw badParameter('input', 'must contain a function_call_output for each function_call')
  }
  const hasResults = reading.messages.some(({ role }) => role === 'tool')
  if (!hasResults && isWithoutPrompt(reading.messages)) {
    throw badParameter('input', 'must contain at least one non-empty message')
  }
  return reading.messages
}

const unanswered = (at: string) =>
  badParameter(at, 'must be preceded by a function_call_output for each pending function_call')

function readItem(item: Fields, at: string, reading: Reading): void {
  const type = given(item, 'type') ?? 'message'
  switch (type) {
    case 'message':
      if (reading.open.size > 0) throw unanswered(at)
      reading.messages.push(withThoughts(readMessage(item, at), reading))
      return
    case 'reasoning':
      readThought(item, reading)
      return
    case 'function_call':
      readCall(item, at, reading)
      return
    case 'function_call_output': {
      const toolCallId = requiredString(item, 'call_id', `${at}.call_id`)
      if (!reading.open.delete(toolCallId)) {
        throw badParameter(`${at}.call_id`, 'does not match a pending function_call')
      }
      const content = textOf({ content: item.output }, at)
      reading.messages.push({ role: 'tool', toolCallId, content })
      return
    }
    case 'item_reference':
      throw badParameter(at, 'cannot be used: answers are not stored', 'UNSUPPORTED_PARAMETER')
    default:
      throw badParameter(
        `${at}.type`,
        'must be message, function_call, function_call_output or reasoning',
        'UNSUPPORTED_PARAMETER',
      )
  }
}

/** Without its opaque content, a reasoning item holds nothing that a model can use. */
function readThought({ encrypted_content: sealed }: Fields, reading: Reading) {
  if (typeof sealed !== 'string') return
  // Google's models sign calls, and their signatures have no dot.
  if (sealed.includes('.')) reading.thoughts.push({ text: '', signature: sealed })
  else reading.signature = sealed
}

function withThoughts(message: CallMessage, reading: Reading): CallMessage {
  const { thoughts } = reading
  if (message.role !== 'assistant' || thoughts.length === 0) return message
  reading.thoughts = []
  return { ...message, thoughts: [...(message.thoughts ?? []), ...thoughts] }
}

function readMessage(item: Fields, at: string): CallMessage {
  switch (item.role) {
    case 'system':
    case 'developer':
      return { role: 'system', content: textOf(item, at) }
    case 'assistant':
      return { role: 'assistant', content: textOf(item, at) }
    case 'user':
      return { role: 'user', content: userContent(given(item, 'content'), `${at}.content`) }
    default:
      throw badParameter(`${at}.role`, 'must be system, developer, user or assistant')
  }
}

function readCall(item: Fields, at: string, reading: Reading): void {
  const { messages, open, signature } = reading
  reading.signature = undefined
  const written = given(item, 'arguments')
  if (typeof written !== 'string') throw badParameter(`${at}.arguments`, 'must be text')
  const call: ToolCall = {
    id: requiredString(item, 'call_id', `${at}.call_id`),
    name: requiredString(item, 'name', `${at}.name`),
    arguments: written,
    ...(signature === undefined ? {} : { signature }),
  }
  if (open.has(call.id)) throw badParameter(`${at}.call_id`, 'is used more than once')
  if (open.size >= maxToolCalls) {
    throw badParameter(at, `exceeds the limit of ${maxToolCalls} pending function calls`)
  }
  const last = messages.at(-1)
  if (last?.role === 'tool' && open.size > 0) throw unanswered(at)
  open.add(call.id)
  if (last?.role !== 'assistant') {
    const calling: CallMessage = { role: 'assistant', content: '', toolCalls: [call] }
    messages.push(withThoughts(calling, reading))
  } else {
    const calling: CallMessage = { ...last, toolCalls: [...(last.toolCalls ?? []), call] }
    messages[messages.length - 1] = withThoughts(calling, reading)
  }
}

function userContent(content: unknown, at: string): unknown {
  if (typeof content === 'string') return content
  if (!Array.isArray(content) || content.length === 0) {
    throw badParameter(at, 'must be text or a list of parts')
  }
  return content.map((part: unknown, index) => {
    const where = `${at}[${index}]`
    if (!isRecord(part)) throw badParameter(where, 'must be an object')
    if (part.type === 'input_text' && typeof part.text === 'string') {
      return { type: 'text', text: part.text }
    }
    if (part.type === 'input_image' && typeof part.image_url === 'string') {
      return { type: 'image_url', image_url: { url: part.image_url } }
    }
    const what = 'must be a part of type input_text, or input_image with an image_url'
    throw badParameter(where, what, 'UNSUPPORTED_PARAMETER')
  })
}
