// The tools of a request and the choice among them.
import type { ToolChoice, ToolDefinition, ToolUse, WebSearch } from '#core/text-stream.ts'
import {
  carried,
  FieldProblem,
  ignored,
  listOf,
  oneOf,
  problemAt,
  type Read,
  readFields,
  record,
  refused,
  required,
  rowsOf,
  text,
  unsupported,
} from '../field-table.ts'
import { maxTools, mostSearches } from '../limits.ts'
import { fields, several } from './fields.ts'
import { googleSchema } from './schema.ts'

const toolName = /^[A-Za-z_][A-Za-z0-9_.:-]{0,127}$/

const row = rowsOf<Partial<ToolDefinition>>()

export const declarationFields = {
  name: row('name', 'the name of the function', text),
  description: row('description', 'its description', text),
  parameters: row('parameters', 'the schema of its arguments, as JSON Schema', googleSchema),
  parametersJsonSchema: row('parameters', 'the schema of its arguments', record),
  response: ignored('no vendor but Google reads it; put it into description'),
  responseJsonSchema: ignored('no vendor but Google reads it; put it into description'),
  behavior: refused('(NON_BLOCKING) is not offered', (value) => value !== 'NON_BLOCKING'),
}

const readDeclaration: Read<ToolDefinition> = (value) => {
  const tool = readFields<Partial<ToolDefinition>>(declarationFields, fields(value), {})
  const name = required(tool.name, 'name')
  if (toolName.test(name)) return { ...tool, name }
  throw problemAt('name', 'must be 1 to 128 letters, digits, "_", ".", ":" or "-"')
}

export type Tools = { declared: ToolDefinition[]; webSearch?: WebSearch }

type Search = Record<'searchTypes' | 'timeRangeFilter', object>
const searchRow = rowsOf<Partial<Search>>()

export const searchTypeFields = {
  webSearch: rowsOf<{ webSearch?: object }>()('webSearch', 'a search for pages', record),
  imageSearch: refused('is not passed on: only pages are searched'),
}

const ofCloud = refused('is an option of Google Cloud')

export const searchFields = {
  searchTypes: searchRow('searchTypes', 'what is searched', (value) =>
    readFields(searchTypeFields, fields(value), {}),
  ),
  timeRangeFilter: searchRow('timeRangeFilter', 'from when to when, as Google has it', record),
  excludeDomains: ofCloud,
  blockingConfidence: ofCloud,
}

/** Google takes no number of searches, so that the most of other vendors is reserved. */
const readSearch: Read<WebSearch> = (value) => ({
  form: 'gemini',
  tool: readFields<Partial<Search>>(searchFields, fields(value), {}),
  most: mostSearches,
})

const hosted = refused('is not offered here: declare a function that does it')

export const toolFields = {
  functionDeclarations: carried(
    'the functions that the model may ask for',
    several(readDeclaration),
    (tools: Tools, declared) => void tools.declared.push(...declared),
  ),
  googleSearch: rowsOf<Tools>()(
    'webSearch',
    "the search of Google, for models with `webSearch: 'gemini'`, without functions beside it",
    readSearch,
  ),
  googleSearchRetrieval: hosted,
  enterpriseWebSearch: hosted,
  exaAiSearch: hosted,
  parallelAiSearch: hosted,
  googleMaps: hosted,
  urlContext: hosted,
  codeExecution: hosted,
  computerUse: hosted,
  fileSearch: hosted,
  retrieval: hosted,
  mcpServers: refused('is not supported: connect the MCP server to your client'),
}

export const readTools: Read<Tools> = (value) => {
  const tools: Tools = { declared: [] }
  several((one) => readFields<Tools>(toolFields, fields(one), tools))(value)
  const { declared, webSearch } = tools
  if (webSearch && declared.length > 0) {
    throw unsupported('may not have googleSearch beside functions: send two requests')
  }
  if (declared.length > maxTools) {
    throw new FieldProblem(`may declare at most ${maxTools} functions`)
  }
  if (new Set(declared.map(({ name }) => name)).size < declared.length) {
    throw new FieldProblem('must have unique names')
  }
  return tools
}

const modes = ['MODE_UNSPECIFIED', 'AUTO', 'ANY', 'NONE', 'VALIDATED'] as const

export type ChosenTools = { mode?: (typeof modes)[number]; allowed?: string[] }
const choice = rowsOf<ChosenTools>()

export const callingFields = {
  mode: choice('mode', 'the choice among the functions', oneOf(...modes)),
  allowedFunctionNames: choice('allowed', 'only these are shown to the model', listOf(text)),
  streamFunctionCallArguments: ignored('each call is sent whole, which every client reads'),
}

export const toolConfigFields = {
  functionCallingConfig: carried(
    'the choice among the functions',
    fields,
    (chosen: ChosenTools, given) => void readFields(callingFields, given, chosen),
  ),
  retrievalConfig: refused('is not passed on: name the place in the prompt'),
  includeServerSideToolInvocations: ignored('what was searched is in groundingMetadata'),
}

export const readToolConfig: Read<ChosenTools> = (value) =>
  readFields<ChosenTools>(toolConfigFields, fields(value), {})

/** Nothing can be chosen if no functions are declared. */
export function toolUse(
  { declared, webSearch }: Tools = { declared: [] },
  chosen: ChosenTools = {},
): ToolUse {
  const { mode = 'AUTO', allowed = [] } = chosen
  const unknown = allowed.find((name) => !declared.some((tool) => tool.name === name))
  if (unknown !== undefined) throw atAllowed(`names "${unknown}", which is not in tools`)
  if (mode === 'ANY' && declared.length === 0) throw atMode('needs tools to choose from')
  if (webSearch) return mode === 'NONE' ? {} : { webSearch }
  if (declared.length === 0) return {}
  if (mode === 'NONE') return { tools: declared, toolChoice: 'none' }
  const tools =
    allowed.length === 0 ? declared : declared.filter(({ name }) => allowed.includes(name))
  const [only, ...others] = tools
  const forced: ToolChoice =
    allowed.length > 0 && only && others.length === 0 ? { name: only.name } : 'required'
  return mode === 'ANY' ? { tools, toolChoice: forced } : { tools, toolChoice: 'auto' }
}

const atCalling = (name: string, message: string): FieldProblem => {
  const problem = problemAt(name, message)
  problem.path.unshift('toolConfig', 'functionCallingConfig')
  return problem
}
const atMode = (message: string) => atCalling('mode', message)
const atAllowed = (message: string) => atCalling('allowedFunctionNames', message)
