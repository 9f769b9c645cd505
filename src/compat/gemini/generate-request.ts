// A request for content: what becomes of each of its fields.
import type { CallMessage, TextCall } from '#core/generation.ts'
import {
  ignored,
  type Read,
  readFields,
  reading,
  refused,
  required,
  rowsOf,
  unsupported,
} from '../field-table.ts'
import { readContents, readInstruction } from './contents.ts'
import { fields, several } from './fields.ts'
import { type Config, readConfig } from './generation-config.ts'
import { type ChosenTools, readToolConfig, readTools, type Tools, toolUse } from './tools.ts'

export type Asked = Omit<TextCall, 'principal'>

type Given = {
  messages?: CallMessage[]
  system?: string
  tools?: Tools
  chosen?: ChosenTools
  config?: Config
}

const row = rowsOf<Given>()

/** Thresholds that ask for no more than every vendor does anyway. */
const lax = ['OFF', 'BLOCK_NONE', 'HARM_BLOCK_THRESHOLD_UNSPECIFIED']

const isLax: Read<boolean> = (value) => lax.includes(String(fields(value).threshold))

export const requestFields = {
  model: ignored('the address names the model'),
  contents: row('messages', 'the conversation', readContents),
  systemInstruction: row('system', 'the system prompt', readInstruction),
  tools: row('tools', 'functions that the model may ask for, or a search', readTools),
  toolConfig: row('chosen', 'the choice among them', readToolConfig),
  generationConfig: row('config', 'see below', readConfig),
  safetySettings: refused(
    'may only be OFF or BLOCK_NONE: the filters of Google are not passed on, and each vendor has its own',
    (value) => several(isLax)(value).every((one) => one),
  ),
  cachedContent: refused(
    'is not offered: send the whole conversation; vendors cache it themselves',
  ),
  labels: ignored('they sort the bills of Google; each key has its own ledger here'),
  serviceTier: ignored('calls are made in the standard tier of the vendor'),
  store: ignored('conversations are not stored here'),
  continuationToken: refused('is not supported: send the whole conversation'),
  modelArmorConfig: refused('is not offered: it is a service of Google Cloud'),
  generationOutputConfig: refused('is not offered: answers are sent, not stored'),
}

export const readGenerateRequest = (body: unknown, modelId: string): Asked =>
  reading('brackets', () => callOf(body, modelId))

type CountGiven = Given & { asked?: Asked }

/** Counted is a conversation, or a whole request in a field of its own. */
export const readCountRequest = (body: unknown, modelId: string): Asked =>
  reading('brackets', () => {
    const table = {
      ...requestFields,
      generateContentRequest: rowsOf<CountGiven>()('asked', 'a whole request', (value) =>
        callOf(value, modelId),
      ),
    }
    const given = readFields<CountGiven>(table, fields(body), {})
    return given.asked ?? assembled(given, modelId)
  })

const callOf = (body: unknown, modelId: string): Asked =>
  assembled(readFields<Given>(requestFields, fields(body), {}), modelId)

function assembled(given: Given, modelId: string): Asked {
  const { system = '', config = {} } = given
  const { jsonSchema, mimeType, effort, showThoughts, stop } = config
  if (jsonSchema && mimeType !== 'application/json') {
    const problem = unsupported('must be application/json with a schema')
    problem.path.push('generationConfig', 'responseMimeType')
    throw problem
  }
  return {
    modelId,
    messages: required(given.messages, 'contents'),
    systemPrompt: system === '' ? undefined : system,
    maxTokens: config.maxTokens,
    temperature: config.temperature,
    topP: config.topP,
    stop: stop?.length ? stop : undefined,
    ...toolUse(given.tools, given.chosen),
    responseFormat: mimeType === 'application/json' && !jsonSchema ? 'json' : undefined,
    jsonSchema,
    reasoningEffort: effort,
    showThoughts,
    // 0 is what every model does anyway.
    frequencyPenalty: config.frequencyPenalty || undefined,
    presencePenalty: config.presencePenalty || undefined,
  }
}
