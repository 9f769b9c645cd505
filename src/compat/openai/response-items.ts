// The items that the input of a Responses request consists of, and what becomes of each field of
// them.
import {
  anything,
  type Fields,
  ignored,
  kind,
  listOf,
  oneOf,
  readVariant,
  record,
  refused,
  rowsOf,
  someText,
  text,
  type Variants,
  whole,
} from '../field-table.ts'
import { isReference } from './kept-items.ts'

export const roles = ['system', 'developer', 'user', 'assistant'] as const

/** What the fields of an item say; which of them there are depends on its type. */
export type Item = {
  role?: (typeof roles)[number]
  content?: unknown
  callId?: string
  name?: string
  namespace?: string
  written?: string
  input?: string
  arguments?: unknown
  output?: unknown
  tools?: unknown[]
  sealed?: string
  said?: string
  reference?: string
}

const row = rowsOf<Item>()

const common = {
  type: kind,
  id: ignored('items are in the order of the list'),
  status: ignored('an item is taken as it is'),
}
const caller = ignored('the model makes every call itself')
const async = refused('is not supported: the result of a call is awaited')
const call_id = row('callId', 'the id of the call', someText)
const name = row('name', 'the name of the function', someText)
const namespace = row('namespace', 'a part of the name of the function', someText)
const output = row('output', 'the result of the call', anything)
const execution = ignored('the call says who searches')

/** What a hosted tool did, in an answer that another server gave. */
const hosted = whole<Item>('a text, as the vendor wrote it', (item, { type, id: _, ...rest }) => {
  item.said = `[${String(type)}] ${JSON.stringify(rest)}`
})
const notHosted = refused('is of a tool that is not offered: leave it out, or send it as text')
const compacted = refused('is not supported: send the conversation itself, or a summary as text')

export const itemKinds = {
  message: {
    ...common,
    role: row('role', 'whose message it is', oneOf(...roles)),
    content: row('content', 'its parts', anything),
    phase: ignored('the order of the items says what the answer is'),
  },
  reasoning: {
    ...common,
    encrypted_content: row('sealed', 'thoughts, for the vendor whose model had them', text),
    summary: ignored('the vendor reads its own form of the thoughts'),
    content: ignored('the vendor reads its own form of the thoughts'),
  },
  function_call: {
    ...common,
    call_id,
    name,
    namespace,
    arguments: row('written', 'its arguments', text),
    parsed_arguments: ignored('it repeats the arguments'),
    caller,
    async,
  },
  function_call_output: {
    ...common,
    call_id,
    output,
    caller,
    name: ignored('the call says it'),
    namespace: ignored('the call says it'),
  },
  custom_tool_call: {
    ...common,
    call_id,
    name,
    namespace,
    input: row('input', 'its input', text),
    caller,
    async,
  },
  custom_tool_call_output: {
    ...common,
    call_id,
    output,
    caller,
    name: ignored('the call says it'),
  },
  tool_search_call: {
    ...common,
    call_id,
    arguments: row('arguments', 'a call of a function', anything),
    execution,
  },
  tool_search_output: {
    ...common,
    call_id,
    tools: row('tools', 'functions that the model may ask for', listOf(record)),
    execution,
  },
  additional_tools: {
    ...common,
    role: ignored('whoever adds them, the model may ask for them'),
    tools: row('tools', 'functions that the model may ask for', listOf(record)),
  },
  web_search_call: hosted,
  file_search_call: hosted,
  code_interpreter_call: hosted,
  mcp_list_tools: hosted,
  mcp_call: hosted,
  mcp_approval_request: notHosted,
  mcp_approval_response: notHosted,
  computer_call: notHosted,
  computer_call_output: notHosted,
  image_generation_call: notHosted,
  local_shell_call: notHosted,
  local_shell_call_output: notHosted,
  shell_call: notHosted,
  shell_call_output: notHosted,
  apply_patch_call: notHosted,
  apply_patch_call_output: notHosted,
  program: notHosted,
  program_output: notHosted,
  compaction: compacted,
  compaction_trigger: compacted,
  configuration_update: refused('is not supported: set it for the request'),
  item_reference: {
    type: kind,
    id: row('reference', 'the item, if its response is still kept', someText),
  },
} satisfies Variants<Item>

export type Kind = keyof typeof itemKinds

export function readItem(value: unknown): { type: Kind; item: Item } {
  const given: Fields = record(value)
  const type = isReference(given) ? 'item_reference' : (given.type ?? 'message')
  const item = readVariant<Item>(itemKinds, { ...given, type }, {})
  return { type: type as Kind, item }
}
