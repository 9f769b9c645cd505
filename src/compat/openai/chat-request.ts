import type { TextCall } from '#core/generation.ts'
import { isRecord } from '#core/record.ts'
import {
  type AnswerForm,
  type JsonSchema,
  reasoningEfforts,
  type Sampling,
} from '#core/text-stream.ts'
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
import { readMessages } from './messages.ts'
import { readChatOptions } from './text-options.ts'
import { readTools } from './tools.ts'
import { refuseUnsupported, unsupportedInChat } from './unsupported.ts'

export type ChatOrder = {
  call: Omit<TextCall, 'principal'>
  isStream: boolean
  includeUsage: boolean
}

/** Never silently ignores a parameter that would change the answer. */
export function readChatRequest(body: unknown): ChatOrder {
  if (!isRecord(body)) throw badParameter('', 'must be a JSON object')
  const modelId = requiredString(body, 'model')
  const messages = readMessages(body)
  const hasMore = !isPlain(body)
  if (hasMore) refuseUnsupported(body, unsupportedInChat)
  const isStream = optionalBoolean(body, 'stream') ?? false
  const temperature = optionalNumber(body, 'temperature')
  const maxTokens = readMaxTokens(body)
  const includeUsage = hasMore && readStreamOptions(body, isStream)
  const call: ChatOrder['call'] = { modelId, messages }
  if (hasMore) Object.assign(call, readMore(body))
  if (temperature !== undefined) call.temperature = temperature
  if (maxTokens !== undefined) call.maxTokens = maxTokens
  return { isStream, includeUsage, call }
}

/** All that most clients send. Without any other field, there is nothing for the other readers. */
const plainFields = new Set([
  ...['model', 'messages', 'stream', 'temperature', 'max_tokens', 'max_completion_tokens'],
])

function isPlain(body: Fields): boolean {
  for (const name in body) if (!plainFields.has(name)) return false
  return true
}

const readMore = (body: Fields) => ({
  ...readTools(body, 'nested'),
  ...readSampling(body),
  ...readChatOptions(body),
  ...readForm(body),
})

const maxStops = 4

function readSampling(body: Fields): Sampling {
  const stop = readStop(given(body, 'stop'))
  return { ...(stop.length === 0 ? {} : { stop }), ...readTopP(body) }
}

export function readTopP(body: Fields): Pick<Sampling, 'topP'> {
  const topP = optionalNumber(body, 'top_p')
  if (topP !== undefined && !(topP >= 0 && topP <= 1)) {
    throw badParameter('top_p', 'must be from 0 to 1')
  }
  // 1 changes nothing, and some models refuse the parameter itself.
  return topP === undefined || topP === 1 ? {} : { topP }
}

/** Some clients send empty text or an empty list for a parameter that is not set. */
function readStop(stop: unknown): string[] {
  if (stop === undefined || stop === '') return []
  if (typeof stop === 'string') return [stop]
  if (!Array.isArray(stop) || stop.length > maxStops) {
    throw badParameter('stop', `must be text or a list of at most ${maxStops} texts`)
  }
  return stop.map((words: unknown, index) => {
    if (typeof words === 'string' && words !== '') return words
    throw badParameter(`stop[${index}]`, 'must be non-empty text')
  })
}

/** Accepts the newer and the older name. */
function readMaxTokens(body: Fields): number | undefined {
  const newer = optionalCount(body, 'max_completion_tokens')
  const older = optionalCount(body, 'max_tokens')
  if (newer !== undefined && older !== undefined && newer !== older) {
    throw badParameter('max_tokens', 'differs from max_completion_tokens; send one of them')
  }
  return newer ?? older
}

function readForm(body: Fields): AnswerForm {
  return { ...readFormat(body), ...readEffort(body.reasoning_effort, 'reasoning_effort') }
}

export function readEffort(effort: unknown, at: string): Pick<AnswerForm, 'reasoningEffort'> {
  if (effort === undefined || effort === null) return {}
  const reasoningEffort = reasoningEfforts.find((one) => one === effort)
  if (reasoningEffort) return { reasoningEffort }
  throw badParameter(at, `must be one of ${reasoningEfforts.join(', ')}`)
}

function readFormat(body: Fields): AnswerForm {
  const format = given(body, 'response_format')
  if (format === undefined) return {}
  const type = isRecord(format) ? format.type : undefined
  if (type === 'text') return { responseFormat: 'text' }
  if (type === 'json_object') return { responseFormat: 'json' }
  if (isRecord(format) && type === 'json_schema') {
    return { jsonSchema: readSchema(format.json_schema, 'response_format.json_schema') }
  }
  throw badParameter(
    'response_format',
    'must have the type text, json_object or json_schema',
    'UNSUPPORTED_PARAMETER',
  )
}

export function readSchema(written: unknown, at: string): JsonSchema {
  const given = isRecord(written) ? written : {}
  const name = requiredString(given, 'name', `${at}.name`)
  const description = optionalString(given, 'description', `${at}.description`)
  const strict = optionalBoolean(given, 'strict', `${at}.strict`)
  if (!isRecord(given.schema)) throw badParameter(`${at}.schema`, 'must be a JSON Schema object')
  return {
    name,
    schema: given.schema,
    ...(description === undefined ? {} : { description }),
    ...(strict === undefined ? {} : { strict }),
  }
}

function readStreamOptions(body: Fields, isStream: boolean): boolean {
  const options = given(body, 'stream_options')
  if (options === undefined) return false
  if (!isRecord(options)) throw badParameter('stream_options', 'must be an object')
  if (!isStream) throw badParameter('stream_options', 'needs "stream": true')
  return optionalBoolean(options, 'include_usage', 'stream_options.include_usage') ?? false
}
