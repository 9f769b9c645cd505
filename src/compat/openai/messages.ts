// The messages of a chat completion, and what becomes of each field of them.
import type { RawPart, RawParts } from '#core/chat-content.ts'
import type { CallMessage } from '#core/generation.ts'
import { isRecord } from '#core/record.ts'
import type { CacheLifetime, ToolCall } from '#core/text-stream.ts'
import { contentOf, readEach, refuseBlank } from '../content.ts'
import {
  anything,
  FieldProblem,
  ignored,
  listOf,
  oneOf,
  onlyHarmless,
  problemAt,
  type Read,
  readFields,
  record,
  refused,
  required,
  rowsOf,
  someText,
  text,
  within,
} from '../field-table.ts'
import { maxToolCalls } from '../limits.ts'
import { unpackThoughts } from '../thoughts.ts'
import { cacheLifetime, chatParts, readParts } from './parts.ts'
import { argumentsOf } from './tool-forms.ts'

type Call = { id?: string; type?: string; function?: Named; custom?: Named; signature?: string }
type Named = { name?: string; arguments?: string; input?: string }

const named = rowsOf<Named>()
const callRow = rowsOf<Call>()
const name = named('name', 'the name of the function', someText)

export const calledFields = {
  name,
  arguments: named('arguments', 'its arguments', text),
  parsed_arguments: ignored('it repeats the arguments'),
}

export const calledCustomFields = { name, input: named('input', 'its input', text) }

export const callFields = {
  id: callRow('id', 'the id of the call', someText),
  type: callRow('type', 'the kind of tool', oneOf('function', 'custom')),
  function: callRow('function', 'the function and its arguments', (value) =>
    readFields<Named>(calledFields, record(value), {}),
  ),
  custom: callRow('custom', 'the tool and its input', (value) =>
    readFields<Named>(calledCustomFields, record(value), {}),
  ),
  // As Google's own OpenAI-compatible API writes it.
  extra_content: {
    use: 'carried',
    to: 'the thoughts that led to the call, for the vendor whose model had them',
    put: (call: Call, extra: unknown) => {
      const google = isRecord(extra) ? extra.google : undefined
      const signature = isRecord(google) ? google.thought_signature : undefined
      if (typeof signature === 'string') call.signature = signature
    },
  },
  index: ignored('calls are in the order of the list'),
  provider_specific_fields: ignored('another gateway made it for itself'),
} as const

const readCall: Read<ToolCall> = (value) => {
  const {
    id,
    function: called,
    custom,
    signature,
  } = readFields<Call>(callFields, record(value), {})
  return {
    id: required(id, 'id'),
    ...(custom
      ? within('custom', () => ({
          name: required(custom.name, 'name'),
          arguments: argumentsOf(required(custom.input, 'input')),
        }))
      : calledOf(required(called, 'function'))),
    ...(signature === undefined ? {} : { signature }),
  }
}

const calledOf = (called: Named) =>
  within('function', () => ({
    name: required(called.name, 'name'),
    arguments: required(called.arguments, 'arguments'),
  }))

const roles = ['system', 'developer', 'user', 'assistant', 'tool'] as const

type Message = {
  role?: (typeof roles)[number]
  content?: unknown
  refusal?: string
  calls?: ToolCall[]
  callId?: string
  cache?: CacheLifetime
}

const row = rowsOf<Message>()
const thoughts = ignored('what a vendor wants back of its thoughts comes back with the calls')
const asked = { most: maxToolCalls, of: 'calls' }

export const messageFields = {
  role: row('role', 'whose message it is', oneOf(...roles)),
  content: row('content', 'its parts', anything),
  refusal: row('refusal', 'the answer, if there is no content', text),
  tool_calls: row('calls', 'the calls that the model asked for', listOf(readCall, asked)),
  tool_call_id: row('callId', 'the call that it answers', someText),
  name: ignored('vendors see whose message it is by its role'),
  audio: refused('is not supported: send the words of the answer as content'),
  function_call: refused('is not supported; use tool_calls', onlyHarmless()),
  // What other servers, gateways and clients add.
  cache_control: row('cache', 'a mark for prompt caching at its end', cacheLifetime),
  reasoning_content: thoughts,
  reasoning: thoughts,
  reasoning_details: thoughts,
  reasoning_text: thoughts,
  thinking_blocks: thoughts,
  annotations: ignored('it says where an earlier answer had its words from'),
  parsed: ignored('it repeats the content'),
  provider_specific_fields: ignored('another gateway made it for itself'),
  extra_content: ignored('what a vendor wants back comes back with the calls'),
  id: ignored('messages are in the order of the list'),
  images: refused('is not supported: send pictures as parts of a message of the user'),
  prefix: refused('is not supported: an answer cannot be begun for the model'),
}

export const readMessages: Read<CallMessage[]> = (value) => {
  // Calls of the preceding answer that still wait for their result.
  const open = new Set<string>()
  const messages = readEach(value, (message) => readMessage(message, open))
  if (open.size > 0) throw new FieldProblem('must contain a tool message for each tool call')
  refuseBlank(messages)
  return messages
}

function readMessage(value: unknown, open: Set<string>): CallMessage {
  const message = readFields<Message>(messageFields, record(value), {})
  const role = required(message.role, 'role')
  if (role !== 'tool' && open.size > 0) {
    throw new FieldProblem('must be preceded by a tool message for each pending tool call')
  }
  switch (role) {
    case 'system':
    case 'developer':
      return { role: 'system', content: contentIn(message, 'text') }
    case 'user':
      if (Array.isArray(message.content) && message.content.length === 0) {
        throw problemAt('content', 'must be text or a list of parts')
      }
      return { role: 'user', content: contentIn(message, 'media') }
    case 'assistant':
      return readAssistant(message, open)
    case 'tool': {
      const toolCallId = required(message.callId, 'tool_call_id')
      if (open.delete(toolCallId)) {
        return { role: 'tool', toolCallId, content: contentIn(message, 'media') }
      }
      const why = 'does not match a pending tool call in the preceding assistant message'
      throw problemAt('tool_call_id', why)
    }
    default:
      return role satisfies never
  }
}

function contentIn({ content, cache }: Message, of: 'text' | 'media'): string | RawParts {
  if (typeof content === 'string' && cache === undefined) return content
  required(content, 'content')
  return within('content', () => {
    const parts = readParts(content, chatParts, { of })
    return contentOf(cache === undefined ? parts : markedAtEnd(parts, cache))
  })
}

const markedAtEnd = (parts: RawPart[], cache: CacheLifetime): RawPart[] =>
  parts.map((part, index) => (index === parts.length - 1 ? { ...part, cache } : part))

function readAssistant(message: Message, open: Set<string>): CallMessage {
  const { calls = [], refusal } = message
  const content = message.content ?? refusal ?? (calls.length > 0 ? '' : undefined)
  const said = contentIn({ ...message, content }, 'text')
  if (calls.length === 0) return { role: 'assistant', content: said }
  for (const [index, { id }] of calls.entries()) {
    if (open.has(id)) throw repeated(index)
    open.add(id)
  }
  return { role: 'assistant', content: said, ...unpackThoughts(calls) }
}

function repeated(index: number): FieldProblem {
  const problem = problemAt('id', 'is used more than once')
  problem.path.unshift('tool_calls', index)
  return problem
}
