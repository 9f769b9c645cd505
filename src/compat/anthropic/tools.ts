// The tools of a request and the choice among them.
import { isRecord } from '#core/record.ts'
import type {
  CacheLifetime,
  ToolChoice,
  ToolDefinition,
  ToolUse,
  WebSearch,
} from '#core/text-stream.ts'
import {
  FieldProblem,
  type Fields,
  flag,
  ignored,
  kind,
  listOf,
  problemAt,
  type Read,
  readVariant,
  record,
  refused,
  required,
  rowsOf,
  someText,
  text,
  type Variants,
  whole,
} from '../field-table.ts'
import { maxTools, searchesOf } from '../limits.ts'
import { cacheLifetime } from './blocks.ts'

const toolName = /^[A-Za-z0-9_-]{1,128}$/

type Tool = Partial<ToolDefinition> & {
  /** The tool is of no use here, and nothing is lost without it. */
  isLeftOut?: boolean
  cache?: CacheLifetime
  /** A search of the vendor, as the client wrote it. */
  search?: Fields
}

const row = rowsOf<Tool>()

const ownTool = refused('is a tool of the vendor: declare it as a custom tool, with its schema')
const fetch = refused('is not offered: declare a custom tool that fetches a page')
const search = whole<Tool>(
  "the search of Anthropic, for models with `webSearch: 'anthropic'`",
  (tool, given) => {
    tool.search = given
  },
)

/** Every tool is shown to the model from the start, so that there is nothing to search. */
const toolSearch = whole<Tool>('nothing: every tool is shown from the start', (tool) => {
  tool.isLeftOut = true
})

export const toolKinds = {
  custom: {
    type: kind,
    name: row('name', 'the name of the function', someText),
    description: row('description', 'its description', text),
    input_schema: row('parameters', 'the schema of its arguments', record),
    strict: row('strict', 'strict, for vendors that enforce schemas', flag),
    cache_control: row('cache', 'a mark for prompt caching', cacheLifetime),
    defer_loading: ignored('every tool is shown to the model from the start'),
    eager_input_streaming: ignored('arguments are passed on as they arrive'),
    input_examples: ignored(
      'the schema says what the arguments are; put examples into description',
    ),
    allowed_callers: ignored('the model makes every call itself'),
  },
  bash_20241022: ownTool,
  bash_20250124: ownTool,
  code_execution_20250522: ownTool,
  code_execution_20250825: ownTool,
  code_execution_20260120: ownTool,
  code_execution_20260521: ownTool,
  browser_toolset_20260801: ownTool,
  computer_20241022: ownTool,
  computer_20250124: ownTool,
  computer_20251124: ownTool,
  computer_toolset_20260801: ownTool,
  memory_20250818: ownTool,
  text_editor_20241022: ownTool,
  text_editor_20250124: ownTool,
  text_editor_20250429: ownTool,
  text_editor_20250728: ownTool,
  web_search_20250305: search,
  web_search_20260209: search,
  web_search_20260318: search,
  web_fetch_20250910: fetch,
  web_fetch_20260209: fetch,
  web_fetch_20260309: fetch,
  web_fetch_20260318: fetch,
  advisor_20260301: ownTool,
  tool_search_tool_bm25_20251119: toolSearch,
  tool_search_tool_bm25: toolSearch,
  tool_search_tool_regex_20251119: toolSearch,
  tool_search_tool_regex: toolSearch,
  mcp_toolset: refused('is not supported: connect the MCP server to your client'),
} satisfies Variants<Tool>

const readTool: Read<Tool> = (value) => {
  const given = record(value)
  const tool = readVariant<Tool>(toolKinds, { ...given, type: given.type ?? 'custom' }, {})
  if (tool.isLeftOut || tool.search) return tool
  if (!toolName.test(required(tool.name, 'name'))) {
    throw problemAt('name', 'must be 1 to 128 letters, digits, "_" or "-"')
  }
  required(tool.parameters, 'input_schema')
  return tool
}

export type Tools = Pick<ToolUse, 'tools' | 'webSearch'>

export const readTools: Read<Tools> = (value) => {
  const given = listOf(readTool, { most: maxTools, of: 'tools' })(value)
  const tools = given.flatMap(({ name, isLeftOut: _, search: __, ...tool }) =>
    name === undefined ? [] : [{ ...tool, name }],
  )
  if (new Set(tools.map(({ name }) => name)).size < tools.length) {
    throw new FieldProblem('must have unique names')
  }
  const search = given.find((tool) => tool.search)?.search
  return search ? { tools, webSearch: searchOf(search) } : { tools }
}

const searchOf = (tool: Fields): WebSearch => ({
  form: 'anthropic',
  tool,
  most: searchesOf(tool.max_uses),
})

type Choice = { type?: string; name?: string; isSingle?: boolean }
const choiceRow = rowsOf<Choice>()
const disable_parallel_tool_use = choiceRow('isSingle', 'at most one call per answer', flag)

export const choiceKinds = {
  auto: { type: kind, disable_parallel_tool_use },
  any: { type: kind, disable_parallel_tool_use },
  none: { type: kind },
  tool: {
    type: kind,
    name: choiceRow('name', 'the function', someText),
    disable_parallel_tool_use,
  },
} satisfies Variants<Choice>

export type ChosenTool = Pick<ToolUse, 'toolChoice' | 'parallelToolCalls'>

export const readChoice: Read<ChosenTool> = (value) => {
  const { name, isSingle } = readVariant<Choice>(choiceKinds, value, {})
  const { type } = record(value)
  const toolChoice: ToolChoice =
    type === 'tool' ? { name: required(name, 'name') } : (choices[String(type)] ?? 'auto')
  return { toolChoice, ...(isSingle ? { parallelToolCalls: false } : {}) }
}

const choices: Record<string, 'auto' | 'required' | 'none'> = {
  auto: 'auto',
  any: 'required',
  none: 'none',
}

/** Nothing can be chosen if no tools are declared. */
export function toolUse({ tools = [], webSearch }: Tools = {}, chosen: ChosenTool = {}): ToolUse {
  const { toolChoice } = chosen
  const names = tools.map(({ name }) => name)
  if (webSearch) names.push('web_search')
  if (isRecord(toolChoice) && !names.includes(toolChoice.name)) {
    throw problemAt('tool_choice', 'names a tool that is not in tools')
  }
  if (toolChoice === 'required' && names.length === 0) {
    throw problemAt('tool_choice', 'needs tools to choose from')
  }
  if (names.length === 0) return {}
  return { ...(tools.length > 0 ? { tools } : {}), ...(webSearch ? { webSearch } : {}), ...chosen }
}
