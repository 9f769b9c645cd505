// Fields of chat completions that are not OpenAI's: other servers and gateways have them, and
// clients made for those send them to every server.
import { isRecord } from '#core/record.ts'
import type { ReasoningEffort } from '#core/text-stream.ts'
import {
  carried,
  flag,
  ignored,
  kind,
  onlyHarmless,
  readFields,
  readVariant,
  record,
  refused,
  rowsOf,
  type Variants,
} from '../field-table.ts'
import { type Asked, effort } from './call-fields.ts'

/** What these fields say of thoughts. */
type Thinking = { isOn?: boolean; effort?: ReasoningEffort; isHidden?: boolean }

const row = rowsOf<Thinking>()
const budget = ignored('models decide themselves how much to think, within the limit of the answer')
const isOn = row('isOn', 'whether the model thinks, if that is a choice', flag)

export const reasoningFields = {
  effort: row('effort', 'the reasoning effort, or the nearest that the model has', effort),
  enabled: isOn,
  exclude: row('isHidden', 'whether thoughts are shown in words', flag),
  max_tokens: budget,
  summary: ignored('thoughts are shown as their vendor puts them into words'),
}

export const thinkingKinds = {
  enabled: { type: kind, budget_tokens: budget, clear_thinking: budget },
  adaptive: { type: kind, display: ignored('thoughts are shown in words') },
  auto: { type: kind },
  disabled: { type: kind },
} satisfies Variants<Thinking>

export const templateFields = {
  enable_thinking: isOn,
  thinking: isOn,
  thinking_budget: budget,
  preserve_thinking: ignored('earlier thoughts go to the vendor that wants them back'),
  clear_thinking: ignored('earlier thoughts go to the vendor that wants them back'),
  reasoning_effort: row('effort', 'the reasoning effort', effort),
}

function put(asked: Asked, { isOn, effort, isHidden }: Thinking) {
  if (isOn === false) asked.call.reasoningEffort = 'none'
  else if (effort !== undefined) asked.call.reasoningEffort = effort
  if (isOn !== undefined || effort !== undefined || isHidden !== undefined) {
    asked.call.showThoughts = isOn !== false && !isHidden
  }
}

const usageFields = {
  include: rowsOf<{ includeUsage?: boolean }>()('includeUsage', 'usage in the last chunk', flag),
}

const sampling = 'is not supported: use temperature or top_p'
const forItself = ignored('another gateway reads it for itself')
const isEmpty = (value: unknown) => isRecord(value) && Object.keys(value).length === 0

export const gatewayFields = {
  reasoning: carried('effort and whether thoughts are shown', record, (asked: Asked, given) =>
    put(asked, readFields<Thinking>(reasoningFields, given, {})),
  ),
  include_reasoning: carried('whether thoughts are shown', flag, (asked: Asked, isShown) => {
    asked.call.showThoughts = isShown
  }),
  thinking: carried('whether the model thinks', record, (asked: Asked, given) => {
    readVariant<Thinking>(thinkingKinds, given, {})
    put(asked, { isOn: given.type !== 'disabled' })
  }),
  enable_thinking: carried('whether the model thinks', flag, (asked: Asked, isOn) =>
    put(asked, { isOn }),
  ),
  chat_template_kwargs: carried('whether the model thinks', record, (asked: Asked, given) =>
    put(asked, readFields<Thinking>(templateFields, given, {})),
  ),
  thinking_budget: budget,
  reasoning_format: ignored('thoughts are in reasoning_content'),
  reasoning_split: ignored('thoughts are in reasoning_content'),
  usage: carried(
    'whether the usage is streamed',
    record,
    (asked: Asked & { includeUsage?: boolean }, given) =>
      void readFields(usageFields, given, asked),
  ),
  top_k: refused(sampling, onlyHarmless(0, -1)),
  top_a: refused(sampling, onlyHarmless(0)),
  min_p: refused(sampling, onlyHarmless(0)),
  typical_p: refused(sampling, onlyHarmless(1)),
  repetition_penalty: refused('is not supported: use frequency_penalty', onlyHarmless(1)),
  repeat_penalty: refused('is not supported: use frequency_penalty', onlyHarmless(1)),
  cache_control: ignored('it changes the price only; mark a part to have the prompt kept'),
  cache_prompt: ignored('vendors keep prompts by themselves'),
  tool_stream: ignored('arguments are passed on as they arrive'),
  keep_alive: ignored('models are always there'),
  num_ctx: ignored('a model has its whole context'),
  timings_per_token: ignored('answers have the usage'),
  return_progress: ignored('answers have the usage'),
  provider: refused('is not supported: the model says which vendor answers', isEmpty),
  models: ignored('only this model is asked, or the candidates of a route that it names'),
  route: ignored('only this model is asked, or the candidates of a route that it names'),
  transforms: ignored('the whole conversation is sent to the model'),
  plugins: refused('is not supported: declare functions in tools'),
  options: refused('is not supported: put its fields into the request itself', isEmpty),
  extra_body: refused('is not supported: put its fields into the request itself', isEmpty),
  safe_prompt: refused('is not supported: write what you want into a system message'),
  session_id: forItself,
  trace: forItself,
  tags: forItself,
  litellm_metadata: forItself,
  litellm_session_id: forItself,
  litellm_trace_id: forItself,
  litellm_call_id: forItself,
}
