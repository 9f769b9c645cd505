// Identifiers for parameters: stated outright, returned by an earlier call, or found in a list.
import { isRecord } from '#core/record.ts'
import type { Json } from '../../json-shape.ts'
import { splitName, stem } from '../text/language.ts'
import type { Param, Tool } from './kit.ts'
import { findKey, hasFailed, itemsOf, type Step } from './results.ts'

/** The part of the goal that asks for a function, and what is known to fill its parameters. */
export type Known = { clause: string; steps: readonly Step[]; kit: readonly Tool[]; tool: Tool }

/** Values of the clause that no parameter has taken yet. */
export type Pool = { quoted: string[]; numbers: number[]; json: unknown[] }

export const isIdentifier = ({ name, schema }: Param): boolean =>
  splitName(name).at(-1) === 'id' || schema.format === 'uuid' || name === 'model'

/** "workflowId" is about a workflow; "model" about a model. */
const nounOf = ({ name }: Param): string =>
  stem(splitName(name).findLast((word) => word !== 'id') ?? '')

const isAbout = (name: string, param: Param) => splitName(name).map(stem).includes(nounOf(param))

/** The functions that list what the parameter identifies and have no required parameters. */
export const listersOf = (param: Param, { kit }: Known): Tool[] =>
  kit.filter(
    ({ name, does, required }) => does === 'list' && required.length === 0 && isAbout(name, param),
  )

/** Removes the name that identified the thing from the pool, so no other parameter takes it. */
export function findIdentifier(param: Param, known: Known, pool: Pool): unknown {
  const { clause, steps } = known
  const isText = param.schema.type === 'string'
  const near = new RegExp(
    `\\b${nounOf(param)}\\w{0,3}\\s{1,3}(?:id |number )?#?(\\d{1,15})\\b`,
    'i',
  )
  const number = near.exec(clause)?.[1]
  if (number && !isText) return Number(number)
  const listers = listersOf(param, known)
  const listed = steps.findLast(({ name }) => listers.some((lister) => lister.name === name))
  const items = itemsOf(listed?.result)
  const meant = items.find((item) =>
    namesOf(item).some((name) => clause.toLowerCase().includes(name.toLowerCase())),
  )
  if (meant) pool.quoted = pool.quoted.filter((text) => !namesOf(meant).includes(text))
  if (meant) return idOf(meant, param)
  // The quoted text may be a name: return nothing, so that the caller fetches the list first.
  if (!listed && pool.quoted.length > 0 && listers.length > 0) return undefined
  const found = given(param, steps) ?? fitting(items, param, known.tool)
  return found ?? (isText ? undefined : pool.numbers.shift())
}

const namesOf = ({ name, title, id }: Json): string[] =>
  [name, title, id].filter((word) => typeof word === 'string').filter((word) => word.length > 1)

const idOf = (item: Json, { name }: Param): unknown => item[name] ?? item.id

/** The identifier in the newest result that is about a single thing. */
function given(param: Param, steps: readonly Step[]): unknown {
  const values = steps.toReversed().map((step) => {
    const { name, result } = step
    if (hasFailed(step) || itemsOf(result).length > 1) return undefined
    const own = isAbout(name, param) && isRecord(result) ? idOf(result, param) : undefined
    return findKey(result, param.name) ?? own
  })
  return values.find((value) => value !== undefined)
}

/** Of several items, the first whose kind the function mentions: an IMAGE model for an image. */
function fitting(items: readonly Json[], param: Param, { words, description }: Tool): unknown {
  const spoken = splitName(`${words.join(' ')} ${description} ${param.schema.description}`)
  const found = items.find(({ kind, type }) => spoken.includes(String(kind ?? type).toLowerCase()))
  const item = found ?? (items.length === 1 ? items[0] : undefined)
  return item && idOf(item, param)
}
