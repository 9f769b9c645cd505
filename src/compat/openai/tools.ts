import { isRecord } from '#core/record.ts'
import type { ToolDefinition, ToolUse } from '#core/text-stream.ts'
import { maxTools } from '../limits.ts'
import {
  badParameter,
  type Fields,
  given,
  optionalBoolean,
  optionalString,
  requiredString,
} from '../parameters.ts'

const toolName = /^[A-Za-z0-9_-]{1,64}$/

/** Chat completions nest the function in its tool; Responses write both as one object. */
export type ToolForm = 'nested' | 'flat'

/** Empty if the request declares no functions, because then there is nothing to choose from. */
export function readTools(body: Fields, form: ToolForm): ToolUse {
  const list = given(body, 'tools')
  if (list !== undefined && !Array.isArray(list)) throw badParameter('tools', 'must be a list')
  if (list && list.length > maxTools)
    throw badParameter('tools', `may contain at most ${maxTools} functions`)
  const tools = (list ?? []).map((tool: unknown, index) => readTool(tool, index, form))
  const names = new Set<string>()
  for (const [index, { name }] of tools.entries()) {
    if (names.has(name)) {
      throw badParameter(`tools[${index}]${inside[form]}.name`, 'is used more than once')
    }
    names.add(name)
  }
  const toolChoice = readChoice(given(body, 'tool_choice'), names, form)
  const parallelToolCalls = optionalBoolean(body, 'parallel_tool_calls')
  if (tools.length === 0) return {}
  return {
    tools,
    ...(toolChoice === undefined ? {} : { toolChoice }),
    ...(parallelToolCalls === undefined ? {} : { parallelToolCalls }),
  }
}

const inside = { nested: '.function', flat: '' } satisfies Record<ToolForm, string>

function readTool(tool: unknown, index: number, form: ToolForm): ToolDefinition {
  const outer = `tools[${index}]`
  if (!isRecord(tool)) throw badParameter(outer, 'must be an object')
  if (tool.type !== 'function') {
    throw badParameter(`${outer}.type`, 'must be "function"', 'UNSUPPORTED_PARAMETER')
  }
  const declared = form === 'nested' ? tool.function : tool
  const at = outer + inside[form]
  if (!isRecord(declared)) throw badParameter(at, 'must be an object')
  const name = requiredString(declared, 'name', `${at}.name`)
  if (!toolName.test(name)) {
    throw badParameter(`${at}.name`, 'must be 1 to 64 letters, digits, "_" or "-"')
  }
  const description = optionalString(declared, 'description', `${at}.description`)
  const parameters = given(declared, 'parameters')
  if (parameters !== undefined && !isRecord(parameters)) {
    throw badParameter(`${at}.parameters`, 'must be a JSON Schema object')
  }
  const strict = optionalBoolean(declared, 'strict', `${at}.strict`)
  return {
    name,
    ...(strict === undefined ? {} : { strict }),
    ...(description === undefined ? {} : { description }),
    ...(parameters === undefined ? {} : { parameters }),
  }
}

function readChoice(
  choice: unknown,
  names: ReadonlySet<string>,
  form: ToolForm,
): ToolUse['toolChoice'] {
  if (choice === undefined) return undefined
  if (choice === 'auto' || choice === 'none') return choice
  if (choice === 'required') {
    if (names.size > 0) return choice
    throw badParameter('tool_choice', 'needs tools to choose from')
  }
  const chosen = isRecord(choice) && choice.type === 'function' ? choice : undefined
  const wanted = form === 'nested' ? chosen?.function : chosen
  if (!isRecord(wanted) || typeof wanted.name !== 'string') {
    throw badParameter('tool_choice', 'must be auto, none, required or name one function')
  }
  if (!names.has(wanted.name)) throw badParameter('tool_choice', 'names a function not in tools')
  return { name: wanted.name }
}
