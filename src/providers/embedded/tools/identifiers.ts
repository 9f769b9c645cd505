// Identifiers for parameters: said outright, given by an earlier answer, or found in a list.
import { isRecord, type Json } from '../../json-shape.ts'
import { stem } from '../text/language.ts'
import { isLister, type Param, requiredOf, splitName, type Tool } from './kit.ts'
import { core, failureIn, findKey, itemsOf, type Step } from './results.ts'
import { quotedIn, uuidIn } from './values.ts'

/** What is known while the parameters of a function are filled. */
export type Known = { clause: string; steps: readonly Step[]; kit: readonly Tool[]; tool: Tool }

export const isIdentifier = ({ name, schema }: Param): boolean =>
  splitName(name).at(-1) === 'id' || schema.format === 'uuid' || name === 'model'

/** "workflowId" is about a workflow; "model" about a model. */
const nounOf = ({ name }: Param): string =>
  stem(
    splitName(name)
      .filter((word) => word !== 'id')
      .at(-1) ?? '',
  )

const isAbout = (words: readonly string[], param: Param) => words.map(stem).includes(nounOf(param))

export function findIdentifier(param: Param, known: Known): string | number | undefined {
  const { clause, steps } = known
  const uuid = param.schema.format === 'uuid' ? uuidIn(clause) : undefined
  if (uuid) return uuid
  const near = new RegExp(
    `\\b${nounOf(param)}\\w{0,3}\\s{1,3}(?:id|number|no\\.?)?\\s{0,2}#?(\\d{1,15})\\b`,
    'i',
  ).exec(clause)?.[1]
  if (near && param.schema.type !== 'string') return Number(near)
  const items = listed(param, known)
  const meant = items.find((item) =>
    namesOf(item).some((name) => clause.toLowerCase().includes(name.toLowerCase())),
  )
  if (meant) return idOf(meant, param)
  // A name that was said and not found is not something else.
  if (items.length === 0 && quotedIn(clause).length > 0 && listerFor(param, known)) return undefined
  return given(param, steps) ?? fitting(items, param, known.tool)
}

/** The newest answer that is about one thing and names it. */
function given(param: Param, steps: readonly Step[]): string | number | undefined {
  for (const { name, result } of steps.toReversed()) {
    if (failureIn(result) !== undefined || itemsOf(result).length > 1) continue
    const inner = core(result)
    const own = isAbout(splitName(name), param) && isRecord(inner) ? idOf(inner, param) : undefined
    const value = findKey(result, param.name) ?? own
    if (value !== undefined) return value
  }
  return undefined
}

function listed(param: Param, { steps, kit }: Known): Json[] {
  const names = new Set(kit.filter(isLister).map(({ name }) => name))
  const last = steps.findLast(({ name }) => names.has(name) && isAbout(splitName(name), param))
  return last ? itemsOf(last.result) : []
}

const idOf = (item: Json, { name }: Param): string | number | undefined => {
  const id = item[name] ?? item.id
  return typeof id === 'string' || typeof id === 'number' ? id : undefined
}

const namesOf = ({ name, title, id }: Json): string[] =>
  [name, title, id].filter((word) => typeof word === 'string').filter((word) => word.length > 1)

/** Names that were said to point at something: they are no text for another parameter. */
export const namesListed = (param: Param, known: Known): Set<string> =>
  new Set(listed(param, known).flatMap(namesOf))

/** Of several, the first whose kind the function speaks of: an IMAGE model for an image. */
function fitting(items: readonly Json[], param: Param, { words, description }: Tool) {
  const spoken = new Set(
    `${words.join(' ')} ${description} ${param.schema.description}`
      .toLowerCase()
      .split(/[^a-z0-9]+/),
  )
  const found = items.find(({ kind, type }) =>
    [kind, type].some((word) => typeof word === 'string' && spoken.has(word.toLowerCase())),
  )
  const item = found ?? (items.length === 1 ? items[0] : undefined)
  return item && idOf(item, param)
}

/** A function not called yet that lists what the parameter names, and needs nothing to do so. */
export const listerFor = (param: Param, { kit, steps }: Known): Tool | undefined =>
  kit
    .filter((tool) => isLister(tool) && isAbout(tool.words, param) && requiredOf(tool).length === 0)
    .filter((tool) => !steps.some(({ name }) => name === tool.name))
    .toSorted((a, b) => a.words.length - b.words.length)[0]
