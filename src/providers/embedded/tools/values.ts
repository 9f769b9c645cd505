// Values that people write into a request: in quotes, as numbers, as JSON, behind a name.
import { parseJson } from '../../json-shape.ts'
import { splitName } from './kit.ts'

const quote =
  /"([^"]{0,2000})"|“([^”]{0,2000})”|`([^`]{0,2000})`|(?<!\w)'((?:[^']|'(?=\w)){0,2000})'(?!\w)/g

export const quotedIn = (text: string): string[] =>
  [...text.matchAll(quote)].map((found) => found[1] ?? found[2] ?? found[3] ?? found[4] ?? '')

export const withoutQuoted = (text: string): string => text.replace(quote, ' ')

export const numbersIn = (text: string): number[] =>
  (withoutQuoted(text).match(/(?<![\w.-])-?\d{1,15}(?:\.\d{1,10})?(?![\w-])/g) ?? []).map(Number)

export const uuidsIn = (text: string): string[] =>
  text.match(/\b[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}\b/gi) ?? []

/** Every JSON object or array in the text. */
export function jsonIn(text: string): unknown[] {
  const found: unknown[] = []
  for (let at = 0, tries = 0; at < text.length && tries < 10; at++) {
    const close = text[at] === '{' ? '}' : text[at] === '[' ? ']' : ''
    if (close === '') continue
    tries++
    for (let end = text.lastIndexOf(close); end > at; end = text.lastIndexOf(close, end - 1)) {
      const value = parseJson(text.slice(at, end + 1))
      if (value === undefined) {
        if (++tries > 10) break
        continue
      }
      found.push(value)
      at = end
      break
    }
  }
  return found
}

/** "workflowId" may be written workflowId, workflow_id or workflow id. */
const spoken = (name: string) => splitName(name).join('[\\s_-]{0,2}')

/** What stands behind a name: quoted, a number or an identifier; a bare word only after "=", ":", "is" or "to". */
export function namedValue(text: string, name: string): string | undefined {
  const known = spoken(name)
  if (known === '') return undefined
  const found = new RegExp(
    `(?<![\\p{L}\\d])["'\`]?${known}["'\`]?\\s{0,3}(?:(=|:|\\bis\\b|\\bto\\b|\\bas\\b|\\bof\\b)\\s{0,3})?(?:"([^"]{0,2000})"|'([^']{0,2000})'|“([^”]{0,2000})”|(-?\\d[\\w.:-]{0,60})|([\\p{L}][\\p{L}\\d_./@-]{0,100}))`,
    'iu',
  ).exec(text)
  if (!found) return undefined
  const [, mark, ...values] = found
  const isBareWord = values[4] !== undefined
  if (isBareWord && (mark === undefined || mark.toLowerCase() === 'of')) return undefined
  return values.find((value) => value !== undefined)?.replace(/[.,;:]$/, '')
}

/** "in Paris", "for the blue team": up to the end of the part. */
export function phraseAfter(text: string, words: string): string | undefined {
  const found = new RegExp(`\\b(?:${words})\\s{1,3}(.{1,300})$`, 'i').exec(withoutTail(text))
  return found?.[1]?.trim().replace(/[?.!,;]{1,3}$/, '') || undefined
}

const withoutTail = (text: string) =>
  text.replace(/\s(?:please|right now|today|now|thanks|thank you)[?.!]{0,3}$/i, '')
