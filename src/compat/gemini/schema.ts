// Google's schemas as JSON Schema. Theirs have types in capitals, `nullable` and counts as text.
import { isRecord } from '#core/record.ts'
import { type Fields, type Read, record } from '../field-table.ts'
import { camelCase } from './fields.ts'

/** Formats that describe how Google stores a number; a JSON Schema has no such words. */
const storageFormats: ReadonlySet<unknown> = new Set(['float', 'double', 'int32', 'int64', 'enum'])

const counts: ReadonlySet<string> = new Set([
  ...['maxItems', 'minItems', 'maxLength', 'minLength', 'maxProperties', 'minProperties'],
])

const inCamelCase: ReadonlySet<string> = new Set([...counts, 'anyOf', 'propertyOrdering'])

export const googleSchema: Read<object> = (value) => schemaOf(record(value))

function schemaOf(given: Fields): Fields {
  const schema: Fields = {}
  let isNullable = false
  for (const [name, value] of Object.entries(given)) {
    const known = inCamelCase.has(camelCase(name)) ? camelCase(name) : name
    if (known === 'nullable') isNullable = value === true
    else put(schema, known, value)
  }
  return isNullable ? nullable(schema) : schema
}

function put(schema: Fields, name: string, value: unknown) {
  if (value === null || name === 'propertyOrdering') return
  if (name === 'type') putType(schema, value)
  else if (name === 'format' && storageFormats.has(value)) return
  else if (name === 'example') schema.examples = [value]
  else if (counts.has(name)) schema[name] = Number(value)
  else if (name === 'items') schema.items = nested(value)
  else if (name === 'anyOf' && Array.isArray(value)) schema.anyOf = value.map(nested)
  else if (isRecord(value) && (name === 'properties' || name === '$defs')) {
    const entries = Object.entries(value).map(([key, one]) => [key, nested(one)] as const)
    schema[name] = Object.fromEntries(entries)
  } else schema[name] = value
}

const nested = (value: unknown): unknown => (isRecord(value) ? schemaOf(value) : value)

function putType(schema: Fields, type: unknown) {
  if (type === 'TYPE_UNSPECIFIED') return
  schema.type = typeof type === 'string' ? type.toLowerCase() : type
}

function nullable(schema: Fields): Fields {
  const { type, enum: values } = schema
  if (typeof type !== 'string') return { anyOf: [schema, { type: 'null' }] }
  const listed = Array.isArray(values) ? { enum: [...values, null] } : {}
  return { ...schema, type: [type, 'null'], ...listed }
}

/**
 * Google's models write only the properties that a schema names, and other vendors enforce a schema
 * only if it says so.
 */
export function closedSchema(given: object): object {
  const schema = given as Fields
  const closed: Fields = { ...schema }
  if (isRecord(schema.properties)) {
    const entries = Object.entries(schema.properties)
    closed.properties = Object.fromEntries(entries.map(([name, one]) => [name, closedIn(one)]))
    closed.additionalProperties ??= false
  }
  if (schema.items !== undefined) closed.items = closedIn(schema.items)
  for (const name of ['anyOf', 'oneOf', 'prefixItems']) {
    const list = schema[name]
    if (Array.isArray(list)) closed[name] = list.map(closedIn)
  }
  if (isRecord(schema.$defs)) {
    const entries = Object.entries(schema.$defs)
    closed.$defs = Object.fromEntries(entries.map(([name, one]) => [name, closedIn(one)]))
  }
  return closed
}

const closedIn = (value: unknown): unknown => (isRecord(value) ? closedSchema(value) : value)

/** Words that every vendor's strict mode knows. */
const strictWords: ReadonlySet<string> = new Set([
  ...['type', 'title', 'description', 'properties', 'required', 'additionalProperties', 'items'],
  ...['enum', 'anyOf', '$defs', '$ref', 'minimum', 'maximum', 'minItems', 'maxItems', 'pattern'],
])

/** Whether vendors that enforce schemas in a strict mode accept it there: nothing is optional. */
export function isStrict(given: object): boolean {
  const schema = given as Fields
  const { properties, required, additionalProperties, items, anyOf, $defs } = schema
  if (!Object.keys(schema).every((word) => strictWords.has(word))) return false
  const named = isRecord(properties) ? Object.keys(properties) : []
  const isComplete = named.every((name) => Array.isArray(required) && required.includes(name))
  const isClosed = schema.type !== 'object' || additionalProperties === false
  const within = [
    ...(isRecord(properties) ? Object.values(properties) : []),
    ...(isRecord($defs) ? Object.values($defs) : []),
    ...(Array.isArray(anyOf) ? anyOf : []),
    ...(items === undefined ? [] : [items]),
  ]
  return isComplete && isClosed && within.every((one) => isRecord(one) && isStrict(one))
}
