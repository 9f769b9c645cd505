// The items of a Responses request, as messages. One answer of a model comes back as several items:
// its thoughts (opaque), its text and each of its calls. Here they become one message again.
import { type RawPart, readContent } from '#core/chat-content.ts'
import type { CallMessage } from '#core/generation.ts'
import { isRecord } from '#core/record.ts'
import type { Thought, ToolCall } from '#core/text-stream.ts'
import { contentOf, refuseBlank } from '../content.ts'
import { FieldProblem, problemAt, required, within } from '../field-table.ts'
import { maxToolCalls } from '../limits.ts'
import { itemParts, readParts } from './parts.ts'
import { type Item, type Kind, readItem, type roles } from './response-items.ts'
import { addTools, type Reading as Tools } from './response-tools.ts'
import { argumentsOf, type ToolForm } from './tool-forms.ts'

type Reading = Tools & {
  messages: CallMessage[]
  /** Calls that still wait for their result. */
  open: Set<string>
  /** What the next answer or call came from, for the vendor of its model. */
  thoughts: Thought[]
  signature: string | undefined
}

/** Items as the client wrote them; text is shorthand for one message of the user. */
export function itemsIn(input: unknown): unknown[] {
  if (typeof input === 'string' && input.trim() !== '') return [{ role: 'user', content: input }]
  if (Array.isArray(input) && input.length > 0) return input
  throw new FieldProblem('must be text or a list of at least one item')
}

/**
 * The messages of what came before and of the input. Adds the tools that items declare before it
 * reads calls, because these go by their names.
 */
export function readItems(
  earlier: readonly unknown[],
  input: readonly unknown[],
  tools: Tools,
): CallMessage[] {
  // What came before was read when it was new, so that only the input can be wrong.
  const at = <Value>(index: number, read: () => Value): Value =>
    index < earlier.length ? read() : within(index - earlier.length, read)
  const items = [...earlier, ...input].map((item, index) => at(index, () => readItem(item)))
  for (const [index, { type, item }] of items.entries()) {
    if (type === 'additional_tools' || type === 'tool_search_output') {
      at(index, () => within('tools', () => addTools(item.tools ?? [], tools, 'again')))
    }
  }
  const reading: Reading = {
    ...tools,
    messages: [],
    open: new Set(),
    thoughts: [],
    signature: undefined,
  }
  for (const [index, { type, item }] of items.entries()) at(index, () => add(type, item, reading))
  if (reading.open.size > 0) {
    throw new FieldProblem('must contain a function_call_output for each function_call')
  }
  refuseBlank(reading.messages)
  return reading.messages
}

function add(type: Kind, item: Item, reading: Reading): void {
  switch (type) {
    case 'message':
      addMessage(messageOf(item), reading)
      return
    case 'reasoning':
      addThought(item, reading)
      return
    case 'function_call':
      addCall(item, required(item.written, 'arguments'), 'function', reading)
      return
    case 'custom_tool_call':
      addCall(item, argumentsOf(required(item.input, 'input')), 'custom', reading)
      return
    case 'tool_search_call': {
      const written = isRecord(item.arguments)
        ? JSON.stringify(item.arguments)
        : String(item.arguments ?? '{}')
      addCall({ ...item, name: 'tool_search' }, written, 'search', reading)
      return
    }
    case 'function_call_output':
    case 'custom_tool_call_output':
      addResult(item, outputOf(item.output), reading)
      return
    case 'tool_search_output':
      addResult(
        item,
        [{ type: 'text', text: 'The tools that were found can be called now.' }],
        reading,
      )
      return
    case 'additional_tools':
      return
    case 'item_reference':
      throw problemAt('id', 'refers to an item that is not kept', 'RECORD_NOT_FOUND')
    default:
      addMessage({ role: 'assistant', content: item.said ?? '' }, reading)
  }
}

/** A model may write on after it has asked for a call: what it says belongs to the same answer. */
function addMessage(message: CallMessage, reading: Reading): void {
  const { messages, open } = reading
  const last = messages.at(-1)
  if (open.size === 0) messages.push(withThoughts(message, reading))
  else if (message.role === 'assistant' && last?.role === 'assistant') {
    const said = [last, message].flatMap(({ content }) => partsIn(content))
    messages[messages.length - 1] = withThoughts({ ...last, content: contentOf(said) }, reading)
  } else throw unanswered()
}

function partsIn(content: unknown): readonly RawPart[] {
  const read = readContent(content)
  if (typeof read !== 'string') return read
  return read === '' ? [] : [{ type: 'text', text: read }]
}

const unanswered = () =>
  new FieldProblem('must be preceded by a function_call_output for each pending function_call')

function messageOf({ role: given, content }: Item): CallMessage {
  const role = required(given, 'role')
  const of = role === 'user' ? 'media' : 'text'
  required(content, 'content')
  if (typeof content === 'string') return { role: roleOf(role), content }
  return {
    role: roleOf(role),
    content: within('content', () => contentOf(readParts(content, itemParts, { of }))),
  }
}

const roleOf = (role: (typeof roles)[number]) => (role === 'developer' ? 'system' : role)

const outputOf = (output: unknown): RawPart[] => {
  required(output, 'output')
  return within('output', () => readParts(output, itemParts, { of: 'media' }))
}

/** Without its opaque content, a reasoning item holds nothing that a model can use. */
function addThought({ sealed }: Item, reading: Reading) {
  if (sealed === undefined) return
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

function addCall(item: Item, written: string, of: ToolForm['kind'], reading: Reading): void {
  const { messages, open, signature, box } = reading
  reading.signature = undefined
  const form = { name: required(item.name, 'name'), kind: of }
  const { namespace } = item
  const call: ToolCall = {
    id: required(item.callId, 'call_id'),
    name: box.nameOf(namespace === undefined ? form : { ...form, namespace }),
    arguments: written,
    ...(signature === undefined ? {} : { signature }),
  }
  if (open.has(call.id)) throw problemAt('call_id', 'is used more than once')
  if (open.size >= maxToolCalls) {
    throw new FieldProblem(`exceeds the limit of ${maxToolCalls} pending function calls`)
  }
  const last = messages.at(-1)
  if (last?.role === 'tool' && open.size > 0) throw unanswered()
  open.add(call.id)
  if (last?.role !== 'assistant') {
    const calling: CallMessage = { role: 'assistant', content: '', toolCalls: [call] }
    messages.push(withThoughts(calling, reading))
  } else {
    const calling: CallMessage = { ...last, toolCalls: [...(last.toolCalls ?? []), call] }
    messages[messages.length - 1] = withThoughts(calling, reading)
  }
}

function addResult({ callId }: Item, parts: RawPart[], { messages, open }: Reading): void {
  const toolCallId = required(callId, 'call_id')
  if (!open.delete(toolCallId)) throw problemAt('call_id', 'does not match a pending function_call')
  messages.push({ role: 'tool', toolCallId, content: contentOf(parts) })
}
