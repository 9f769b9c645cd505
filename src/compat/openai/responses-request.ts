// A request of the Responses API: what becomes of each of its fields.
import { isRecord } from '#core/record.ts'
import type { JsonSchema } from '#core/text-stream.ts'
import {
  anything,
  carried,
  count,
  type Fields,
  flag,
  ignored,
  kind,
  listOf,
  oneOf,
  onlyHarmless,
  readFields,
  reading,
  readVariant,
  record,
  refused,
  required,
  rowsOf,
  someText,
  text,
  type Variants,
  within,
} from '../field-table.ts'
import {
  type Asked as AskedCall,
  type Call,
  callRow,
  effort,
  schemaFields,
  schemaOf,
  sharedFields,
  topLogprobs,
  verbosity,
} from './call-fields.ts'
import { attemptOf, type Earlier, isReference, nothingEarlier } from './kept-items.ts'
import { addTools, readResponseChoice, searchOf, type Reading as Tools } from './response-tools.ts'
import { itemsIn, readItems } from './responses-input.ts'
import { Toolbox, type ToolForms } from './tool-forms.ts'
import { toolUse } from './tools.ts'

export type ResponseOrder = {
  call: Call
  isStream: boolean
  /** The fields of the request that the answer repeats. */
  echo: object
  /** How the client knows the functions of the call. */
  forms: ToolForms
  /** The search was added by an agent and may be left out. */
  isSearchOptional: boolean
  /** Whether the answer is kept, with these items. */
  isKept: boolean
  items: readonly unknown[]
  /** The attempt behind the response that this one continues. */
  previousId: string | null
  /** The responses that this one needs. */
  usedIds: readonly string[]
}

/** What the fields of a request say. Its items and tools are still to be read. */
export type AskedResponse = AskedCall & {
  given: Fields
  include?: string[]
  input?: unknown
  tools?: unknown
  previousId?: string
  isStored?: boolean
  maxToolCalls?: number
}
type Asked = AskedResponse

const row = rowsOf<Asked>()

export const reasoningFields = {
  effort: callRow(
    'reasoningEffort',
    'the reasoning effort, or the nearest that the model has',
    effort,
  ),
  summary: callRow(
    'showThoughts',
    'whether thoughts are shown in words',
    (value) => oneOf('auto', 'concise', 'detailed', 'none')(value) !== 'none',
  ),
  generate_summary: callRow(
    'showThoughts',
    'the same',
    (value) => oneOf('auto', 'concise', 'detailed')(value) !== undefined,
  ),
  context: ignored('the thoughts that you send back go to their vendor'),
  mode: refused('(pro) is not offered', onlyHarmless('standard')),
}

export const formatKinds = {
  text: { type: kind },
  json_object: { type: kind },
  json_schema: { type: kind, ...schemaFields },
} satisfies Variants<Partial<JsonSchema>>

function putFormat({ call }: AskedCall, value: unknown) {
  const schema = readVariant<Partial<JsonSchema>>(formatKinds, value, {})
  const { type } = record(value)
  if (type === 'text') call.responseFormat = 'text'
  else if (type === 'json_object') call.responseFormat = 'json'
  else call.jsonSchema = schemaOf(schema)
}

export const textFields = {
  format: carried('the form of the answer', anything, putFormat),
  verbosity: callRow('verbosity', 'the same, for models that have it', verbosity),
}

export const requestFields = {
  ...sharedFields,
  input: row('input', 'the conversation', anything),
  instructions: callRow('systemPrompt', 'the system prompt', text),
  max_output_tokens: callRow(
    'maxTokens',
    'the limit of the answer, or that of the model if lower',
    count,
  ),
  tools: row('tools', 'the functions that the model may ask for', anything),
  tool_choice: row('choice', 'the choice among them', readResponseChoice),
  text: carried(
    'format and verbosity, see below',
    record,
    (asked: AskedCall, given) => void readFields(textFields, given, asked),
  ),
  reasoning: carried(
    'effort and summary, see below',
    record,
    (asked: AskedCall, given) => void readFields(reasoningFields, given, asked),
  ),
  top_logprobs: row('topLogprobs', 'log probabilities, for models that tell them', topLogprobs),
  include: row(
    'include',
    'log probabilities, if they are named; the rest is in every answer or is of hosted tools',
    listOf(someText),
  ),
  metadata: ignored('the answer repeats it'),
  stream_options: ignored('events have no padding'),
  max_tool_calls: row('maxToolCalls', 'how often the vendor may search, at most 20', count),
  truncation: ignored('nothing of a conversation is left out; one that is too long is refused'),
  image: ignored('pictures are sent as they are'),
  client_metadata: ignored('it describes the client to the vendor, and is not passed on'),
  access_programs: ignored('calls are made with what the operator of this server may use'),
  context_management: refused('is not supported: shorten the conversation yourself'),
  moderation: refused('is not offered: check the text yourself', onlyHarmless()),
  store: row('isStored', 'whether the answer is kept for a while', flag),
  previous_response_id: row('previousId', 'the conversation so far, if it is still kept', someText),
  conversation: refused('is not supported: continue with previous_response_id', onlyHarmless()),
  prompt: refused('is not supported: prompts are not stored', onlyHarmless()),
  background: refused('is not supported: an answer is made while you wait'),
}

export const readResponseFields = (body: unknown): AskedResponse =>
  reading('brackets', () => {
    const given = record(body)
    return readFields<Asked>(requestFields, given, { given, call: {} })
  })

/** The call, once everything that the request refers to is there. */
export const readConversation = (
  asked: AskedResponse,
  earlier: Earlier = nothingEarlier,
  { canKeep = false } = {},
): ResponseOrder =>
  reading('brackets', () => {
    const { call, isStream = false, given, previousId, isStored = true } = asked
    const modelId = required(call.modelId, 'model')
    const tools: Tools = { box: new Toolbox() }
    if (asked.tools !== undefined) within('tools', () => addTools(asked.tools, tools))
    const items = within('input', () => itemsIn(asked.input)).map((item) => resolved(item, earlier))
    const messages = within('input', () => readItems(earlier.items, items, tools))
    putLogprobs(asked)
    const isKept = canKeep && isStored
    const { box, search } = tools
    const webSearch = search ? { webSearch: searchOf(search, asked.maxToolCalls) } : {}
    const used = toolUse({ ...asked, box, ...webSearch })
    return {
      isStream,
      echo: { ...echoOf(given), store: isKept },
      forms: tools.box.forms,
      isSearchOptional: tools.search?.external_web_access !== undefined,
      call: Object.assign(call, { modelId, messages }, used),
      isKept,
      items,
      previousId: previousId === undefined ? null : attemptOf(previousId),
      usedIds: earlier.responseIds,
    }
  })

const resolved = (item: unknown, { referred }: Earlier): unknown =>
  isRecord(item) && isReference(item) ? (referred.get(String(item.id)) ?? item) : item

/** Logprobs are requested by naming them in `include`, or by a `top_logprobs` above 0. */
function putLogprobs({ call, include = [], topLogprobs = 0 }: Asked) {
  if (topLogprobs > 0 || include.includes('message.output_text.logprobs')) {
    call.topLogprobs = topLogprobs
  }
}

/** The official clients expect these fields in every answer. */
const echoOf = (body: Fields) => ({
  instructions: body.instructions ?? null,
  max_output_tokens: body.max_output_tokens ?? null,
  metadata: body.metadata ?? {},
  parallel_tool_calls: body.parallel_tool_calls ?? true,
  previous_response_id: body.previous_response_id ?? null,
  reasoning: body.reasoning ?? { effort: null, summary: null },
  temperature: body.temperature ?? null,
  text: { format: { type: 'text' }, ...(isRecord(body.text) ? body.text : {}) },
  tool_choice: body.tool_choice ?? 'auto',
  tools: body.tools ?? [],
  top_p: body.top_p ?? null,
})
