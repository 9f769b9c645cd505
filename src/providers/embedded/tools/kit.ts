// The functions of a request as this model sees them, and which of them a part of the goal asks
// for. A function that changes something is chosen only where its verb, or one like it, was said.
import type { ToolDefinition } from '#core/text-stream.ts'
import { isRecord, type Json } from '../../json-shape.ts'
import { stem, wordsOf } from '../text/language.ts'

export type Param = { name: string; schema: Json; isRequired: boolean }

/** `words` are those of the name, without a prefix that all functions share. */
export type Tool = { name: string; description: string; words: string[]; params: Param[] }

export function readKit(tools: readonly ToolDefinition[]): Tool[] {
  const named = tools.map(({ name }) => splitName(name))
  const prefix = named[0]?.[0]
  const isShared =
    tools.length > 1 && named.every((words) => words.length > 1 && words[0] === prefix)
  return tools.map(({ name, description = '', parameters }, index) => ({
    name,
    description: description.slice(0, 2000),
    words: (named[index] ?? []).slice(isShared ? 1 : 0),
    params: paramsOf(parameters),
  }))
}

/** "svc_list_workflowRuns" as svc, list, workflow, runs. */
export const splitName = (name: string): string[] =>
  name
    .replace(/([a-z\d])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .filter((word) => word !== '')

export function paramsOf(schema: unknown): Param[] {
  if (!isRecord(schema) || !isRecord(schema.properties)) return []
  const required = Array.isArray(schema.required) ? schema.required : []
  return Object.entries(schema.properties)
    .slice(0, 100)
    .map(([name, property]) => ({
      name,
      schema: isRecord(property) ? property : {},
      isRequired: required.includes(name),
    }))
}

export const requiredOf = ({ params }: Tool): Param[] =>
  params.filter(({ isRequired }) => isRequired)

const setOf = (list: string) => new Set(list.split(' '))
const readers = setOf('get read fetch check poll retrieve describe show')
const listers = setOf('list search find')
const changers = setOf(
  'create delete remove update set cancel stop run start execute send add generate post write submit',
)
const starters = setOf('run start execute generate submit launch')

export const isReader = ({ words }: Tool): boolean => readers.has(words[0] ?? '')
export const isLister = ({ words }: Tool): boolean => listers.has(words[0] ?? '')
export const isChanger = ({ words }: Tool): boolean => changers.has(words[0] ?? '')
/** What such a function begins is read at least once: its answer only names it. */
export const isStarter = ({ words }: Tool): boolean => starters.has(words[0] ?? '')

/** What people say for the words functions are named with. */
const said: Record<string, string> = {
  list: 'show see display what which all',
  get: 'read fetch check look show status what how see give open find',
  read: 'get fetch show open',
  find: 'search look get',
  search: 'find look query',
  run: 'start execute launch submit trigger',
  start: 'run launch trigger execute',
  create: 'make add new build save store',
  add: 'create insert plus sum',
  delete: 'remove drop erase',
  remove: 'delete drop erase',
  update: 'change edit rename replace',
  cancel: 'stop abort halt',
  validate: 'check verify',
  estimate: 'cost price much',
  generate: 'make draw create paint produce render',
  calculate: 'compute what much',
  send: 'mail post deliver write',
  chat: 'ask talk',
  image: 'picture photo drawing illustration draw paint',
  video: 'film movie clip animation',
  email: 'e-mail mail',
  weather: 'forecast temperature',
}

const alike = new Map(
  Object.entries(said).map(([word, others]) => [stem(word), others.split(' ').map(stem)]),
)
const nouns = setOf('image video email weather')
const verbs = new Set([
  ...Object.keys(said).filter((word) => !nouns.has(word)),
  ...setOf(
    'show make draw paint launch rename change edit abort check verify open write post ask summarize give wait tell report do don never',
  ),
])

export const isVerb = (word: string): boolean => verbs.has(word.toLowerCase())

/** The function whose name a clause says best. */
export function matchTool(clause: string, kit: readonly Tool[]): Tool | undefined {
  const words = new Set(wordsOf(clause).map(stem))
  // Digits speak of numbers without the word.
  if (/\d/.test(clause)) words.add(stem('number'))
  const scored = kit.map((tool) => ({ tool, score: scoreOf(tool, clause, words) }))
  const [best] = scored.toSorted((a, b) => b.score - a.score)
  return best && best.score > 0 ? best.tool : undefined
}

function scoreOf(tool: Tool, clause: string, words: ReadonlySet<string>): number {
  if (tool.name.length > 3 && clause.includes(tool.name)) return 10
  const hits = tool.words.map((word) => {
    if (words.has(stem(word))) return 1
    return alike.get(stem(word))?.some((other) => words.has(other)) ? 0.8 : 0
  })
  if (isChanger(tool) && !hits[0]) return 0
  const total = hits.reduce((sum: number, hit) => sum + hit, 0)
  const coverage = total / Math.max(1, hits.length)
  return coverage >= (isChanger(tool) ? 0.6 : 0.5) ? coverage + total * 0.1 : 0
}
