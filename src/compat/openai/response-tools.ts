// The tools of a Responses request and the choice among them.
import type { WebSearch } from '#core/text-stream.ts'
import {
  FieldProblem,
  type Fields,
  ignored,
  kind,
  listOf,
  oneOf,
  problemAt,
  type Read,
  readVariant,
  record,
  refused,
  rowsOf,
  someText,
  text,
  type Variants,
  whole,
  within,
} from '../field-table.ts'
import { maxTools, searchesOf } from '../limits.ts'
import type { Toolbox, ToolForm } from './tool-forms.ts'
import {
  allowedFields,
  type Choice,
  checkedName,
  type Tool as Declared,
  declarationOf,
  flatCustomFields,
  functionFields,
  readChoice,
} from './tools.ts'

type Tool = Declared & {
  nested?: unknown[]
  isSearchOfClient?: boolean
  /** A search of the vendor, as the client wrote it. */
  search?: Fields
}

const row = rowsOf<Tool>()

const common = {
  type: kind,
  allowed_callers: ignored('the model makes every call itself'),
  async: refused('is not supported: the result of a call is awaited'),
  defer_loading: ignored('every tool is shown to the model from the start'),
}

const hosted = refused('is not offered: declare a function that does it')
/** Agents add it to every request, and say so by this field; nobody chose it for this answer. */
const searched = whole<Tool>(
  "the search of OpenAI, for models with `webSearch: 'openai'`; for others refused, or left out with a note if it says `external_web_access`, as agents do",
  (tool, given) => {
    tool.search = given
  },
)

export const toolKinds = {
  function: {
    ...common,
    ...functionFields,
    output_schema: ignored('the result of a call is shown to the model as it is'),
  },
  custom: { ...common, ...flatCustomFields },
  namespace: {
    type: kind,
    name: row('name', 'a part of the names of its functions', someText),
    description: ignored('each of its functions has a description'),
    tools: row('nested', 'functions that the model may ask for', listOf(record)),
  },
  tool_search: {
    type: kind,
    description: row('description', 'its description', text),
    parameters: row('parameters', 'the schema of its arguments', record),
    execution: {
      use: 'carried',
      to: 'a function that the client answers; nothing if the vendor would search, because every tool is shown from the start',
      put: (tool: Tool, value: unknown) => {
        tool.isSearchOfClient = oneOf('server', 'client')(value) === 'client'
      },
    },
  },
  web_search: searched,
  web_search_2025_08_26: searched,
  web_search_preview: searched,
  web_search_preview_2025_03_11: searched,
  file_search: hosted,
  computer: hosted,
  computer_use_preview: hosted,
  code_interpreter: hosted,
  programmatic_tool_calling: hosted,
  image_generation: refused('is not offered in an answer: use POST /v1/images/generations'),
  local_shell: hosted,
  shell: hosted,
  apply_patch: hosted,
  mcp: refused('is not supported: connect the MCP server to your client'),
} satisfies Variants<Tool>

export const searchOf = (tool: Fields, most?: number): WebSearch => ({
  form: 'openai',
  tool,
  most: searchesOf(most),
})

/** What the tools of a request are read into, wherever in it they are. */
export type Reading = { box: Toolbox; search?: Fields }

/** `again`: items may declare a function that is declared already, as searches do. */
export function addTools(value: unknown, reading: Reading, mode: 'once' | 'again' = 'once'): void {
  const add = (one: unknown) => addTool(one, reading, mode)
  listOf(add, { most: maxTools, of: 'tools' })(value)
  if (reading.box.tools.length <= maxTools) return
  throw new FieldProblem(`may contain at most ${maxTools} tools`)
}

function addTool(
  value: unknown,
  reading: Reading,
  mode: 'once' | 'again',
  namespace?: string,
): void {
  const { box } = reading
  const tool = readVariant<Tool>(toolKinds, value, {})
  const { type } = record(value)
  if (tool.search) reading.search = tool.search
  else if (type === 'namespace') {
    const name = checkedName(tool)
    const nested = listOf((one) => addTool(one, reading, mode, name))
    within('tools', () => nested(tool.nested))
  } else if (type === 'tool_search') {
    if (tool.isSearchOfClient) add(box, tool, { name: 'tool_search', kind: 'search' }, mode)
  } else {
    const name = checkedName(tool)
    const form: ToolForm = { name, kind: type === 'custom' ? 'custom' : 'function' }
    add(box, tool, namespace === undefined ? form : { ...form, namespace }, mode)
  }
}

function add(box: Toolbox, tool: Tool, form: ToolForm, mode: 'once' | 'again') {
  const { nested: _, isSearchOfClient: __, search: ___, ...declared } = tool
  if (box.add(declarationOf(declared, form)) || mode === 'again') return
  throw problemAt('name', 'is used more than once')
}

type Chosen = { name?: string; form?: ToolForm; mode?: 'auto' | 'required'; allowed?: ToolForm[] }

const named = (of: ToolForm['kind']) =>
  ({
    type: kind,
    name: {
      use: 'carried',
      to: 'the function',
      put: (into: Chosen, value: unknown) => {
        into.form = { kind: of, name: someText(value) }
      },
    },
  }) as const

const hostedChoice = refused('is a tool that is not offered')

export const choiceKinds = {
  function: named('function'),
  custom: named('custom'),
  allowed_tools: { type: kind, ...allowedFields },
  file_search: hostedChoice,
  web_search_preview: hostedChoice,
  web_search_preview_2025_03_11: hostedChoice,
  computer: hostedChoice,
  computer_use_preview: hostedChoice,
  computer_use: hostedChoice,
  image_generation: hostedChoice,
  code_interpreter: hostedChoice,
  mcp: hostedChoice,
  programmatic_tool_calling: hostedChoice,
  apply_patch: hostedChoice,
  shell: hostedChoice,
} satisfies Variants<Chosen>

export const readResponseChoice: Read<Choice> = (value) => readChoice(value, choiceKinds)
