import type { TextCall } from '#core/generation.ts'
import { isRecord } from '#core/record.ts'
import {
  type AnswerForm,
  reasoningEfforts,
  type Sampling,
  type ToolDefinition,
  type ToolUse,
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
import { readMessages, textOf } from './messages.ts'

export type MessagesOrder = { call: Omit<TextCall, 'principal'>; isStream: boolean }

const maxTools = 128
const maxStops = 16
const toolName = /^[A-Za-z0-9_-]{1,128}$/

/** `limit`: an answer requires max_tokens, a count of tokens does not. */
export function readMessagesRequest(
  body: unknown,
  { limit }: { limit: 'required' | 'optional' },
): MessagesOrder {
  if (!isRecord(body)) throw badParameter('', 'must be a JSON object')
  const modelId = requiredString(body, 'model')
  const maxTokens = optionalCount(body, 'max_tokens')
  if (maxTokens === undefined && limit === 'required') {
    throw badParameter('max_tokens', 'is required')
  }
  const messages = readMessages(body)
  refuseUnsupported(body)
  const systemPrompt = body.system === undefined ? '' : textOf(body.system, 'system')
  return {
    isStream: optionalBoolean(body, 'stream') ?? false,
    call: {
      modelId,
      messages,
      ...readTools(body),
      ...readSampling(body),
      ...readForm(body),
      ...(maxTokens === undefined ? {} : { maxTokens }),
      ...(systemPrompt === '' ? {} : { systemPrompt }),
    },
  }
}

/** Refuses what would change the answer but cannot be honoured. Ignores other unknown fields. */
function refuseUnsupported(body: Fields) {
  for (const name of ['top_k', 'container', 'mcp_servers']) {
    const value = given(body, name)
    const isEmpty = Array.isArray(value) && value.length === 0
    if (value !== undefined && !isEmpty) {
      throw badParameter(name, 'is not supported', 'UNSUPPORTED_PARAMETER')
    }
  }
}

function readSampling(body: Fields): Sampling & Pick<TextCall, 'temperature'> {
  const stop = given(body, 'stop_sequences') ?? []
  const isList = Array.isArray(stop) && stop.length <= maxStops
  if (!isList || !stop.every((words) => typeof words === 'string' && words !== '')) {
    throw badParameter('stop_sequences', `must be a list of at most ${maxStops} texts`)
  }
  const temperature = optionalNumber(body, 'temperature')
  const topP = optionalNumber(body, 'top_p')
  if (topP !== undefined && !(topP >= 0 && topP <= 1)) {
    throw badParameter('top_p', 'must be from 0 to 1')
  }
  return {
    ...(stop.length === 0 ? {} : { stop }),
    ...(temperature === undefined ? {} : { temperature }),
    ...(topP === undefined || topP === 1 ? {} : { topP }),
  }
}

function readForm(body: Fields): AnswerForm {
  const config = given(body, 'output_config') ?? {}
  if (!isRecord(config)) throw badParameter('output_config', 'must be an object')
  const reasoningEffort = reasoningEfforts.find((one) => one === config.effort)
  if (given(config, 'effort') !== undefined && !reasoningEffort) {
    throw badParameter('output_config.effort', `must be one of ${reasoningEfforts.join(', ')}`)
  }
  const format = given(config, 'format')
  const schema = isRecord(format) && format.type === 'json_schema' ? format.schema : undefined
  if (format !== undefined && !isRecord(schema)) {
    throw badParameter('output_config.format', 'must be of type json_schema, with a schema')
  }
  return {
    ...(reasoningEffort ? { reasoningEffort } : {}),
    ...(isRecord(schema) ? { jsonSchema: { name: 'answer', schema, strict: true } } : {}),
  }
}

/** Empty if the request declares no tools, because then there is nothing to choose from. */
function readTools(body: Fields): ToolUse {
  const list = given(body, 'tools') ?? []
  if (!Array.isArray(list)) throw badParameter('tools', 'must be a list')
  if (list.length > maxTools) throw badParameter('tools', `may contain at most ${maxTools} tools`)
  const tools = list.map(readTool)
  const names = new Set(tools.map(({ name }) => name))
  if (names.size < tools.length) throw badParameter('tools', 'must have unique names')
  const choice = readChoice(given(body, 'tool_choice'), names)
  return tools.length === 0 ? {} : { tools, ...choice }
}

function readTool(tool: unknown, index: number): ToolDefinition {
  const at = `tools.${index}`
  if (!isRecord(tool)) throw badParameter(at, 'must be an object')
  if ((given(tool, 'type') ?? 'custom') !== 'custom') {
    throw badParameter(`${at}.type`, 'must be "custom"', 'UNSUPPORTED_PARAMETER')
  }
  const name = requiredString(tool, 'name', `${at}.name`)
  if (!toolName.test(name)) {
    throw badParameter(`${at}.name`, 'must be 1 to 128 letters, digits, "_" or "-"')
  }
  const description = optionalString(tool, 'description', `${at}.description`)
  const strict = optionalBoolean(tool, 'strict', `${at}.strict`)
  const { input_schema: parameters } = tool
  if (!isRecord(parameters))
    throw badParameter(`${at}.input_schema`, 'must be a JSON Schema object')
  return {
    name,
    parameters,
    ...(description === undefined ? {} : { description }),
    ...(strict === undefined ? {} : { strict }),
  }
}

const choices = { auto: 'auto', any: 'required', none: 'none' } as const

function readChoice(choice: unknown, names: ReadonlySet<string>): ToolUse {
  if (choice === undefined) return {}
  if (!isRecord(choice)) throw badParameter('tool_choice', 'must be an object')
  const isSingle = optionalBoolean(
    choice,
    'disable_parallel_tool_use',
    'tool_choice.disable_parallel_tool_use',
  )
  const one: ToolUse = isSingle ? { parallelToolCalls: false } : {}
  if (choice.type === 'tool') {
    const name = requiredString(choice, 'name', 'tool_choice.name')
    if (!names.has(name)) throw badParameter('tool_choice.name', 'names a tool not in tools')
    return { toolChoice: { name }, ...one }
  }
  if (choice.type !== 'auto' && choice.type !== 'any' && choice.type !== 'none') {
    throw badParameter('tool_choice.type', 'must be auto, any, tool or none')
  }
  if (choice.type === 'any' && names.size === 0) {
    throw badParameter('tool_choice', 'needs tools to choose from')
  }
  return { toolChoice: choices[choice.type], ...one }
}
