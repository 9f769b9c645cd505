// Values that people write into a request: in quotes, as numbers, behind a name or a preposition.
import { splitName } from './kit.ts'

export const quote =
  /"([^"]{0,2000})"|“([^”]{0,2000})”|`([^`]{0,2000})`|(?<!\w)'((?:[^']|'(?=\w)){0,2000})'(?!\w)/g

export const quotedIn = (text: string): string[] =>
  [...text.matchAll(quote)].map((found) => found.slice(1).find((part) => part !== undefined) ?? '')

export const withoutQuoted = (text: string): string => text.replace(quote, ' ')

export const numbersIn = (text: string): number[] =>
  (withoutQuoted(text).match(/(?<![\w.-])-?\d{1,15}(?:\.\d{1,10})?(?![\w-])/g) ?? []).map(Number)

export const uuidIn = (text: string): string | undefined =>
  /\b[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}\b/i.exec(text)?.[0]

/** What stands behind a name: in quotes, a number, or a bare word after "=" or ":". */
export function namedValue(text: string, name: string): string | undefined {
  // "workflowId" may be written workflowId, workflow_id or workflow id.
  const spoken = splitName(name).join('[\\s_-]{0,2}')
  if (spoken === '') return undefined
  const value = `"([^"]{0,2000})"|'([^']{0,2000})'|(-?\\d[\\w.-]{0,60})|(?<=[=:]\\s{0,3})([\\p{L}][\\w./@-]{0,100})`
  const pattern = new RegExp(
    `(?<![\\p{L}\\d])${spoken}["'\`]?\\s{0,3}(?:=|:|is\\b|to\\b|of\\b)?\\s{0,3}(?:${value})`,
    'iu',
  )
  return pattern
    .exec(text)
    ?.slice(1)
    .find((part) => part !== undefined)
    ?.replace(/[.,;:]$/, '')
}

/** "in Paris", "for the blue team": up to the end of the clause. */
export function phraseAfter(text: string, words: string): string | undefined {
  const clean = text.replace(/\s(?:please|today|now|thanks)[?.!]{0,3}$/i, '')
  const found = new RegExp(`\\b(?:${words})\\s{1,3}(.{1,300})$`, 'i').exec(clean)
  return found?.[1]?.trim().replace(/[?.!,;]{1,3}$/, '') || undefined
}

/** What something is to be about: "make an image of a red door" gives "a red door". */
export const topicOf = (clause: string): string =>
  phraseAfter(clause, 'about|of|for|on|showing') ??
  clause.replace(/^(?:please )?\S{1,20}\s(?:me )?(?:an? |the )?/i, '').replace(/[.?!]{1,3}$/, '')
