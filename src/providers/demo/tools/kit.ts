// The functions of a request as this model sees them, and which of them a part of the goal asks
// for. A function that changes something is chosen only if its verb, or a similar one, was used.
import { isRecord } from '#core/record.ts'
import type { ToolDefinition } from '#core/text-stream.ts'
import type { Json } from '../../json-shape.ts'
import { splitName, stem, wordsOf } from '../text/language.ts'

export type Param = { name: string; schema: Json; isRequired: boolean }

/** `words` are those of the name, without a prefix that all functions share. */
export type Tool = { name: string; words: string[]; does: Deed; description: string } & Params
type Params = { params: Param[]; required: Param[] }

/** Derived from the verb of the name. What a function starts is polled until it ends. */
type Deed = 'list' | 'read' | 'change' | 'start' | 'other'

export function readKit(tools: readonly ToolDefinition[]): Tool[] {
  const named = tools.map(({ name }) => splitName(name))
  const prefix = named[0]?.[0]
  const isShared = tools.length > 1 && named.every(([first, next]) => next && first === prefix)
  return tools.map(({ name, description = '', parameters }, index) => {
    const words = named[index]?.slice(isShared ? 1 : 0) ?? []
    const does = rows.find(({ names }) => names.includes(words[0] ?? ''))?.does ?? 'other'
    return { name, words, does, description: description.slice(0, 2000), ...paramsOf(parameters) }
  })
}

export function paramsOf(schema: unknown): Params {
  const { properties, required: names } = isRecord(schema) ? schema : {}
  const all = Object.entries(isRecord(properties) ? properties : {}).map(([name, property]) => ({
    name,
    schema: isRecord(property) ? property : {},
    isRequired: Array.isArray(names) && names.includes(name),
  }))
  const required = all.filter(({ isRequired }) => isRequired)
  // Required parameters come first; the others take the values that are left.
  const params = [...required, ...all.filter(({ isRequired }) => !isRequired)].slice(0, 100)
  return { params, required }
}

/** Words in the names of functions, and what people say instead. */
const row = (does: Deed, names: string, said: string) => ({
  does,
  names: names.split(' '),
  stems: new Set(`${names} ${said}`.split(' ').map(stem)),
})
const rows = [
  row('list', 'list search find', 'show see display look query what which all'),
  row('read', 'get read fetch check poll retrieve describe show', 'see look give open what how'),
  row('start', 'run start execute submit launch', 'trigger'),
  row('start', 'generate', 'make draw create paint produce render'),
  row('change', 'create add set write', 'make build save store insert new plus sum'),
  row('change', 'delete remove', 'drop erase'),
  row('change', 'update', 'change edit rename replace'),
  row('change', 'cancel stop', 'abort halt'),
  row('change', 'send post', 'mail deliver write'),
  row('other', 'estimate', 'cost price much'),
  row('other', 'chat', 'ask talk'),
  row('other', 'image', 'picture photo drawing illustration draw paint'),
  row('other', 'video', 'film movie clip animation'),
  row('other', 'email', 'e-mail mail'),
]

/** The function whose name matches a clause best. */
export function matchTool(clause: string, kit: readonly Tool[]): Tool | undefined {
  const words = new Set(wordsOf(clause.toLowerCase()))
  // Digits imply numbers even without the word.
  if (/\d/.test(clause)) words.add('numbers')
  const stems = new Set([...words].map(stem))
  const scoreOf = ({ name, words: own, does }: Tool): number => {
    if (name.length > 3 && clause.includes(name)) return 10
    const hits = own.map((word) => {
      if (stems.has(stem(word))) return words.has(word) ? 1 : 0.95
      const alike = rows.filter(({ names }) => names.includes(word))
      return alike.some((one) => !one.stems.isDisjointFrom(stems)) ? 0.8 : 0
    })
    const isChanger = does === 'change' || does === 'start'
    if (isChanger && !hits[0]) return 0
    const total = hits.reduce((sum: number, hit) => sum + hit, 0)
    const coverage = total / Math.max(1, hits.length)
    return coverage >= (isChanger ? 0.6 : 0.5) ? coverage + total * 0.1 : 0
  }
  const scored = kit.map((tool) => ({ tool, score: scoreOf(tool) }))
  const [best] = scored.toSorted((a, b) => b.score - a.score)
  return best && best.score > 0 ? best.tool : undefined
}
