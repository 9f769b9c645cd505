// The messages of a request. One message of a client may become several here: the results of
// functions and the text that follows them.
import type { RawPart, RawParts } from '#core/chat-content.ts'
import type { CallMessage, ToolAnswer } from '#core/generation.ts'
import { isRecord } from '#core/record.ts'
import type { Thought, ToolCall } from '#core/text-stream.ts'
import { contentOf, readEach, refuseBlank } from '../content.ts'
import {
  anything,
  FieldProblem,
  oneOf,
  onlyHarmless,
  problemAt,
  type Read,
  readFields,
  record,
  refused,
  required,
  rowsOf,
  within,
} from '../field-table.ts'
import { maxToolCalls } from '../limits.ts'
import { type Block, instructionBlocks, messageBlocks, partsOf, readBlocks } from './blocks.ts'

type Message = { role?: 'user' | 'assistant' | 'system'; content?: unknown }
const row = rowsOf<Message>()

export const messageFields = {
  role: row('role', 'whose message it is', oneOf('user', 'assistant', 'system')),
  content: row('content', 'its parts', anything),
  clear_at: refused('is not supported: leave the message out later', onlyHarmless('never')),
  output_config: refused('is not supported: set output_config for the request'),
}

export const readMessages: Read<CallMessage[]> = (value) => {
  // Tool calls that still wait for their result.
  const open = new Set<string>()
  const messages = readEach(value, (message) => readMessage(message, open)).flat()
  if (open.size > 0) throw new FieldProblem(unanswered)
  refuseBlank(messages)
  return messages
}

const unanswered = 'must contain a tool_result for each pending tool_use'

function readMessage(value: unknown, open: Set<string>): CallMessage[] {
  const { role, content } = readFields<Message>(messageFields, record(value), {})
  switch (required(role, 'role')) {
    case 'system':
      return [{ role: 'system', content: within('content', () => readInstructions(content)) }]
    case 'assistant':
      if (open.size > 0) throw new FieldProblem(unanswered)
      return [within('content', () => readAssistant(readBlocks(content, messageBlocks), open))]
    default:
      return within('content', () => readUser(readBlocks(content, messageBlocks), open))
  }
}

/** Text, or blocks of text. */
export const readInstructions: Read<string | RawParts> = (value) =>
  contentOf(readBlocks(value, instructionBlocks).flatMap(partsOf))

const isThought = ({ type }: Block) => type === 'thinking' || type === 'redacted_thinking'

function readUser(blocks: Block[], open: Set<string>): CallMessage[] {
  const results: CallMessage[] = []
  const parts: RawPart[] = []
  for (const [index, block] of blocks.entries()) {
    if (block.type === 'tool_result') results.push(within(index, () => resultOf(block, open)))
    else if (block.type === 'tool_use' || isThought(block)) throw misplaced(index, block)
    else parts.push(...partsOf(block))
  }
  if (open.size > 0) throw new FieldProblem(unanswered)
  return parts.length === 0 ? results : [...results, { role: 'user', content: contentOf(parts) }]
}

function misplaced(index: number, { type }: Block): FieldProblem {
  const problem = problemAt('type', `(${type}) cannot be in a message of this role`)
  problem.path.unshift(index)
  return problem
}

function resultOf({ id, parts = [], isError, cache }: Block, open: Set<string>): ToolAnswer {
  const toolCallId = required(id, 'tool_use_id')
  if (!open.delete(toolCallId)) {
    const why = 'does not match a pending tool_use in the preceding assistant message'
    throw problemAt('tool_use_id', why)
  }
  const last = parts.at(-1) ?? { type: 'text', text: '' }
  const marked = cache ? [...parts.slice(0, -1), { ...last, cache }] : parts
  const answer: ToolAnswer = { role: 'tool', toolCallId, content: contentOf(marked) }
  return isError ? { ...answer, isError } : answer
}

function readAssistant(blocks: Block[], open: Set<string>): CallMessage {
  const parts: RawPart[] = []
  const toolCalls: ToolCall[] = []
  const thoughts: Thought[] = []
  // Of the next call: Google's models sign calls, not thoughts.
  let signature: string | undefined
  for (const [index, block] of blocks.entries()) {
    if (block.type === 'tool_use') {
      const call = within(index, () => callOf(block, open))
      toolCalls.push(signature === undefined ? call : { ...call, signature })
      signature = undefined
    } else if (block.type === 'thinking') {
      const signed = block.signature ? { signature: block.signature } : {}
      thoughts.push({ text: block.thinking ?? '', ...signed })
    } else if (block.type === 'redacted_thinking') {
      const { data = '' } = block
      if (data.includes('.')) thoughts.push({ text: '', signature: data })
      else signature = data
    } else if (block.type === 'tool_result') throw misplaced(index, block)
    else parts.push(...partsOf(block))
  }
  return {
    role: 'assistant',
    content: contentOf(parts),
    ...(toolCalls.length === 0 ? {} : { toolCalls }),
    ...(thoughts.length === 0 ? {} : { thoughts }),
  }
}

function callOf({ id: given, name, input = {}, cache }: Block, open: Set<string>): ToolCall {
  const id = required(given, 'id')
  if (open.has(id)) throw problemAt('id', 'is used more than once')
  if (open.size >= maxToolCalls) {
    throw new FieldProblem(`exceeds the limit of ${maxToolCalls} tool calls per message`)
  }
  if (!isRecord(input)) throw problemAt('input', 'must be an object')
  open.add(id)
  const call = { id, name: required(name, 'name'), arguments: JSON.stringify(input) }
  return cache === undefined ? call : { ...call, cache }
}
