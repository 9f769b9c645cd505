// How the answer is to be generated: what becomes of each field of generationConfig.
import type { JsonSchema, ReasoningEffort } from '#core/text-stream.ts'
import {
  between,
  carried,
  count,
  flag,
  ignored,
  listOf,
  number,
  oneOf,
  onlyHarmless,
  type Read,
  readFields,
  record,
  refused,
  rowsOf,
  someText,
} from '../field-table.ts'
import { maxStops } from '../limits.ts'
import { fields } from './fields.ts'
import { closedSchema, googleSchema, isStrict } from './schema.ts'

export type Config = {
  temperature?: number
  topP?: number | undefined
  maxTokens?: number
  stop?: string[]
  mimeType?: 'text/plain' | 'application/json'
  jsonSchema?: JsonSchema
  effort?: ReasoningEffort | undefined
  showThoughts?: boolean
  frequencyPenalty?: number
  presencePenalty?: number
}

const row = rowsOf<Config>()

/** Google's own words for its efforts. */
const readLevel: Read<ReasoningEffort | undefined> = (value) => {
  const level = oneOf(
    'MINIMAL',
    'LOW',
    'MEDIUM',
    'HIGH',
    'THINKING_LEVEL_UNSPECIFIED',
  )(typeof value === 'string' ? value.toUpperCase() : value)
  return level === 'THINKING_LEVEL_UNSPECIFIED' ? undefined : efforts[level]
}

const efforts = { MINIMAL: 'minimal', LOW: 'low', MEDIUM: 'medium', HIGH: 'high' } as const

/** The budgets that Google's own compatible API takes for the efforts of OpenAI. */
const budgets: [tokens: number, effort: ReasoningEffort][] = [
  [0, 'none'],
  [1024, 'low'],
  [8192, 'medium'],
  [Infinity, 'high'],
]

/** -1 leaves it to the model. */
const readBudget: Read<ReasoningEffort | undefined> = (value) => {
  const tokens = number(value)
  return tokens < 0 ? undefined : budgets.find(([most]) => tokens <= most)?.[1]
}

const effortTo = 'the reasoning effort, or the nearest that the model has'

export const thinkingFields = {
  includeThoughts: row('showThoughts', 'whether thoughts are shown in words', flag),
  thinkingLevel: row('effort', effortTo, readLevel),
  thinkingBudget: row('effort', `${effortTo}: 0, up to 1,024, up to 8,192 or more`, readBudget),
}

function schemaNamed(given: object): JsonSchema {
  const schema = closedSchema(given)
  return { name: 'answer', schema, ...(isStrict(schema) ? { strict: true } : {}) }
}

const readSchema: Read<JsonSchema> = (value) => schemaNamed(googleSchema(value))
const readJsonSchema: Read<JsonSchema> = (value) => schemaNamed(record(value))

const isText = (value: unknown): boolean =>
  Array.isArray(value) && value.every((one) => one === 'TEXT')

/** The values that Google's own models and clients have without being asked. */
const isUsualTopK = (value: unknown): boolean => typeof value === 'number' && value >= 40

/** Google's clients send their default to every model, whatever it has. */
const defaultTopP = 0.95

const readTopP: Read<number | undefined> = (value) => {
  const topP = between(0, 1)(value)
  return topP === defaultTopP || topP === 1 ? undefined : topP
}

const onlyText = 'is not supported: answers are text'
const noAudio = ignored('there is no audio in a conversation')
const logprobs = refused('is not offered here: the API compatible with OpenAI has it')
const ofGoogle = refused('is not supported: the model in the address answers')

export const configFields = {
  temperature: row('temperature', 'the temperature, or the nearest that the model has', number),
  topP: row(
    'topP',
    'top-p, or the nearest that the model has; 0.95 and 1 leave it to the model',
    readTopP,
  ),
  topK: refused('is not supported below 40: use temperature or topP', isUsualTopK),
  maxOutputTokens: row(
    'maxTokens',
    'the limit of the answer, or the lower one of the model',
    count,
  ),
  stopSequences: row(
    'stop',
    'where the answer ends',
    listOf(someText, { most: maxStops, of: 'texts' }),
  ),
  candidateCount: refused('may only be 1: send the request several times', onlyHarmless(1)),
  responseMimeType: row(
    'mimeType',
    'whether the answer is text or JSON',
    oneOf('text/plain', 'application/json'),
  ),
  responseSchema: row('jsonSchema', 'the schema of the answer, as JSON Schema', readSchema),
  responseJsonSchema: row('jsonSchema', 'the schema of the answer', readJsonSchema),
  _responseJsonSchema: row('jsonSchema', 'the schema of the answer', readJsonSchema),
  thinkingConfig: carried(
    'effort and thoughts, see below',
    fields,
    (config: Config, given) => void readFields(thinkingFields, given, config),
  ),
  frequencyPenalty: row('frequencyPenalty', 'the penalty, for models that have it', between(-2, 2)),
  presencePenalty: row('presencePenalty', 'the penalty, for models that have it', between(-2, 2)),
  seed: ignored('no vendor promises the same answer for it'),
  responseLogprobs: logprobs,
  logprobs,
  responseModalities: refused(onlyText, isText),
  responseFormat: refused('is not supported: use responseMimeType and responseJsonSchema'),
  speechConfig: refused(onlyText),
  imageConfig: refused(onlyText),
  translationConfig: refused(onlyText),
  enableAffectiveDialog: refused(onlyText),
  mediaResolution: ignored('the vendor of the model decides how closely it looks at pictures'),
  audioTimestamp: noAudio,
  audioTranscriptionConfig: noAudio,
  enableEnhancedCivicAnswers: refused('is not supported: it is an option of Google alone'),
  routingConfig: ofGoogle,
  modelSelectionConfig: ofGoogle,
}

export const readConfig: Read<Config> = (value) =>
  readFields<Config>(configFields, fields(value), {})
