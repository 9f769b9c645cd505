// Reads from an instruction which JSON it wants, as a JSON Schema: one that stands there, or one
// made from an example or from a list of keys.
import { isRecord, type Json, parseJson } from '../../json-shape.ts'

const maxDepth = 8

export function schemaIn(ask: string): Json | null {
  const [found] = jsonIn(ask).filter((value) => Object.keys(value).length > 0)
  if (!found) return schemaOfKeys(ask)
  return isSchema(found) ? found : schemaOfExample(found)
}

/** Every JSON object or array that stands in the text, outermost first. */
export function jsonIn(ask: string): object[] {
  const source = ask.slice(0, 20_000)
  const found: object[] = []
  for (let at = 0, tries = 0; at < source.length && tries < 20; at++) {
    if (source[at] !== '{' && source[at] !== '[') continue
    tries++
    const end = closingOf(source, at)
    const value = end < 0 ? undefined : parseJson(source.slice(at, end + 1))
    if (typeof value !== 'object' || value === null) continue
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

const isSchema = (value: object): value is Json =>
  isRecord(value) && (isRecord(value.properties) || '$schema' in value || isRecord(value.items))

/** From entries, so that even "__proto__" becomes a key like any other. */
const objectOf = (properties: readonly [name: string, schema: Json][]): Json => ({
  type: 'object',
  properties: Object.fromEntries(properties),
})

function schemaOfExample(value: unknown, depth = 0): Json {
  if (depth > maxDepth) return { type: 'string' }
  if (typeof value === 'number')
    return { type: Number.isInteger(value) && value !== 0 ? 'integer' : 'number' }
  if (typeof value === 'boolean') return { type: 'boolean' }
  if (Array.isArray(value))
    return { type: 'array', items: schemaOfExample(value[0] ?? '', depth + 1) }
  if (isRecord(value)) {
    return objectOf(
      Object.entries(value).map(([name, sub]) => [name, schemaOfExample(sub, depth + 1)]),
    )
  }
  // "billing|delivery" in an example names the choice.
  const options = String(value)
    .slice(0, 400)
    .split('|')
    .map((option) => option.trim())
  return options.length > 1 && !options.includes('') ? { enum: options } : { type: 'string' }
}

/** "with keys title, summary and tags" */
function schemaOfKeys(ask: string): Json | null {
  const list =
    /\b(?:keys?|fields?|properties)\b\s{0,3}:?\s{1,3}([^.\n]{2,400})/i.exec(ask)?.[1] ?? ''
  const names = list.split(/,|\band\b/).flatMap((part) => {
    // A second word means that the sentence goes on: "tags from the text below".
    return /^["'`]?([A-Za-z_][\w-]{0,60})["'`]?(?:\s|:|$)/.exec(part.trim())?.[1] ?? []
  })
  return names.length > 0 ? objectOf(names.map((name) => [name, schemaOfName(name)])) : null
}

/** Where only the name of a key is known, it hints at the type. */
function schemaOfName(name: string): Json {
  if (/^(?:is|has)[_A-Z]|^(?:urgent|spam|valid)$/.test(name)) return { type: 'boolean' }
  if (/count|year/i.test(name)) return { type: 'integer' }
  if (/score|rating|total|amount|price|confidence/i.test(name)) return { type: 'number' }
  return /(?:tags|keywords|topics|items|points|tasks|emails|dates|names|people|list)$/i.test(name)
    ? { type: 'array' }
    : { type: 'string' }
}
