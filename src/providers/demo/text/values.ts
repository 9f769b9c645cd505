// Values that people write into a text: in quotes, as numbers, as JSON, or after a name.
import { type Json, parseJson } from '../../json-shape.ts'
import { splitName } from './language.ts'

export const email = /[\w.+-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63}){1,8}/g
export const url = /https?:\/\/[^\s<>"')]{1,2000}/g

/** The pattern of each JSON Schema format, and an obvious placeholder. */
export const formats = new Map<unknown, readonly [pattern: RegExp, blank: string]>([
  ['email', [email, 'unknown@example.com']],
  ['uri', [url, 'https://example.com/']],
  ['date', [/\b\d{4}-[01]\d-[0-3]\d\b/g, '1970-01-01']],
  ['date-time', [/\b\d{4}-[01]\d-[0-3]\dT[0-2]\d:[0-5]\d:[0-5]\dZ/g, '1970-01-01T00:00:00Z']],
  [
    'uuid',
    [/\b[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}\b/gi, `00000000${'-0000'.repeat(4)}00000000`],
  ],
])

export const quote =
  /"([^"]{0,2000})"|“([^”]{0,2000})”|`([^`]{0,2000})`|(?<!\w)'((?:[^']|'(?=\w)){0,2000})'(?!\w)/g

export const quotedIn = (text: string): string[] =>
  [...text.matchAll(quote)].map((found) => found.slice(1).find((part) => part !== undefined) ?? '')

export const withoutQuoted = (text: string): string => text.replace(quote, ' ')

const number = /(?<![\w.-])-?(?:\d{1,3}(?:,\d{3}){1,4}|\d{1,15})(?:\.\d{1,10})?(?![\w-])/g

export const numbersIn = (text: string): number[] =>
  (withoutQuoted(text).match(number) ?? []).map((found) => Number(found.replaceAll(',', '')))

/** The value that a text gives after a name, or in a format, converted to the schema's type. */
export function valueNamed(name: string, schema: Json, text: string): unknown {
  const pattern = formats.get(schema.format)?.[0]
  const found = pattern ? text.match(pattern)?.[0] : textNamed(name, text)
  if (found === undefined || schema.type === 'array' || schema.type === 'object') return undefined
  if (isNumeric(schema)) return numbersIn(found)[0]
  return schema.type === 'boolean' ? /^(?:yes|true|on|1)\b/i.test(found) : found
}

export const isNumeric = ({ type }: Json): boolean => type === 'integer' || type === 'number'

/** In quotes after a name, as a word after "=", or as the rest of the line after ":". */
const behind =
  /["'`]?\s?(?:(?:=|:|is\b|to\b)?\s?(?:"([^"\n]{0,2000})"|'([^'\n]{0,2000})')|=\s?([-\w./@]{1,100})|:\s?(\S.{0,500}))/iy

/** For "customerName" people write customerName, customer_name or Customer name. */
function textNamed(name: string, text: string): string | undefined {
  const spoken = splitName(name).join('[\\s_-]?')
  if (spoken === '') return undefined
  for (const { index, 0: found } of text.matchAll(new RegExp(`(?<!\\w)${spoken}`, 'gi'))) {
    behind.lastIndex = index + found.length
    const [, double, single, word, line] = behind.exec(text) ?? []
    // "place: Paris, unit: celsius" gives two values.
    const rest = line?.split(/(?:[,;]| and)\s(?=[a-z][\w ]{0,30}[:=])/i, 1)[0]
    const value = double ?? single ?? word ?? rest
    if (value !== undefined) return value
  }
  return undefined
}

/** The outermost JSON objects and arrays in the text, in its order. */
export function jsonIn(text: string): object[] {
  const found: object[] = []
  let from = 0
  for (let tries = 0; tries < 20; tries++) {
    const at = text.slice(from).search(/[{[]/) + from
    if (at < from) break
    const end = closingOf(text, at)
    const value = parseJson(text.slice(at, end))
    if (typeof value === 'object' && value !== null) found.push(value)
    from = typeof value === 'object' ? end : at + 1
  }
  return found
}

/** The end of the bracket that opens at `start`, or `start` if it is never closed. */
function closingOf(text: string, start: number): number {
  const signs = /\\.|["{}[\]]/gs
  signs.lastIndex = start
  let depth = 0
  let isQuoted = false
  for (const { 0: sign, index } of text.matchAll(signs)) {
    if (sign === '"') isQuoted = !isQuoted
    else if (!isQuoted && '{['.includes(sign)) depth++
    else if (!isQuoted && '}]'.includes(sign) && --depth === 0) return index + 1
  }
  return start
}
