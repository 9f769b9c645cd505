// Finds the JSON Schema that an instruction asks for: one that it contains, or one made from an
// example or from a list of keys.
import { isRecord } from '#core/record.ts'
import type { Json } from '../../json-shape.ts'
import { jsonIn } from './values.ts'

const types = ['object', 'array', 'string', 'number', 'integer', 'boolean', 'null']
const maxDepth = 8

/** A whole JSON Schema that the text contains. */
export const schemaIn = (text: string): Json | undefined =>
  jsonIn(text).filter(isRecord).find(isSchema)

export function shapeIn(ask: string): Json | undefined {
  const [example] = jsonIn(ask).filter((value) => Object.keys(value).length > 0)
  return schemaIn(ask) ?? (example ? schemaOfExample(example) : schemaOfKeys(ask))
}

const isSchema = ({ type, properties, items, $ref, ...rest }: Json): boolean =>
  types.includes(String(type)) ||
  [properties, items].some(isRecord) ||
  typeof $ref === 'string' ||
  [rest.enum, rest.anyOf, rest.oneOf, rest.allOf, rest.prefixItems].some(Array.isArray)

/** Built from entries, so that even "__proto__" becomes a key like any other. */
const objectOf = (properties: readonly [name: string, schema: Json][]): Json => ({
  type: 'object',
  properties: Object.fromEntries(properties),
})

function schemaOfExample(value: unknown, depth = 0): Json {
  if (depth > maxDepth) return {}
  if (typeof value === 'number') return { type: 'number' }
  if (typeof value === 'boolean') return { type: 'boolean' }
  if (Array.isArray(value))
    return { type: 'array', items: schemaOfExample(value[0] ?? '', depth + 1) }
  if (isRecord(value)) {
    const entries = Object.entries(value)
    return objectOf(entries.map(([name, sub]) => [name, schemaOfExample(sub, depth + 1)]))
  }
  // "billing|delivery" in an example lists the options.
  const options = String(value).slice(0, 400).split('|')
  return options.length > 1 && !options.includes('') ? { enum: options } : { type: 'string' }
}

/** "with keys title, summary and tags" */
function schemaOfKeys(ask: string): Json | undefined {
  const list =
    /\b(?:keys?|fields?|properties)\b\s{0,3}:?\s{1,3}([^.\n]{2,400})/i.exec(ask)?.[1] ?? ''
  const names = list.split(/,|\band\b/).flatMap((part) => {
    // A second word means that the sentence goes on: "tags from the text below".
    return /^["'`]?([A-Za-z_][\w-]{0,60})["'`]?(?:\s|:|$)/.exec(part.trim())?.[1] ?? []
  })
  return names.length > 0 ? objectOf(names.map((name) => [name, {}])) : undefined
}
