// The tools of chat completions and the choice among them, and what tools of both APIs share.
import { isRecord } from '#core/record.ts'
import type { CacheLifetime, ToolDefinition, ToolUse, WebSearch } from '#core/text-stream.ts'
import {
  FieldProblem,
  flag,
  kind,
  listOf,
  oneOf,
  problemAt,
  type Read,
  readFields,
  readVariant,
  record,
  required,
  rowsOf,
  someText,
  text,
  type Variants,
  within,
} from '../field-table.ts'
import { maxTools } from '../limits.ts'
import { cacheLifetime } from './parts.ts'
import { inputSchema, maxNameChars, Toolbox, type ToolForm } from './tool-forms.ts'

/** What a declaration says. */
export type Tool = Partial<Omit<ToolDefinition, 'name'>> & {
  name?: string
  /** What a grammar demands of plain text, in words. */
  grammar?: string
  declared?: Tool
  cache?: CacheLifetime
}

const row = rowsOf<Tool>()

export const functionFields = {
  name: row('name', 'the name of the function', someText),
  description: row('description', 'its description', text),
  parameters: row('parameters', 'the schema of its arguments', record),
  strict: row('strict', 'strict, for vendors that enforce schemas', flag),
}

type Grammar = { definition?: string; syntax?: string; said?: string }
const grammarRow = rowsOf<Grammar>()

export const grammarFields = {
  definition: grammarRow('definition', 'the grammar, in the description', text),
  syntax: grammarRow('syntax', 'how it is written', oneOf('lark', 'regex')),
}

const said = ({ definition = '', syntax = '' }: Grammar) =>
  `The input must match this grammar (${syntax}):\n${definition}`

export const chatFormatKinds = {
  text: { type: kind },
  grammar: {
    type: kind,
    grammar: grammarRow('said', 'a demand in the description', (value) =>
      said(readFields<Grammar>(grammarFields, record(value), {})),
    ),
  },
} satisfies Variants<Grammar>

export const flatFormatKinds = {
  text: { type: kind },
  grammar: { type: kind, ...grammarFields },
} satisfies Variants<Grammar>

const customFields = {
  name: row('name', 'the name of a function with one text, `input`', someText),
  description: row('description', 'its description', text),
}

export const chatCustomFields = {
  ...customFields,
  format: row(
    'grammar',
    'a demand in the description',
    (value) => readVariant<Grammar>(chatFormatKinds, value, {}).said ?? '',
  ),
}

export const flatCustomFields = {
  ...customFields,
  format: row('grammar', 'a demand in the description', (value) => {
    const format = readVariant<Grammar>(flatFormatKinds, value, {})
    return format.definition === undefined ? '' : said(format)
  }),
}

const cache_control = row('cache', 'a mark for prompt caching', cacheLifetime)

export const chatToolKinds = {
  function: {
    type: kind,
    function: row('declared', 'a function that the model may ask for', (value) =>
      readFields<Tool>(functionFields, record(value), {}),
    ),
    cache_control,
  },
  custom: {
    type: kind,
    custom: row('declared', 'a function with one text, `input`', (value) =>
      readFields<Tool>(chatCustomFields, record(value), {}),
    ),
    cache_control,
  },
} satisfies Variants<Tool>

const toolName = new RegExp(`^[A-Za-z0-9_-]{1,${maxNameChars}}$`)

export function checkedName(tool: Tool, path: readonly string[] = []): string {
  try {
    const name = required(tool.name, 'name')
    if (toolName.test(name)) return name
    throw problemAt('name', `must be 1 to ${maxNameChars} letters, digits, "_" or "-"`)
  } catch (problem) {
    if (problem instanceof FieldProblem) problem.path.unshift(...path)
    throw problem
  }
}

/** The declaration that the model sees of a tool whose input is plain text. */
export function declarationOf({ name: _, grammar, declared: __, ...tool }: Tool, form: ToolForm) {
  if (form.kind !== 'custom') return { ...tool, form }
  const description = [tool.description, grammar].filter(Boolean).join('\n\n')
  return { ...tool, description, parameters: inputSchema, form }
}

export const readChatTools: Read<Toolbox> = (value) => {
  const box = new Toolbox()
  listOf(
    (one) => {
      const { declared, cache } = readVariant<Tool>(chatToolKinds, one, {})
      const type = record(one).type === 'custom' ? 'custom' : 'function'
      const tool = required(declared, type)
      const form: ToolForm = { name: checkedName(tool, [type]), kind: type }
      const marked = cache === undefined ? tool : { ...tool, cache }
      if (!box.add(declarationOf(marked, form))) throw repeated(type)
    },
    { most: maxTools, of: 'tools' },
  )(value)
  return box
}

function repeated(type: string): FieldProblem {
  const problem = problemAt('name', 'is used more than once')
  problem.path.unshift(type)
  return problem
}

/** A choice by the names that the client knows. */
export type Choice =
  | 'auto'
  | 'none'
  | 'required'
  | { form: ToolForm }
  | { mode: 'auto' | 'required'; allowed: ToolForm[] }

const named = rowsOf<{ name?: string }>()
export const nameFields = { name: named('name', 'its name', someText) }

type Chosen = { form?: ToolForm; mode?: 'auto' | 'required'; allowed?: ToolForm[] }
const chosen = rowsOf<Chosen>()

const formNamed =
  (of: ToolForm['kind']): Read<ToolForm> =>
  (value) => ({
    kind: of,
    name: required(readFields(nameFields, record(value), {} as { name?: string }).name, 'name'),
  })

export const chatChoiceKinds = {
  function: { type: kind, function: chosen('form', 'the function', formNamed('function')) },
  custom: { type: kind, custom: chosen('form', 'the tool', formNamed('custom')) },
  allowed_tools: {
    type: kind,
    allowed_tools: {
      use: 'carried',
      to: 'the functions that are shown to the model',
      put: (into: Chosen, value: unknown) => {
        readFields<Chosen>(allowedFields, record(value), into)
      },
    },
  },
} satisfies Variants<Chosen>

export const allowedFields = {
  mode: chosen('mode', 'whether one must be called', oneOf('auto', 'required')),
  tools: chosen(
    'allowed',
    'the functions that are shown to the model',
    listOf((value) => {
      const tool = record(value)
      const of = tool.type === 'custom' ? 'custom' : 'function'
      const inner = tool[of]
      return within(of, () => formNamed(of)(isRecord(inner) ? inner : { name: tool.name }))
    }),
  ),
}

const notChoice = 'must be auto, none, required or name one function'

export const readChatChoice: Read<Choice> = (value) => readChoice(value, chatChoiceKinds)

export function readChoice(value: unknown, kinds: Variants<Chosen>): Choice {
  if (value === 'auto' || value === 'none' || value === 'required') return value
  if (!isRecord(value)) throw new FieldProblem(notChoice)
  const { form, mode = 'auto', allowed } = readVariant<Chosen>(kinds, value, {})
  if (form) return { form }
  if (allowed) return { mode, allowed }
  throw new FieldProblem(notChoice)
}

type Tools = {
  box?: Toolbox
  choice?: Choice
  parallelToolCalls?: boolean
  webSearch?: WebSearch
}

/** Nothing can be chosen if no tools are declared. */
export function toolUse({ box, choice, parallelToolCalls, webSearch }: Tools): ToolUse {
  const tools = box?.tools ?? []
  const canSearch = webSearch !== undefined
  const toolChoice = choiceOf(box ?? new Toolbox(), choice, { canSearch })
  if (tools.length === 0 && !webSearch) return {}
  const shown =
    typeof choice === 'object' && 'allowed' in choice && box
      ? allowedOf(box, choice.allowed)
      : tools
  return {
    ...(shown.length > 0 ? { tools: shown } : {}),
    ...(webSearch ? { webSearch } : {}),
    ...(toolChoice === undefined ? {} : { toolChoice }),
    ...(parallelToolCalls === undefined ? {} : { parallelToolCalls }),
  }
}

function choiceOf(
  box: Toolbox,
  choice: Choice | undefined,
  { canSearch }: { canSearch: boolean },
): ToolUse['toolChoice'] {
  if (choice === undefined || choice === 'auto' || choice === 'none') return choice
  if (typeof choice === 'object' && 'form' in choice) {
    const name = box.nameOf(choice.form)
    if (box.tools.some((tool) => tool.name === name)) return { name }
    throw problemAt('tool_choice', 'names a function not in tools')
  }
  const mode = choice === 'required' ? choice : choice.mode
  if (mode === 'auto' || box.tools.length > 0 || canSearch) return mode
  throw problemAt('tool_choice', 'needs tools to choose from')
}

function allowedOf(box: Toolbox, allowed: ToolForm[]): ToolDefinition[] {
  const names = new Set(allowed.map((form) => box.nameOf(form)))
  const shown = box.tools.filter(({ name }) => names.has(name))
  if (shown.length === names.size && shown.length > 0) return shown
  throw problemAt('tool_choice', 'allows a function that is not in tools')
}
