// Reads from an instruction which JSON it wants: a JSON Schema, an example, a type written down
// in braces, or a list of keys.
import { parseJson } from '../../json-shape.ts'

export type Shape =
  | { type: 'string'; options?: string[] }
  | { type: 'number'; whole: boolean; min?: number; max?: number }
  | { type: 'boolean' }
  | { type: 'array'; items: Shape; min: number; max: number }
  | { type: 'object'; fields: [name: string, shape: Shape][] }
  | { type: 'fixed'; value: unknown }

const text: Shape = { type: 'string' }
const maxFields = 100
const maxDepth = 8
const maxItems = 50

type Fields = Record<string, unknown>
const isRecord = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

export function shapeIn(ask: string): Shape | null {
  for (const found of jsonIn(ask)) {
    const shape = isSchema(found) ? fromSchema(found, 0) : fromExample(found, 0)
    if (shape.type === 'object' && shape.fields.length > 0) return shape
    // An empty pair of brackets is more likely the end of a type: string[].
    if (shape.type === 'array' && !(Array.isArray(found) && found.length === 0)) return shape
  }
  return fromBraces(ask) ?? fromKeys(ask)
}

export const shapeOf = (schema: unknown): Shape => fromSchema(schema, 0)

/** Every JSON object or array that stands in the text, outermost first. */
function jsonIn(ask: string): unknown[] {
  const found: unknown[] = []
  const source = ask.slice(0, 20_000)
  for (let at = 0, tries = 0; at < source.length && tries < 20; at++) {
    if (source[at] !== '{' && source[at] !== '[') continue
    tries++
    const end = closingOf(source, at)
    if (end < 0) continue
    const value = parseJson(source.slice(at, end + 1))
    // Braces are used for much else.
    if (value === undefined) continue
    found.push(value)
    at = end
  }
  return found
}

function closingOf(source: string, start: number): number {
  let depth = 0
  let quoted = false
  for (let i = start; i < source.length; i++) {
    const char = source[i]
    if (char === '\\' && quoted) i++
    else if (char === '"') quoted = !quoted
    else if (!quoted && (char === '{' || char === '[')) depth++
    else if (!quoted && (char === '}' || char === ']') && --depth === 0) return i
  }
  return -1
}

const isSchema = (value: unknown): value is Fields =>
  isRecord(value) &&
  (isRecord(value.properties) ||
    typeof value.$schema === 'string' ||
    (value.type === 'array' && isRecord(value.items)))

const bound = (value: unknown): number | undefined =>
  typeof value === 'number' ? value : undefined

function fromSchema(schema: unknown, depth: number): Shape {
  if (!isRecord(schema) || depth > maxDepth) return text
  if ('const' in schema) return { type: 'fixed', value: schema.const }
  if (Array.isArray(schema.enum) && schema.enum.length > 0) {
    const options = schema.enum.filter((option) => typeof option === 'string')
    return options.length === schema.enum.length
      ? { type: 'string', options }
      : { type: 'fixed', value: schema.enum[0] }
  }
  const choice = [schema.anyOf, schema.oneOf, schema.allOf].find((list) => Array.isArray(list))
  if (Array.isArray(choice) && schema.type === undefined) return fromSchema(choice[0], depth + 1)
  const named = Array.isArray(schema.type) ? schema.type[0] : schema.type
  const type =
    named ?? (isRecord(schema.properties) ? 'object' : 'items' in schema ? 'array' : 'string')
  if (type === 'object') {
    const fields = isRecord(schema.properties) ? Object.entries(schema.properties) : []
    return {
      type,
      fields: fields.slice(0, maxFields).map(([name, sub]) => [name, fromSchema(sub, depth + 1)]),
    }
  }
  if (type === 'array') {
    const min = Math.min(bound(schema.minItems) ?? 0, maxItems)
    const max = Math.max(min, Math.min(bound(schema.maxItems) ?? maxItems, maxItems))
    return { type, items: fromSchema(schema.items, depth + 1), min, max }
  }
  if (type === 'number' || type === 'integer') {
    const [min, max] = [bound(schema.minimum), bound(schema.maximum)]
    return {
      type: 'number',
      whole: type === 'integer',
      ...(min === undefined ? {} : { min }),
      ...(max === undefined ? {} : { max }),
    }
  }
  if (type === 'boolean') return { type }
  return type === 'null' ? { type: 'fixed', value: null } : text
}

function fromExample(value: unknown, depth: number): Shape {
  if (typeof value === 'number')
    return { type: 'number', whole: Number.isInteger(value) && value !== 0 }
  if (typeof value === 'boolean') return { type: 'boolean' }
  // In an example a type's name or a choice of words often stands for the value.
  if (typeof value === 'string') return fromTypeName(value) ?? text
  if (Array.isArray(value)) {
    return {
      type: 'array',
      items: depth < maxDepth ? fromExample(value[0] ?? '', depth + 1) : text,
      min: 0,
      max: maxItems,
    }
  }
  if (!isRecord(value) || depth > maxDepth) return text
  return {
    type: 'object',
    fields: Object.entries(value)
      .slice(0, maxFields)
      .map(([name, sub]) => [name, fromExample(sub, depth + 1)]),
  }
}

function fromTypeName(name: string): Shape | null {
  const word = name.trim().toLowerCase().slice(0, 200)
  if (/^(?:list|array)(?: of|<).{0,60}$|\[\]$/.test(word)) {
    const inner = word
      .replace(/\[\]$|>$/g, '')
      .replace(/^(?:list|array)(?: of |<)/, '')
      .replace(/s$/, '')
    return { type: 'array', items: fromTypeName(inner) ?? text, min: 0, max: maxItems }
  }
  if (/^(?:list|array)$/.test(word)) return { type: 'array', items: text, min: 0, max: maxItems }
  const range =
    /^(?:number|integer|int|float|score)?\s{0,3}\(?(\d{1,4})\s{0,2}(?:-|–|to|\.\.)\s{0,2}(\d{1,4})\)?$/.exec(
      word,
    )
  if (range)
    return {
      type: 'number',
      whole: !/float/.test(word),
      min: Number(range[1]),
      max: Number(range[2]),
    }
  if (/^(?:number|float|double|decimal)$/.test(word)) return { type: 'number', whole: false }
  if (/^(?:integer|int)$/.test(word)) return { type: 'number', whole: true }
  if (/^bool(?:ean)?$|^true\s?[|/]\s?false$/.test(word)) return { type: 'boolean' }
  const options = name
    .slice(0, 400)
    .split('|')
    .map((option) => option.replace(/["'`]/g, '').trim())
  return options.length > 1 && options.every((option) => option !== '')
    ? { type: 'string', options }
    : null
}

/** `{ title: string, tags: string[] }` or `{title, tags}` */
function fromBraces(ask: string): Shape | null {
  const inside = /\{([^{}]{2,2000})\}/.exec(ask)?.[1]
  if (inside === undefined) return null
  const fields = inside
    .split(/[,;\n]/)
    .slice(0, maxFields)
    .flatMap((part): [string, Shape][] => {
      const found =
        /^\s{0,20}["'`]?([A-Za-z_][\w-]{0,60})["'`]?\??\s{0,5}(?::\s{0,5}(.{1,200}))?$/.exec(
          part.trim(),
        )
      return found?.[1] ? [[found[1], fromTypeName(found[2] ?? '') ?? fromName(found[1])]] : []
    })
  return fields.length > 0 ? { type: 'object', fields } : null
}

/** "with keys title, summary and tags" */
function fromKeys(ask: string): Shape | null {
  const list =
    /\b(?:keys?|fields?|propert(?:y|ies)|attributes)\b(?: named| called| are)?\s{0,3}:?\s{1,3}([^.\n]{2,400})/i.exec(
      ask,
    )?.[1] ??
    /\bjson\b(?: object)?(?: with| containing| having| of)(?: the| a| an)? ([^.\n]{2,400})/i.exec(
      ask,
    )?.[1]
  if (list === undefined) return null
  const names = list
    .split(/,|;|\band\b|&|\n/)
    .map((part) =>
      part
        .replace(/\([^)]{0,80}\)/g, '')
        .replace(/["'`*]/g, '')
        .replace(/^\s*(?:an?|the)\s/i, '')
        .trim(),
    )
    // A second word means that the sentence goes on: "tags from the text below".
    .flatMap((part) => /^([A-Za-z_][\w-]{0,60})(?:\s|:|$)/.exec(part)?.[1] ?? [])
  const fields = [...new Set(names)]
    .slice(0, maxFields)
    .map((name): [string, Shape] => [name, fromName(name)])
  return fields.length > 0 ? { type: 'object', fields } : null
}

/** Where only the name of a key is known, it hints at the type. */
function fromName(name: string): Shape {
  const low = name.toLowerCase()
  if (/^(?:is|has|can|should|was)[_A-Z]/.test(name) || /^(?:urgent|spam|valid|approved)$/.test(low))
    return { type: 'boolean' }
  if (
    /score|rating|count|confidence|total|amount|price|age|year|quantity|percent|number$/.test(low)
  ) {
    return { type: 'number', whole: /score|rating|count|age|year|quantity/.test(low) }
  }
  if (
    /(?:tags|keywords|topics|hashtags|items|points|highlights|takeaways|actions|tasks|todos|steps|emails|urls|links|dates|names|people|entities|questions|ideas|prompts|scenes|lines|bullets|list|sentences)$/.test(
      low,
    )
  ) {
    return { type: 'array', items: text, min: 0, max: maxItems }
  }
  return text
}
