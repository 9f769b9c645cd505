// Fills a JSON Schema with values from a text. A value that cannot be found is empty, zero or
// false rather than made up, as far as the schema allows it. Of several options, the one that the
// text is about is chosen.
import { isRecord } from '#core/record.ts'
import type { Json } from '../../json-shape.ts'
import { sentencesOf, splitName, termsOf } from './language.ts'
import { madeFrom, matcherOf } from './pattern.ts'
import { answerFrom, keywordsOf, mainSentences, termsIn } from './rank.ts'
import { cutAt } from './tokens.ts'
import { email, formats, isNumeric, numbersIn, url, valueNamed } from './values.ts'

/** Where values come from; `answer` is the plain answer to the whole request. */
type Source = { text: string; answer: string }

/** How many values may still be written, and how many patterns may still be tried. */
type Left = { values: number; patterns: number }

/**
 * The key to fill, the schema that references start from, and the references that led here.
 * `isLean`: write no more than the schema requires.
 */
type At = { key: string; root: unknown; refs: string[]; isLean: boolean; left: Left }

/** Beyond it everything is lean; at twice as many values an endless schema is abandoned. */
const maxValues = 500
const maxItems = 50
/** Together they may then take about as long as 500 values. */
const maxPatterns = 20
/** Bounded because the text is read once for every key. */
const maxTextLength = 20_000

export function fill(schema: unknown, key: string, { text, answer }: Source): unknown {
  const source = { text: text.slice(0, maxTextLength), answer }
  const left = { values: maxValues, patterns: maxPatterns }
  return fillAt(schema, source, { key, root: schema, refs: [], isLean: false, left })
}

function fillAt(given: unknown, source: Source, above: At): unknown {
  const left = --above.left.values
  if (left < -maxValues) return null
  const at = { ...above, isLean: above.isLean || left < 0 }
  const { $ref: ref, anyOf, oneOf, allOf, ...schema } = isRecord(given) ? given : {}
  if (typeof ref === 'string') {
    // A schema that refers to itself is filled once, and then only as far as required.
    const isLean = at.isLean || at.refs.includes(ref)
    const steps = ref.split('/').slice(1)
    const target = steps.reduce<unknown>((one, name) => (isRecord(one) ? one[name] : {}), at.root)
    return fillAt(target, source, { ...at, isLean, refs: [...at.refs, ref] })
  }
  const options = anyOf ?? oneOf ?? allOf
  if (Array.isArray(options)) {
    const isNull = (option: unknown) => isRecord(option) && option.type === 'null'
    const chosen = options.find((option) => isNull(option) === at.isLean) ?? options[0]
    return fillAt({ ...schema, ...chosen }, source, at)
  }
  if ('const' in schema) return schema.const
  if (Array.isArray(schema.enum) && schema.enum.length > 0) return choose(schema.enum, source.text)
  const type = typeOf(schema, at)
  if (type === 'null') return null
  if (type === 'object') return objectFor(schema, source, at)
  if (type === 'array') return listFor(schema, source, at)
  const value = plainFor({ ...schema, type }, source, at)
  return typeof value === 'string' ? matched(value, schema, at) : value
}

/** If a schema names no type, the name of the key hints at one. */
const hints = [
  ['boolean', /^(?:is|has)[_A-Z]|^urgent$/],
  ['number', /count|year|score|rating|total|amount|price/i],
  ['array', /(?:[^s]s|people|list)$/i],
] as const

function typeOf({ type, properties, items, prefixItems }: Json, { key, isLean }: At): unknown {
  const types = [type ?? (properties ? 'object' : (items ?? prefixItems) ? 'array' : [])].flat()
  if (types.includes('null') && (isLean || types.length === 1)) return 'null'
  const hint = hints.find(([, keys]) => keys.test(key))?.[0] ?? 'string'
  return types.find((one) => one !== 'null') ?? hint
}

function objectFor({ properties, required }: Json, source: Source, at: At): Json {
  const needed = new Set(Array.isArray(required) ? required : [])
  // Optional keys with a pattern are left out, because not every pattern can be matched.
  const isWanted = ([key, sub]: [string, unknown]) =>
    needed.has(key) || (!at.isLean && !(isRecord(sub) && 'pattern' in sub))
  const wanted = Object.entries(isRecord(properties) ? properties : {}).filter(isWanted)
  return Object.fromEntries(wanted.map(([key, sub]) => [key, fillAt(sub, source, { ...at, key })]))
}

function listFor(schema: Json, source: Source, at: At): unknown[] {
  const { items } = schema
  const tuple: unknown[] = Array.isArray(schema.prefixItems) ? schema.prefixItems : []
  const listed = foundFor(at.key, source.text) ?? mainSentences(source.text, 3)
  const found = tuple.length > 0 ? [] : listed
  // A schema may require more items than the text has.
  const spare = sentencesOf(source.text).filter((sentence) => !found.includes(sentence))
  const least = Math.min(numberOr(schema.minItems, 0), maxItems)
  const most = at.isLean ? least : Math.min(numberOr(schema.maxItems, maxItems), maxItems)
  const count = Math.min(Math.max(found.length, tuple.length, least), most)
  const parts = Array.from({ length: count }, (_, i) => [...found, ...spare][i] ?? '')
  const rest = isRecord(items) ? items : { type: 'string' }
  const isPlain =
    rest.type === 'string' && !rest.enum && !rest.format && !rest.pattern && !('const' in rest)
  return parts.map((part, i) => {
    if (i < tuple.length) return fillAt(tuple[i], source, at)
    return isPlain ? sized(part, rest) : fillAt(rest, { text: part, answer: part }, at)
  })
}

/** A text, a number or a boolean. */
function plainFor(schema: Json, { text, answer }: Source, { key }: At): unknown {
  const name = splitName(key).join(' ')
  const named = valueNamed(key, schema, text)
  if (isNumeric(schema)) {
    const years = /year/i.test(key) ? (text.match(/\b(?:1[5-9]|20)\d\d\b/) ?? []) : []
    const near = [...years, answerFrom(text, name) ?? '', text].flatMap(numbersIn)
    return fitted(typeof named === 'number' ? named : (near[0] ?? 0), schema)
  }
  if (schema.type === 'boolean') return named ?? choose([name, 'none'], text) === name
  if (typeof named === 'string') return sized(named, schema)
  const blank = formats.get(schema.format)?.[1]
  if (blank !== undefined) return blank
  const isAnswer = /(?:answer|reply|result|text|content|message|output)$/i.test(key)
  const found = isAnswer ? answer : (foundFor(key, text)?.[0] ?? answerFrom(text, name))
  return sized(found ?? '', schema)
}

/** The text itself, a default, an example or a placeholder: the first that matches the pattern. */
function matched(text: string, schema: Json, { left }: At): string {
  const { pattern, examples } = schema
  if (typeof pattern !== 'string' || --left.patterns < 0) return text
  const shown = Array.isArray(examples) ? examples.slice(0, 3) : []
  const blanks = [...formats.values()].map(([, blank]) => blank)
  const isMatch = matcherOf(pattern)
  const candidates = [text, schema.default, ...shown, 'unknown', ...blanks, madeFrom(pattern)]
  const fits = (one: unknown): one is string => isMatch(one) && sized(one, schema) === one
  return candidates.find(fits) ?? text
}

const numberOr = (value: unknown, usual: number) => (typeof value === 'number' ? value : usual)

/** The nearest number that a schema allows. */
function fitted(value: number, schema: Json): number {
  const step = numberOr(schema.multipleOf, schema.type === 'integer' ? 1 : 0)
  const gap = step || 0.001
  const least = numberOr(schema.minimum, numberOr(schema.exclusiveMinimum, -Infinity) + gap)
  const most = numberOr(schema.maximum, numberOr(schema.exclusiveMaximum, Infinity) - gap)
  if (step === 0) return Math.min(Math.max(value, least), most)
  const steps = Math.max(Math.round(value / step), Math.ceil(least / step))
  return Math.min(steps, Math.floor(most / step)) * step
}

function sized(text: string, { minLength, maxLength }: Json): string {
  const least = Math.min(numberOr(minLength, 0), maxTextLength)
  const whole = text === '' && least > 0 ? 'unknown' : text
  return cutAt(whole.padEnd(least, '.'), numberOr(maxLength, Infinity))
}

/** Words that suggest an option without naming it. */
const signs: Record<string, string> = {
  positive: 'good great love friendly clean perfect happy thanks best',
  negative: 'bad late broken terrible dirty slow wrong refund never problem rude open',
  billing: 'invoice charge payment refund card price',
  delivery: 'parcel package arrive shipping courier',
}

/** The option with the most words in the text; if none has any, one like "other", or the first. */
function choose(options: readonly unknown[], text: string): unknown {
  const terms = termsIn(text)
  const counts = options.map((option) => {
    const name = String(option).toLowerCase()
    const own = [
      ...termsOf(name),
      ...(Object.hasOwn(signs, name) ? termsOf(signs[name] ?? '') : []),
    ]
    return terms.filter((term) => own.includes(term)).length
  })
  const most = Math.max(...counts)
  const none = options.find((option) => /^(?:other|none|unknown|neutral)$/i.test(String(option)))
  return most === 0 && none !== undefined ? none : options[counts.indexOf(most)]
}

const isTask = /\b(?:will|must|shall|should|needs? to|has to|have to|going to|check|write|send)\b/i
const day = /\b\d{4}-\d\d-\d\d\b|\b\d{1,2} [A-Z][a-z]{2,8} \d{4}\b|\b[A-Z][a-z]{2,5}day\b/g
const person = /\p{Lu}\p{Ll}{1,30}(?: \p{Lu}\p{Ll}{1,30}){0,3}/gu

/** Finds values in a text for keys that many schemas have, the best first. */
const finders: readonly (readonly [RegExp, (text: string) => string[] | null])[] = [
  [/e-?mails?$/i, (text) => text.match(email)],
  [/(?:url|link)s?$/i, (text) => text.match(url)],
  [/(?:dates?|due|when)$/i, (text) => text.match(day)],
  [/(?:names?|author|person|people|participants|who)$/i, (text) => text.match(person)],
  [/(?:title|headline|subject)$/i, (text) => [cutAt(sentencesOf(text)[0] ?? '', 80)]],
  [/(?:summary|description)$/i, (text) => [mainSentences(text, 2).join(' ')]],
  [/(?:sentiment|mood)$/i, (text) => [String(choose(['positive', 'negative', 'neutral'], text))]],
  [/(?:tag|keyword|topic)s?$|category$/i, (text) => keywordsOf(text)],
  [/(?:tasks|actions|todos)$/i, (text) => sentencesOf(text).filter((one) => isTask.test(one))],
  // For a single task: what is to be done, without the name of the speaker.
  [/(?:what|task|action)$/i, (text) => [text.replace(/^\p{Lu}\p{Ll}{1,20}: /u, '')]],
]

function foundFor(key: string, text: string): string[] | undefined {
  const find = finders.find(([names]) => names.test(key))?.[1]
  return find && [...new Set(find(text) ?? [])]
}
