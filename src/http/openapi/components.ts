import { isRecord } from '#core/record.ts'
import { shapeOf } from './schema-shape.ts'

export type Schema = Record<string, unknown>

/** Replaces schemas by references to the named one with the same shape. */
export type Refer = (schema: object) => Schema

type Naming = { refer: Refer; schemas: Record<string, Schema> }

export function nameSchemas(named: ReadonlyMap<string, object>): Naming {
  const names = new Map([...named].map(([name, schema]) => [shapeOf(schema), name]))
  const schemas: Record<string, Schema> = {}
  for (const [name, schema] of named) {
    // Of two names with one shape, only the last is used.
    if (names.get(shapeOf(schema)) === name) schemas[name] = inside(schema, names)
  }
  return { refer: (schema) => refer(schema, names), schemas }
}

function refer(schema: object, names: ReadonlyMap<string, string>): Schema {
  const name = names.get(shapeOf(schema))
  if (name === undefined) return inside(schema, names)
  const { description } = schema as Schema
  const says = description === undefined ? {} : { description }
  return { $ref: `#/components/schemas/${name}`, ...says }
}

/** The schemas that something refers to, directly or through others. */
export function usedIn(described: object, schemas: Record<string, Schema>): Record<string, Schema> {
  const used = new Set<string>()
  const visit = (text: string) => {
    for (const [, name = ''] of text.matchAll(/"#\/components\/schemas\/(\w+)"/g)) {
      if (used.has(name)) continue
      used.add(name)
      visit(JSON.stringify(schemas[name]))
    }
  }
  visit(JSON.stringify(described))
  return Object.fromEntries(Object.entries(schemas).filter(([name]) => used.has(name)))
}

const anyName = '^.*$'

/** Replaces the schemas inside this one by references, but not the schema itself. */
function inside(schema: object, names: ReadonlyMap<string, string>): Schema {
  const again = (held: unknown) => refer(held as object, names)
  const { patternProperties, ...copy } = schema as Schema
  if (isRecord(copy.properties)) copy.properties = mapValues(copy.properties, again)
  if (isOpen(copy)) return { ...withoutProperties(copy), additionalProperties: true }
  if (isRecord(copy.items)) copy.items = again(copy.items)
  if (Array.isArray(copy.anyOf)) {
    if (copy.anyOf.every(isListOfRequired)) return { ...withoutChoice(copy), minProperties: 1 }
    copy.anyOf = copy.anyOf.map(again)
  }
  if (!isRecord(patternProperties)) return copy
  // All names share one schema; generators handle `additionalProperties` better.
  const all = patternProperties[anyName]
  return all === undefined
    ? { ...copy, patternProperties: mapValues(patternProperties, again) }
    : { ...copy, additionalProperties: again(all) }
}

/** Accepts members of any name. Generators would read its empty `properties` as "no members". */
const isOpen = ({ type, properties, additionalProperties }: Schema): boolean =>
  type === 'object' &&
  additionalProperties === undefined &&
  isRecord(properties) &&
  Object.keys(properties).length === 0

/**
 * "At least one of these members", which generators would read as "anything", because the options
 * have no type. What replaces it is less strict; the operation's description says the rest.
 */
const isListOfRequired = (option: unknown): boolean =>
  isRecord(option) && Object.keys(option).join() === 'required'

const withoutChoice = ({ anyOf: _choice, ...rest }: Schema): Schema => rest

const withoutProperties = ({ properties: _none, ...rest }: Schema): Schema => rest

const mapValues = (object: Schema, change: (value: unknown) => unknown): Schema =>
  Object.fromEntries(Object.entries(object).map(([name, value]) => [name, change(value)]))
