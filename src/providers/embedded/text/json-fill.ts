// Fills a shape with what stands in a text. A value that cannot be found is empty, zero or false
// rather than made up; a choice falls to the option the text speaks of.
import type { Shape } from './json-shape.ts'
import { sentencesOf, stem, termsOf } from './language.ts'
import { answerFrom, keywordsOf, mainSentences } from './rank.ts'

/** Where values come from; `answer` is the plain answer to the whole request. */
type Source = { text: string; answer: string }

export function fill(shape: Shape, key: string, source: Source): unknown {
  // "wordCount" and "word_count" as "word count".
  const name = key
    .replace(/([a-z\d])([A-Z])/g, '$1 $2')
    .replace(/[_-]/g, ' ')
    .toLowerCase()
  switch (shape.type) {
    case 'fixed':
      return shape.value
    case 'string':
      return shape.options ? choose(shape.options, source.text) : textFor(name, source)
    case 'number': {
      const value = Math.min(Math.max(numberFor(name, source.text), shape.min), shape.max)
      return shape.isWhole ? Math.round(value) : value
    }
    case 'boolean':
      return isSo(name, source.text)
    case 'array':
      return listFor(shape, name, source)
    case 'object':
      // From entries, so that even "__proto__" becomes a key like any other.
      return Object.fromEntries(
        shape.fields.map(([field, sub]) => [field, fill(sub, field, source)]),
      )
    default:
      return shape satisfies never
  }
}

const stems = (list: string) => list.split(' ').map(stem)

/** Words that speak for an option without naming it. */
const signs = new Map([
  ['positive', stems('good great love friendly clean perfect happy thanks best')],
  [
    'negative',
    stems('bad late broken terrible dirty slow wrong refund never problem damaged rude open'),
  ],
  ['billing', stems('invoice charge payment refund card price')],
  ['delivery', stems('parcel package arrive shipping courier')],
  ['energy', stems('solar power electricity')],
])

function choose(options: readonly string[], text: string): string {
  const terms = termsOf(text)
  const scored = options.map((option) => {
    const own = [...termsOf(option), ...(signs.get(option.toLowerCase()) ?? [])]
    return { option, score: terms.filter((term) => own.includes(term)).length }
  })
  const [best] = scored.toSorted((a, b) => b.score - a.score)
  if (best && best.score > 0) return best.option
  return (
    options.find((option) => /^(?:other|none|unknown|neutral)$/i.test(option)) ?? options[0] ?? ''
  )
}

const patterns: readonly (readonly [RegExp, RegExp])[] = [
  [/\be ?mails?\b/, /[\w.+-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63}){1,8}/gu],
  [/\b(?:urls?|links?)\b/, /https?:\/\/[^\s<>"')]{1,2000}/gu],
  [
    /\b(?:dates?|due|when)\b/,
    /\b\d{4}-\d\d-\d\d\b|\b\d{1,2} [A-Z][a-z]{2,8} \d{4}\b|\b[A-Z][a-z]{2,5}day\b/gu,
  ],
  [/\bnumbers?\b/, /(?<![\w.])-?\d{1,15}(?:\.\d{1,10})?(?!\w)/gu],
  [/\b(?:names?|authors?|person|people|who)\b/, /\p{Lu}\p{Ll}{1,30}(?: \p{Lu}\p{Ll}{1,30}){0,3}/gu],
]

const foundFor = (name: string, text: string): string[] | undefined => {
  const pattern = patterns.find(([words]) => words.test(name))?.[1]
  return pattern && [...new Set(text.match(pattern) ?? [])]
}

function textFor(name: string, { text, answer }: Source): string {
  const given = labelled(text, name)
  if (given !== undefined) return given
  if (/\b(?:title|headline|subject)\b/.test(name))
    return (
      sentencesOf(text)[0]
        ?.replace(/[.!?]$/, '')
        .slice(0, 80) ?? ''
    )
  if (/\b(?:summary|description)\b/.test(name)) return mainSentences(text, 2).join(' ')
  if (/\b(?:sentiment|tone|mood)\b/.test(name))
    return choose(['positive', 'negative', 'neutral'], text)
  if (/\b(?:category|topic|keyword|tag)\b/.test(name)) return keywordsOf(text, 1)[0] ?? ''
  // Of one task, once it stands alone: what is to be done, without who said it.
  if (/\b(?:what|task|action|step|item)\b/.test(name))
    return text.slice(0, 300).replace(/^\p{Lu}\p{Ll}{1,20}: /u, '')
  if (/\b(?:answer|reply|result|text|content|message|output)\b/.test(name)) return answer
  return foundFor(name, text)?.[0] ?? answerFrom(text, name) ?? ''
}

/** "Customer name: Ada" in the text answers for the key customerName, and for name. */
function labelled(text: string, name: string): string | undefined {
  for (const line of text.split('\n', 400)) {
    const [, label = '', value] =
      /^([\p{L} _-]{2,40})[:=](.{1,500})$/u.exec(line.slice(0, 600).trim()) ?? []
    const known = ` ${label.trim().toLowerCase().replace(/[_-]/g, ' ')}`
    if (known.endsWith(` ${name}`)) return value?.trim()
  }
  return undefined
}

function numberFor(name: string, text: string): number {
  const year = /year/.test(name) ? text.match(/\b(?:1[5-9]|20)\d\d\b/)?.[0] : undefined
  const near = [year, labelled(text, name), answerFrom(text, name), text].find((part) =>
    /\d/.test(part ?? ''),
  )
  const value = near?.match(/-?\d[\d,]{0,20}(?:\.\d{1,10})?/)?.[0].replaceAll(',', '')
  return Number(value ?? 0)
}

function isSo(name: string, text: string): boolean {
  const given = labelled(text, name)
  if (given !== undefined) return /^(?:yes|true|y|1)\b/i.test(given)
  const own = [...termsOf(name), ...(signs.get(name) ?? [])]
  return termsOf(text).some((term) => own.includes(term))
}

const isTask = /\b(?:will|must|shall|should|needs? to|has to|have to|going to|check|write|send)\b/i

function listFor(
  shape: Extract<Shape, { type: 'array' }>,
  name: string,
  source: Source,
): unknown[] {
  const { text } = source
  const sentences = sentencesOf(text)
  const items = /\b(?:tags?|keywords?|topics?)\b/.test(name)
    ? keywordsOf(text, 5)
    : /\b(?:tasks?|actions?|todos?)\b/.test(name)
      ? sentences.filter((sentence) => isTask.test(sentence))
      : (foundFor(name, text) ?? mainSentences(text, 3))
  // A schema may ask for more items than the text has to give.
  const spare = sentences.filter((sentence) => !items.includes(sentence))
  const count = Math.min(Math.max(items.length, shape.min), shape.max)
  const parts = Array.from({ length: count }, (_, i) => [...items, ...spare][i] ?? '')
  if (shape.items.type === 'string' && !shape.items.options) return parts
  return parts.map((part) => fill(shape.items, name, { text: part, answer: part }))
}
