import type { TextCall } from '#core/generation.ts'
import { isRecord } from '#core/record.ts'
import type { AnswerForm, TextOptions } from '#core/text-stream.ts'
import {
  badParameter,
  type Fields,
  given,
  optionalBoolean,
  optionalCount,
  optionalNumber,
  optionalString,
  requiredString,
} from '../parameters.ts'
import { readEffort, readSchema, readTopP } from './chat-request.ts'
import { readInput } from './responses-input.ts'
import { readTopLogprobs, readVerbosity } from './text-options.ts'
import { readTools } from './tools.ts'
import { onlyAllowed, refuseUnsupported, type Unsupported } from './unsupported.ts'

export type ResponseOrder = {
  call: Omit<TextCall, 'principal'>
  isStream: boolean
  /** The fields of the request that the answer repeats. */
  echo: object
}

/** Answers are not stored, so there is nothing to continue or to fetch later. */
const unsupported: Unsupported = {
  previous_response_id: [
    onlyAllowed(),
    'is not supported: answers are not stored. Send the earlier items again in input',
  ],
  conversation: [onlyAllowed(), 'is not supported: conversations are not stored'],
  prompt: [onlyAllowed(), 'is not supported: prompts are not stored'],
  background: [onlyAllowed(false), 'is not supported: an answer is made while you wait'],
  truncation: [onlyAllowed('disabled'), 'may only be "disabled"'],
}

export function readResponseRequest(body: unknown): ResponseOrder {
  if (!isRecord(body)) throw badParameter('', 'must be a JSON object')
  const modelId = requiredString(body, 'model')
  refuseUnsupported(body, unsupported)
  const messages = readInput(given(body, 'input'))
  const temperature = optionalNumber(body, 'temperature')
  const maxTokens = optionalCount(body, 'max_output_tokens')
  const systemPrompt = optionalString(body, 'instructions')
  return {
    isStream: optionalBoolean(body, 'stream') ?? false,
    echo: echoOf(body),
    call: {
      modelId,
      messages,
      ...readTools(body, 'flat'),
      ...readTopP(body),
      ...readOptions(body),
      ...readForm(body),
      ...(systemPrompt === undefined ? {} : { systemPrompt }),
      ...(temperature === undefined ? {} : { temperature }),
      ...(maxTokens === undefined ? {} : { maxTokens }),
    },
  }
}

/** Logprobs are requested by naming them in `include`, or by a `top_logprobs` above 0. */
function readOptions(body: Fields): TextOptions {
  const include = given(body, 'include') ?? []
  const isNamed = Array.isArray(include) && include.includes('message.output_text.logprobs')
  const top = readTopLogprobs(body)
  return {
    ...readVerbosity(objectAt(body, 'text'), 'text.verbosity'),
    ...(isNamed || (top ?? 0) > 0 ? { topLogprobs: top ?? 0 } : {}),
  }
}

function readForm(body: Fields): AnswerForm {
  const text = objectAt(body, 'text')
  const reasoning = objectAt(body, 'reasoning')
  return { ...readFormat(text), ...readEffort(reasoning.effort, 'reasoning.effort') }
}

function readFormat(text: Fields): AnswerForm {
  const format = given(text, 'format')
  if (format === undefined) return {}
  const type = isRecord(format) ? format.type : undefined
  if (type === 'text') return { responseFormat: 'text' }
  if (type === 'json_object') return { responseFormat: 'json' }
  if (type === 'json_schema') return { jsonSchema: readSchema(format, 'text.format') }
  throw badParameter(
    'text.format',
    'must have the type text, json_object or json_schema',
    'UNSUPPORTED_PARAMETER',
  )
}

function objectAt(body: Fields, name: string): Fields {
  const value = given(body, name) ?? {}
  if (isRecord(value)) return value
  throw badParameter(name, 'must be an object')
}

/** The official clients expect these fields in every answer. */
const echoOf = (body: Fields) => ({
  instructions: given(body, 'instructions') ?? null,
  max_output_tokens: given(body, 'max_output_tokens') ?? null,
  metadata: given(body, 'metadata') ?? {},
  parallel_tool_calls: given(body, 'parallel_tool_calls') ?? true,
  reasoning: given(body, 'reasoning') ?? { effort: null, summary: null },
  temperature: given(body, 'temperature') ?? null,
  text: { format: { type: 'text' }, ...objectAt(body, 'text') },
  tool_choice: given(body, 'tool_choice') ?? 'auto',
  tools: given(body, 'tools') ?? [],
  top_p: given(body, 'top_p') ?? null,
})
