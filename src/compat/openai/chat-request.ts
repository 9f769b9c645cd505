// A request of chat completions: what becomes of each of its fields.
import {
  anything,
  carried,
  count,
  FieldProblem,
  flag,
  ignored,
  kind,
  listOf,
  number,
  onlyHarmless,
  problemAt,
  type Read,
  readFields,
  reading,
  readVariant,
  record,
  refused,
  required,
  rowsOf,
  someText,
  type Variants,
} from '../field-table.ts'
import {
  type Asked as AskedCall,
  type Call,
  callRow,
  effort,
  penalty,
  readSchema,
  sharedFields,
  topLogprobs,
  verbosity,
} from './call-fields.ts'
import { gatewayFields } from './gateway-fields.ts'
import { readMessages } from './messages.ts'
import { noForms, type Toolbox, type ToolForms } from './tool-forms.ts'
import { readChatChoice, readChatTools, toolUse } from './tools.ts'

export type ChatOrder = {
  call: Call
  isStream: boolean
  includeUsage: boolean
  /** How the client knows the functions of the call. */
  forms: ToolForms
}

export type Asked = AskedCall & {
  box?: Toolbox
  maxTokens?: number
  maxCompletionTokens?: number
  hasLogprobs?: boolean
  streams?: Streams
  includeUsage?: boolean
}

type Streams = { includeUsage?: boolean }

const row = rowsOf<Asked>()

/** OpenAI's own limits. */
const maxStops = 4
const maxChoices = 128
const maxBiases = 1024

/** Some clients send empty text or an empty list for a parameter that is not set. */
const stops: Read<string[] | undefined> = (value) => {
  if (value === '') return undefined
  if (typeof value === 'string') return [value]
  if (!Array.isArray(value) || value.length > maxStops) {
    throw new FieldProblem(`must be text or a list of at most ${maxStops} texts`)
  }
  return value.length === 0 ? undefined : listOf(someText)(value)
}

const choices: Read<number | undefined> = (value) => {
  const wanted = number(value)
  if (wanted === 1) return undefined
  if (Number.isInteger(wanted) && wanted >= 1 && wanted <= maxChoices) return wanted
  throw new FieldProblem(`must be from 1 to ${maxChoices}`)
}

const biases: Read<Record<string, number> | undefined> = (value) => {
  const entries = Object.entries(record(value))
  const isUsable = ([token, bias]: [string, unknown]) =>
    /^\d{1,9}$/.test(token) && typeof bias === 'number' && Math.abs(bias) <= 100
  if (!entries.every(isUsable) || entries.length > maxBiases) {
    throw new FieldProblem('must map tokens to numbers from -100 to 100')
  }
  return entries.length === 0 ? undefined : (Object.fromEntries(entries) as Record<string, number>)
}

export const formatKinds = {
  text: { type: kind },
  json_object: { type: kind },
  json_schema: { type: kind, json_schema: callRow('jsonSchema', 'the JSON schema', readSchema) },
} satisfies Variants<AskedCall>

function putFormat(asked: Asked, value: unknown) {
  readVariant<AskedCall>(formatKinds, value, asked)
  const { type } = record(value)
  if (type === 'text') asked.call.responseFormat = 'text'
  else if (type === 'json_object') asked.call.responseFormat = 'json'
  else required(asked.call.jsonSchema, 'json_schema')
}

export const streamFields = {
  include_usage: rowsOf<Streams>()('includeUsage', 'whether the last chunk has the usage', flag),
  include_obfuscation: ignored('chunks have no padding'),
  continuous_usage_stats: ignored('the usage is known at the end'),
}

const onlyText = (value: unknown) => Array.isArray(value) && value.every((one) => one === 'text')

export const requestFields = {
  ...gatewayFields,
  ...sharedFields,
  messages: callRow('messages', 'the conversation', readMessages),
  max_tokens: row('maxTokens', 'the limit of the answer, or that of the model if lower', count),
  max_completion_tokens: row('maxCompletionTokens', 'the same', count),
  tools: row('box', 'the functions that the model may ask for', readChatTools),
  tool_choice: row('choice', 'the choice among them', readChatChoice),
  stop: callRow('stop', 'where the answer ends', stops),
  n: callRow('choices', 'the number of answers, for models that can', choices),
  frequency_penalty: callRow('frequencyPenalty', 'the same, for models that have it', penalty),
  presence_penalty: callRow('presencePenalty', 'the same, for models that have it', penalty),
  logit_bias: callRow('logitBias', 'the same, for models that have it', biases),
  logprobs: row('hasLogprobs', 'log probabilities, for models that tell them', flag),
  top_logprobs: row('topLogprobs', 'of how many alternatives', topLogprobs),
  verbosity: callRow('verbosity', 'the same, for models that have it', verbosity),
  reasoning_effort: callRow(
    'reasoningEffort',
    'the reasoning effort, or the nearest that the model has',
    effort,
  ),
  response_format: carried('the form of the answer', anything, putFormat),
  stream_options: row('streams', 'whether the usage is streamed', (value) =>
    readFields<Streams>(streamFields, record(value), {}),
  ),
  seed: ignored('no vendor promises the same answer twice'),
  store: ignored('chat completions are not stored'),
  metadata: ignored('it describes stored completions, of which there are none'),
  prediction: ignored('it makes some models faster and changes no answer'),
  audio: refused('is not supported: answers are text', onlyHarmless()),
  modalities: refused('may only be ["text"]', onlyText),
  functions: refused('is not supported; use tools', onlyHarmless()),
  function_call: refused('is not supported; use tool_choice', onlyHarmless()),
  moderation: refused('is not offered: check the text yourself', onlyHarmless()),
  web_search_options: refused(
    'is not offered: the search tools of the vendors are not passed on; declare a function that searches',
    onlyHarmless(),
  ),
}

/** Never silently ignores a parameter that would change the answer. */
export const readChatRequest = (body: unknown): ChatOrder =>
  reading('brackets', () => {
    const asked = readFields<Asked>(requestFields, record(body), { call: {} })
    const { call, box, isStream = false, streams } = asked
    const modelId = required(call.modelId, 'model')
    const messages = required(call.messages, 'messages')
    const maxTokens = limitOf(asked)
    if (maxTokens !== undefined) call.maxTokens = maxTokens
    if (streams && !isStream) throw problemAt('stream_options', 'needs "stream": true')
    putLogprobs(asked)
    if (box || asked.choice !== undefined) Object.assign(call, toolUse(asked))
    return {
      isStream,
      includeUsage: streams?.includeUsage ?? asked.includeUsage ?? false,
      forms: box?.forms ?? noForms,
      call: Object.assign(call, { modelId, messages }),
    }
  })

/** Accepts the newer and the older name. */
function limitOf({ maxCompletionTokens: newer, maxTokens: older }: Asked): number | undefined {
  if (newer !== undefined && older !== undefined && newer !== older) {
    throw problemAt('max_tokens', 'differs from max_completion_tokens; send one of them')
  }
  return newer ?? older
}

function putLogprobs({ call, hasLogprobs = false, topLogprobs = 0 }: Asked) {
  if (hasLogprobs) call.topLogprobs = topLogprobs
  else if (topLogprobs > 0) throw problemAt('top_logprobs', 'needs "logprobs": true')
}
