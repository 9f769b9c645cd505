// A request of the messages API: what becomes of each of its fields.
import { type RawPart, RawParts } from '#core/chat-content.ts'
import { Failure } from '#core/errors.ts'
import type { CallMessage, TextCall } from '#core/generation.ts'
import type { CacheLifetime, JsonSchema, ReasoningEffort } from '#core/text-stream.ts'
import {
  anything,
  between,
  carried,
  count,
  flag,
  ignored,
  kind,
  listOf,
  number,
  oneOf,
  onlyHarmless,
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
import { maxStops } from '../limits.ts'
import { cacheLifetime } from './blocks.ts'
import { readInstructions, readMessages } from './messages.ts'
import { type ChosenTool, readChoice, readTools, type Tools, toolUse } from './tools.ts'

export type MessagesOrder = { call: Omit<TextCall, 'principal'>; isStream: boolean }

type Asked = {
  modelId?: string
  messages?: CallMessage[]
  maxTokens?: number
  system?: string | RawParts
  tools?: Tools
  choice?: ChosenTool
  stop?: string[]
  temperature?: number
  topP?: number
  effort?: ReasoningEffort
  jsonSchema?: JsonSchema
  showThoughts?: boolean
  cache?: CacheLifetime
  isStream?: boolean
}

const row = rowsOf<Asked>()

type Format = { schema?: object }

export const formatKinds = {
  json_schema: { type: kind, schema: rowsOf<Format>()('schema', 'the schema', record) },
} satisfies Variants<Format>

const readSchema: Read<JsonSchema> = (value) => {
  const { schema } = readVariant<Format>(formatKinds, value, {})
  return { name: 'answer', schema: required(schema, 'schema'), strict: true }
}

export const outputFields = {
  effort: row(
    'effort',
    'the reasoning effort, or the nearest that the model has',
    oneOf('low', 'medium', 'high', 'xhigh', 'max'),
  ),
  format: row('jsonSchema', 'the JSON schema of the answer', readSchema),
  task_budget: ignored('the model is not told what is left of it; max_tokens limits each answer'),
}

type Thinking = { display?: 'summarized' | 'omitted' }
const display = rowsOf<Thinking>()(
  'display',
  'whether thoughts are shown in words',
  oneOf('summarized', 'omitted'),
)

const block_binding = ignored('thoughts that no longer fit are judged by their vendor, as always')

export const thinkingKinds = {
  adaptive: { type: kind, display, block_binding },
  enabled: {
    type: kind,
    display,
    block_binding,
    budget_tokens: ignored('models decide themselves how much to think, within max_tokens'),
  },
  between_tools: { type: kind },
  disabled: { type: kind },
} satisfies Variants<Thinking>

/** With a budget, thoughts are shown unless they are to be omitted; else only on request. */
const readThinking: Read<boolean> = (value) => {
  const { display } = readVariant<Thinking>(thinkingKinds, value, {})
  const isBudgeted = record(value).type === 'enabled'
  return display === undefined ? isBudgeted : display === 'summarized'
}

const clears = ignored('the whole conversation is sent to the model')

export const editKinds = {
  clear_tool_uses_20250919: {
    type: kind,
    trigger: clears,
    keep: clears,
    clear_at_least: clears,
    exclude_tools: clears,
    clear_tool_inputs: clears,
  },
  clear_thinking_20251015: { type: kind, keep: clears },
  compact_20260112: refused('is not supported: shorten the conversation yourself'),
} satisfies Variants<object>

export const contextFields = {
  edits: carried(
    'nothing: the whole conversation is sent to the model',
    listOf((edit) => readVariant<object>(editKinds, edit, {})),
    () => {},
  ),
}

const stopWords = listOf(someText, { most: maxStops, of: 'texts' })

export const requestFields = {
  model: row('modelId', 'the model, by its id here', someText),
  messages: row('messages', 'the conversation', readMessages),
  max_tokens: row('maxTokens', 'the limit of the answer, or that of the model if lower', count),
  system: row('system', 'the system prompt', readInstructions),
  tools: row('tools', 'the functions that the model may ask for', readTools),
  tool_choice: row('choice', 'the choice among them', readChoice),
  stop_sequences: row('stop', 'where the answer ends', stopWords),
  temperature: row('temperature', 'the temperature, for models that have one', number),
  top_p: row('topP', 'top-p, for models that have it', between(0, 1)),
  top_k: refused('is not supported: use temperature or top_p'),
  stream: row('isStream', 'whether the answer is streamed', flag),
  output_config: carried(
    'effort and format, see below',
    record,
    (asked: Asked, given) => void readFields(outputFields, given, asked),
  ),
  output_format: row('jsonSchema', 'the JSON schema of the answer', readSchema),
  thinking: row('showThoughts', 'whether thoughts are shown, see below', readThinking),
  cache_control: row('cache', 'a mark at the end of the prompt, for prompt caching', cacheLifetime),
  context_management: carried(
    'nothing: the whole conversation is sent to the model',
    record,
    (_: Asked, given) => void readFields(contextFields, given, {}),
  ),
  thread: carried('an error that makes clients send the whole conversation', anything, () => {
    throw unsupportedThread()
  }),
  metadata: ignored('it names your user to the vendor, and is not passed on'),
  diagnostics: ignored('answers have `diagnostics: null`'),
  service_tier: ignored('calls are made in the standard tier of the vendor'),
  speed: refused('(fast) is not offered', onlyHarmless('standard')),
  inference_geo: refused(
    'is not supported: where a model runs is up to the vendor that this server uses',
    onlyHarmless('global'),
  ),
  fallbacks: ignored('only this model is asked, or the candidates of a route that it names'),
  fallback_credit_token: ignored('there are no fallbacks of the vendor'),
  container: refused('is not offered: there are no hosted tools'),
  mcp_servers: refused('is not supported: connect the MCP server to your client'),
  compaction: refused('is not supported: shorten the conversation yourself'),
}

/**
 * Clients that keep a conversation as a thread send only what is new. Refused as Anthropic does
 * where threads are not available, so that they send all of it.
 */
const unsupportedThread = () =>
  new Failure('UNSUPPORTED_PARAMETER', {
    message: 'thread is not supported: send the whole conversation, without thread.',
    details: { param: 'thread', vendor: { error_code: 'thread_unsupported_request' } },
  })

/** `limit`: an answer requires max_tokens, a count of tokens does not. */
export const readMessagesRequest = (
  body: unknown,
  { limit }: { limit: 'required' | 'optional' },
): MessagesOrder =>
  reading('dots', () => {
    const asked = readFields<Asked>(requestFields, record(body), {})
    const { maxTokens, system = '', isStream = false, cache } = asked
    if (limit === 'required') required(maxTokens, 'max_tokens')
    const messages = required(asked.messages, 'messages')
    return {
      isStream,
      call: {
        modelId: required(asked.modelId, 'model'),
        messages: withSystem(system, cache === undefined ? messages : marked(messages, cache)),
        systemPrompt: typeof system === 'string' && system !== '' ? system : undefined,
        maxTokens,
        ...toolUse(asked.tools, asked.choice),
        stop: asked.stop?.length ? asked.stop : undefined,
        temperature: asked.temperature,
        // 1 is what every model does anyway.
        topP: asked.topP === 1 ? undefined : asked.topP,
        reasoningEffort: asked.effort,
        jsonSchema: asked.jsonSchema,
        showThoughts: asked.showThoughts,
      },
    }
  })

/** A prompt with marks for caching consists of parts, and is the first message. */
const withSystem = (system: string | RawParts, messages: CallMessage[]): CallMessage[] =>
  typeof system === 'string' ? messages : [{ role: 'system', content: system }, ...messages]

function marked(messages: CallMessage[], cache: CacheLifetime): CallMessage[] {
  const last = messages.at(-1)
  if (!last) return messages
  const parts: readonly RawPart[] =
    last.content instanceof RawParts
      ? last.content.parts
      : [{ type: 'text', text: String(last.content) }]
  const end = parts.at(-1)
  const all = end ? [...parts.slice(0, -1), { ...end, cache }] : parts
  return [...messages.slice(0, -1), { ...last, content: new RawParts(all) }]
}
