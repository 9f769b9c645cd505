// The tools of a Responses request and the choice among them.
import {
  FieldProblem,
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
import { maxTools } from '../limits.ts'
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
  /** Why it is left out, for the caller. */
  note?: string
}

const row = rowsOf<Tool>()

const common = {
  type: kind,
  allowed_callers: ignored('the model makes every call itself'),
  async: refused('is not supported: the result of a call is awaited'),
  defer_loading: ignored('every tool is shown to the model from the start'),
}

const hosted = refused('is not offered: declare a function that does it')
const search = refused(
  'is not offered: the search tools of the vendors are not passed on; declare a function that searches',
)

/** Agents add it to every request, and say so by this field; nobody chose it for this answer. */
const searchOfAgent = whole<Tool>(
  'nothing, with a note, if it says `external_web_access`, as agents do; else refused',
  (tool, given) => {
    if (given.external_web_access === undefined) throw searchProblem(given)
    tool.note = 'web_search is not offered, and was left out of tools'
  },
)

function searchProblem({ type }: { type?: unknown }): FieldProblem {
  const problem = new FieldProblem(`(${String(type)}) ${search.say}`, 'UNSUPPORTED_PARAMETER')
  problem.path.push('type')
  return problem
}

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
  web_search: searchOfAgent,
  web_search_2025_08_26: searchOfAgent,
  web_search_preview: search,
  web_search_preview_2025_03_11: search,
  file_search: search,
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

/** What the tools of a request are read into, wherever in it they are. */
export type Reading = { box: Toolbox; notes: string[] }

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
  const { box, notes } = reading
  const tool = readVariant<Tool>(toolKinds, value, {})
  const { type } = record(value)
  if (tool.note !== undefined) notes.push(tool.note)
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
  const { nested: _, isSearchOfClient: __, note: ___, ...declared } = tool
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
