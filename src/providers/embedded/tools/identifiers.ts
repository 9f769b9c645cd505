// Identifiers for parameters: said outright, given by an earlier answer, or found in a list.
import { isRecord, type Json } from '../../json-shape.ts'
import { stem } from '../text/language.ts'
import type { Step } from './dialogue.ts'
import { isLister, nounOf, type Param, splitName, type Tool } from './kit.ts'
import { core, failureIn, findKey, itemsOf } from './results.ts'
import { quotedIn, uuidsIn } from './values.ts'

export const isIdentifier = ({ name, schema }: Param): boolean =>
  splitName(name).at(-1) === 'id' ||
  schema.format === 'uuid' ||
  name === 'model' ||
  (typeof schema.description === 'string' && /^identifier\b/i.test(schema.description))

export type Known = { clause: string; steps: readonly Step[]; kit: readonly Tool[]; tool: Tool }

export function findIdentifier(param: Param, known: Known): string | number | undefined {
  const { clause, steps } = known
  if (param.schema.format === 'uuid') {
    const [uuid] = uuidsIn(clause)
    if (uuid) return uuid
  }
  const near = new RegExp(
    `\\b${nounOf(param)}\\w{0,3}\\s{1,3}(?:id|number|no\\.?|#)?\\s{0,2}#?(\\d{1,15})\\b`,
    'i',
  ).exec(clause)?.[1]
  if (near && param.schema.type !== 'string') return Number(near)
  const items = listed(param, known)
  const mentioned = items.find((item) => isMentioned(item, clause))
  if (mentioned) return idOf(mentioned, param)
  // A name that was said and not found is not something else.
  if (items.length === 0 && quotedIn(clause).length > 0 && producerOf(param, known))
    return undefined
  return given(param, steps) ?? chosen(items, param, known)
}

/** The newest answer that is about one thing and names it. */
function given(param: Param, steps: readonly Step[]): string | number | undefined {
  for (const { name, result } of steps.toReversed()) {
    if (failureIn(result) !== undefined || itemsOf(result).length > 1) continue
    const value = findKey(result, param.name)
    if (value !== undefined) return value
    const inner = core(result)
    const isAbout = splitName(name).map(stem).includes(nounOf(param))
    if (isAbout && isRecord(inner)) {
      const id = inner.id
      if (typeof id === 'string' || typeof id === 'number') return id
    }
  }
  return undefined
}

const isAbout = (name: string, param: Param) => splitName(name).map(stem).includes(nounOf(param))

function listed(param: Param, { steps, kit }: Known): Json[] {
  const listers = new Set(kit.filter(isLister).map(({ name }) => name))
  const last = steps.findLast(({ name }) => listers.has(name) && isAbout(name, param))
  return last ? itemsOf(last.result) : []
}

const idOf = (item: Json, { name }: Param): string | number | undefined => {
  const id = item[name] ?? item.id
  return typeof id === 'string' || typeof id === 'number' ? id : undefined
}

/** Names that were said to point at something: they are no text for another parameter. */
export const namesListed = (param: Param, known: Known): Set<unknown> =>
  new Set(listed(param, known).flatMap((item) => [item.name, item.title, item.id]))

const isMentioned = (item: Json, clause: string): boolean => {
  const low = clause.toLowerCase()
  return [item.name, item.title, item.id].some(
    (word) => typeof word === 'string' && word.length > 1 && low.includes(word.toLowerCase()),
  )
}

/** Of several, the first that the function's own words speak of: an IMAGE model for an image. */
function chosen(items: Json[], param: Param, { tool }: Known): string | number | undefined {
  const words = new Set(
    `${tool.words.join(' ')} ${tool.description} ${param.schema.description ?? ''}`
      .toLowerCase()
      .split(/[^a-z0-9]+/),
  )
  const fitting = items.find((item) =>
    Object.entries(item).some(
      ([key, value]) =>
        /^(?:kind|type|category)$/.test(key) &&
        typeof value === 'string' &&
        words.has(value.toLowerCase()),
    ),
  )
  const only = items.length === 1 ? items[0] : undefined
  const item = fitting ?? only
  return item ? idOf(item, param) : undefined
}

/** A function that lists what the parameter names, and needs nothing to do so. */
export function producerOf(param: Param, { kit, steps }: Known): Tool | undefined {
  const called = new Set(steps.map(({ name }) => name))
  return kit
    .filter(
      (tool) =>
        isLister(tool) &&
        tool.words.map(stem).includes(nounOf(param)) &&
        !tool.params.some(({ isRequired }) => isRequired) &&
        !called.has(tool.name),
    )
    .toSorted((a, b) => a.words.length - b.words.length)[0]
}
