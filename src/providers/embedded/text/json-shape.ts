// Reads from an instruction which JSON it wants: a JSON Schema, an example, or a list of keys.
import { isRecord, type Json, parseJson } from '../../json-shape.ts'

export type Shape =
  | { type: 'string'; options?: string[] }
  | { type: 'number'; isWhole: boolean; min: number; max: number }
  | { type: 'boolean' }
  | { type: 'array'; items: Shape; min: number; max: number }
  | { type: 'object'; fields: [name: string, shape: Shape][] }
  | { type: 'fixed'; value: unknown }

const text: Shape = { type: 'string' }
const maxFields = 100
const maxDepth = 8
const maxItems = 50

const listOf = (items: Shape, min = 0, max = maxItems): Shape => ({
  type: 'array',
  items,
  min,
  max,
})

export function shapeIn(ask: string): Shape | null {
  for (const found of jsonIn(ask)) {
    const shape = isSchema(found) ? shapeOf(found) : fromExample(found)
    if (shape.type === 'array' || (shape.type === 'object' && shape.fields.length > 0)) return shape
  }
  return fromKeys(ask)
}

/** Every JSON object or array that stands in the text, outermost first. */
export function jsonIn(ask: string): unknown[] {
  const source = ask.slice(0, 20_000)
  const found: unknown[] = []
  for (let at = 0, tries = 0; at < source.length && tries < 20; at++) {
    if (source[at] !== '{' && source[at] !== '[') continue
    tries++
    const end = closingOf(source, at)
    const value = end < 0 ? undefined : parseJson(source.slice(at, end + 1))
    if (value === undefined) continue
    found.push(value)
    at = end
  }
  return found
}

function closingOf(source: string, start: number): number {
  let depth = 0
  let isQuoted = false
  for (let i = start; i < source.length; i++) {
    const char = source[i] ?? ''
    if (char === '\\' && isQuoted) i++
    else if (char === '"') isQuoted = !isQuoted
    else if (!isQuoted && '{['.includes(char)) depth++
    else if (!isQuoted && '}]'.includes(char) && --depth === 0) return i
  }
  return -1
}

const isSchema = (value: unknown): value is Json =>
  isRecord(value) && (isRecord(value.properties) || '$schema' in value || isRecord(value.items))

const numberOr = (value: unknown, usual: number) => (typeof value === 'number' ? value : usual)

/** The depth also ends schemas that refer to themselves. */
export function shapeOf(schema: unknown, depth = 0, root = schema): Shape {
  if (!isRecord(schema) || depth > maxDepth) return text
  if (typeof schema.$ref === 'string') return shapeOf(resolve(schema.$ref, root), depth + 1, root)
  if ('const' in schema) return { type: 'fixed', value: schema.const }
  if (Array.isArray(schema.enum) && schema.enum.length > 0) {
    const options = schema.enum.filter((option) => typeof option === 'string')
    const isText = options.length === schema.enum.length
    return isText ? { type: 'string', options } : { type: 'fixed', value: schema.enum[0] }
  }
  const choice = [schema.anyOf, schema.oneOf, schema.allOf].find((list) => Array.isArray(list))
  if (Array.isArray(choice) && schema.type === undefined) return shapeOf(choice[0], depth + 1, root)
  const named = Array.isArray(schema.type) ? schema.type[0] : schema.type
  const type = named ?? ('properties' in schema ? 'object' : 'items' in schema ? 'array' : 'string')
  switch (type) {
    case 'object':
      return { type, fields: fieldsOf(schema.properties, (sub) => shapeOf(sub, depth + 1, root)) }
    case 'array': {
      const min = Math.min(numberOr(schema.minItems, 0), maxItems)
      const max = Math.max(min, Math.min(numberOr(schema.maxItems, maxItems), maxItems))
      return listOf(shapeOf(schema.items, depth + 1, root), min, max)
    }
    case 'number':
    case 'integer': {
      const [min, max] = [numberOr(schema.minimum, -Infinity), numberOr(schema.maximum, Infinity)]
      return { type: 'number', isWhole: type === 'integer', min, max }
    }
    case 'boolean':
      return { type }
    default:
      return type === 'null' ? { type: 'fixed', value: null } : text
  }
}

/** `#/$defs/Fact`: a path within the schema, as generators of schemas write it. */
const resolve = (reference: string, root: unknown): unknown =>
  reference
    .slice(2)
    .split('/')
    .reduce<unknown>((at, name) => (isRecord(at) ? at[name] : undefined), root)

const fieldsOf = (record: unknown, read: (value: unknown) => Shape): [string, Shape][] =>
  (isRecord(record) ? Object.entries(record) : [])
    .slice(0, maxFields)
    .map(([name, value]) => [name, read(value)])

function fromExample(value: unknown, depth = 0): Shape {
  if (depth > maxDepth) return text
  if (typeof value === 'number') {
    return {
      type: 'number',
      isWhole: Number.isInteger(value) && value !== 0,
      min: -Infinity,
      max: Infinity,
    }
  }
  if (typeof value === 'boolean') return { type: 'boolean' }
  if (Array.isArray(value)) return listOf(fromExample(value[0] ?? '', depth + 1))
  if (isRecord(value))
    return { type: 'object', fields: fieldsOf(value, (sub) => fromExample(sub, depth + 1)) }
  // "billing|delivery" in an example names the choice.
  const options = String(value)
    .slice(0, 400)
    .split('|')
    .map((option) => option.trim())
  return options.length > 1 && !options.includes('') ? { type: 'string', options } : text
}

/** "with keys title, summary and tags" */
function fromKeys(ask: string): Shape | null {
  const list =
    /\b(?:keys?|fields?|properties)\b\s{0,3}:?\s{1,3}([^.\n]{2,400})/i.exec(ask)?.[1] ?? ''
  const names = list.split(/,|\band\b/).flatMap((part) => {
    // A second word means that the sentence goes on: "tags from the text below".
    return /^["'`]?([A-Za-z_][\w-]{0,60})["'`]?(?:\s|:|$)/.exec(part.trim())?.[1] ?? []
  })
  const fields = [...new Set(names)].map((name): [string, Shape] => [name, fromName(name)])
  return fields.length > 0 ? { type: 'object', fields } : null
}

/** Where only the name of a key is known, it hints at the type. */
function fromName(name: string): Shape {
  if (/^(?:is|has)[_A-Z]|^(?:urgent|spam|valid)$/.test(name)) return { type: 'boolean' }
  if (/score|rating|count|year|total|amount|price|confidence/i.test(name)) {
    return { type: 'number', isWhole: /count|year/i.test(name), min: -Infinity, max: Infinity }
  }
  return /(?:tags|keywords|topics|items|points|tasks|emails|dates|names|people|list)$/i.test(name)
    ? listOf(text)
    : text
}
