// Fills a JSON Schema with what stands in a text. A value that cannot be found is empty, zero or
// false rather than made up; a choice falls to the option the text speaks of.
import { isRecord, type Json } from '../../json-shape.ts'
import { sentencesOf, stem, termsOf } from './language.ts'
import { answerFrom, keywordsOf, mainSentences } from './rank.ts'

/** Where values come from; `answer` is the plain answer to the whole request. */
type Source = { text: string; answer: string }

/** The name of what is filled, the schema that references start from, and what is still allowed. */
type At = { key: string; root: unknown; depth: number; budget: { values: number } }

/** Both end schemas that refer to themselves: one in depth, one in breadth. */
const maxDepth = 12
const maxValues = 500
const maxItems = 50

export function fill(schema: unknown, key: string, source: Source): unknown {
  return fillAt(schema, source, { key, root: schema, depth: 0, budget: { values: maxValues } })
}

function fillAt(schema: unknown, source: Source, above: At): unknown {
  const at = { ...above, depth: above.depth + 1 }
  if (--at.budget.values < 0 || at.depth > maxDepth) return null
  if (!isRecord(schema)) return textFor(at.key, source)
  if (typeof schema.$ref === 'string') return fillAt(resolve(schema.$ref, at.root), source, at)
  if ('const' in schema) return schema.const
  if (Array.isArray(schema.enum) && schema.enum.length > 0) return choose(schema.enum, source.text)
  const choice = [schema.anyOf, schema.oneOf, schema.allOf].find((list) => Array.isArray(list))
  if (Array.isArray(choice) && schema.type === undefined) return fillAt(choice[0], source, at)
  switch (typeOf(schema)) {
    case 'object':
      return Object.fromEntries(
        Object.entries(isRecord(schema.properties) ? schema.properties : {})
          .slice(0, Math.max(0, at.budget.values))
          .map(([key, sub]) => [key, fillAt(sub, source, { ...at, key })]),
      )
    case 'array':
      return listFor(schema, source, at)
    case 'number':
      return clamp(numberFor(at.key, source.text), schema)
    case 'integer':
      return Math.round(clamp(numberFor(at.key, source.text), schema))
    case 'boolean':
      return isSo(at.key, source.text)
    case 'null':
      return null
    default:
      return textFor(at.key, source)
  }
}

function typeOf({ type, ...schema }: Json): unknown {
  const [first] = [type].flat()
  return first ?? ('properties' in schema ? 'object' : 'items' in schema ? 'array' : 'string')
}

/** `#/$defs/Fact`, or `#` for the whole: as generators of schemas write it. */
const resolve = (reference: string, root: unknown): unknown =>
  reference
    .split('/')
    .slice(1)
    .reduce<unknown>((at, name) => (isRecord(at) ? at[name] : undefined), root)

const numberOr = (value: unknown, usual: number) => (typeof value === 'number' ? value : usual)

const clamp = (value: number, { minimum, maximum }: Json) =>
  Math.min(Math.max(value, numberOr(minimum, -Infinity)), numberOr(maximum, Infinity))

const stems = (list: string) => list.split(' ').map(stem)

/** Words that speak for an option without naming it. */
const signs = new Map([
  ['positive', stems('good great love friendly clean perfect happy thanks best')],
  ['negative', stems('bad late broken terrible dirty slow wrong refund never problem rude open')],
  ['billing', stems('invoice charge payment refund card price')],
  ['delivery', stems('parcel package arrive shipping courier')],
])

function choose(options: readonly unknown[], text: string): unknown {
  const terms = termsOf(text)
  const scored = options.map((option) => {
    const name = String(option)
    const own = [...termsOf(name), ...(signs.get(name.toLowerCase()) ?? [])]
    return { option, score: terms.filter((term) => own.includes(term)).length }
  })
  const [best] = scored.toSorted((a, b) => b.score - a.score)
  if (best && best.score > 0) return best.option
  const none = options.find((option) => /^(?:other|none|unknown|neutral)$/i.test(String(option)))
  return none ?? options[0]
}

/** "wordCount" and "word_count" as "word count". */
const spoken = (key: string) =>
  key
    .replace(/([a-z\d])([A-Z])/g, '$1 $2')
    .replace(/[_-]/g, ' ')
    .toLowerCase()

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

function textFor(key: string, { text, answer }: Source): string {
  const name = spoken(key)
  const given = labelled(text, name)
  if (given !== undefined) return given
  if (/\b(?:title|headline|subject)\b/.test(name))
    return (sentencesOf(text)[0] ?? '').replace(/[.!?]$/, '').slice(0, 80)
  if (/\b(?:summary|description)\b/.test(name)) return mainSentences(text, 2).join(' ')
  if (/\b(?:sentiment|tone|mood)\b/.test(name))
    return String(choose(['positive', 'negative', 'neutral'], text))
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
    if (` ${spoken(label).trim()}`.endsWith(` ${name}`)) return value?.trim()
  }
  return undefined
}

function numberFor(key: string, text: string): number {
  const name = spoken(key)
  const year = /year/.test(name) ? text.match(/\b(?:1[5-9]|20)\d\d\b/)?.[0] : undefined
  const near = [year, labelled(text, name), answerFrom(text, name), text].find((part) =>
    /\d/.test(part ?? ''),
  )
  const value = near?.match(/-?\d[\d,]{0,20}(?:\.\d{1,10})?/)?.[0].replaceAll(',', '')
  return Number(value ?? 0)
}

function isSo(key: string, text: string): boolean {
  const name = spoken(key)
  const given = labelled(text, name)
  if (given !== undefined) return /^(?:yes|true|y|1)\b/i.test(given)
  const own = [...termsOf(name), ...(signs.get(name) ?? [])]
  return termsOf(text).some((term) => own.includes(term))
}

const isTask = /\b(?:will|must|shall|should|needs? to|has to|have to|going to|check|write|send)\b/i

function listFor(schema: Json, source: Source, at: At): unknown[] {
  const name = spoken(at.key)
  const sentences = sentencesOf(source.text)
  const items = /\b(?:tags?|keywords?|topics?)\b/.test(name)
    ? keywordsOf(source.text, 5)
    : /\b(?:tasks?|actions?|todos?)\b/.test(name)
      ? sentences.filter((sentence) => isTask.test(sentence))
      : (foundFor(name, source.text) ?? mainSentences(source.text, 3))
  // A schema may ask for more items than the text has to give.
  const spare = sentences.filter((sentence) => !items.includes(sentence))
  const least = Math.min(numberOr(schema.minItems, 0), maxItems)
  const most = Math.max(least, Math.min(numberOr(schema.maxItems, maxItems), maxItems))
  const count = Math.min(Math.max(items.length, least), most)
  const parts = Array.from({ length: count }, (_, i) => [...items, ...spare][i] ?? '')
  if (isPlainText(schema.items)) return parts
  return parts.map((part) => fillAt(schema.items, { text: part, answer: part }, at))
}

const isPlainText = (items: unknown) =>
  !isRecord(items) || (items.type === 'string' && !items.enum && !('const' in items))
