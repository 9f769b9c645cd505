import { classify, holds, sentimentOf } from './classify.ts'
import { hashtags } from './compose.ts'
import {
  actionItemsIn,
  amountsIn,
  datesIn,
  emailsIn,
  namesIn,
  numbersIn,
  phonesIn,
  questionsIn,
  urlsIn,
} from './extract.ts'
import { ideasFor } from './ideas.ts'
import type { Shape } from './json-shape.ts'
import { countBefore, sentencesOf, stem, termsOf, wordsOf } from './language.ts'
import { answerFrom } from './question.ts'
import { keywordsOf, mainSentences } from './rank.ts'
import { scoreOf } from './score.ts'
import { titleOf } from './summarize.ts'
import { languageOf } from './translate.ts'

/** What values are taken from. `answer` is the plain answer to the whole request. */
type Source = { text: string; ask: string; answer: string }

export function fill(shape: Shape, key: string, source: Source): unknown {
  switch (shape.type) {
    case 'fixed':
      return shape.value
    case 'string':
      return shape.options ? classify(source.text, shape.options).label : stringFor(key, source)
    case 'number':
      return numberFor(shape, key, source.text)
    case 'boolean':
      return booleanFor(key, source.text)
    case 'array':
      return arrayFor(shape, key, source)
    case 'object':
      // From entries, so that even "__proto__" becomes a key like any other.
      return Object.fromEntries(shape.fields.map(([name, sub]) => [name, fill(sub, name, source)]))
    default:
      return shape satisfies never
  }
}

/** "wordCount" and "word_count" as "word count". */
const spoken = (key: string) =>
  key
    .replace(/([a-z\d])([A-Z])/g, '$1 $2')
    .replace(/[_-]/g, ' ')
    .toLowerCase()

const strings: [RegExp, (source: Source) => string | undefined][] = [
  [/\b(?:title|headline|subject|heading)\b/, ({ text }) => titleOf(text)],
  [
    /\b(?:summary|abstract|description|overview|synopsis|tldr)\b/,
    ({ text }) => mainSentences(text, 2).join(' '),
  ],
  [/\b(?:sentiment|tone|mood)\b/, ({ text }) => sentimentOf(text).label],
  [/\b(?:language|lang)\b/, ({ text }) => languageOf(text)],
  [/\b(?:e ?mail)\b/, ({ text }) => emailsIn(text)[0]],
  [/\b(?:phone|telephone)\b/, ({ text }) => phonesIn(text)[0]],
  [/\b(?:url|link|website)\b/, ({ text }) => urlsIn(text)[0]],
  [/\b(?:date|deadline|due|when|day)\b/, ({ text }) => datesIn(text)[0]],
  [/\b(?:price|amount|total|cost|budget)\b/, ({ text }) => amountsIn(text)[0]],
  [
    /\b(?:name|author|person|customer|company|who|speaker|city|place|location|country)\b/,
    ({ text }) => namesIn(text)[0],
  ],
  [/\b(?:category|topic|theme|subject|keyword|tag)\b/, ({ text }) => keywordsOf(text, 1)[0]],
  [/\bhashtag\b/, ({ text }) => hashtags(text, 1)[0]],
  [/\bquestion\b/, ({ text }) => questionsIn(text)[0]],
  [/\b(?:slug|id)\b/, ({ text }) => wordsOf(titleOf(text)).slice(0, 8).join('-').toLowerCase()],
  // Of one task, once it stands alone: what is to be done, without who said it.
  [
    /\b(?:what|task|action|to ?do|step|item)\b/,
    ({ text }) => text.slice(0, 300).replace(/^\p{Lu}\p{Ll}{1,20}: /u, ''),
  ],
  [
    /\b(?:answer|reply|response|result|text|content|message|output|body|post|caption|translation)\b/,
    ({ answer }) => answer,
  ],
]

function stringFor(key: string, source: Source): string {
  const name = spoken(key)
  const given = labelled(source.text, name)
  if (given !== undefined) return given
  const rule = strings.find(([words]) => words.test(name))
  if (rule) return rule[1](source) ?? ''
  return answerFrom(source.text, name) ?? ''
}

/** "Customer name: Ada" in the text answers for the key customerName, and for name. */
function labelled(text: string, name: string): string | undefined {
  for (const line of text.split('\n', 400)) {
    const found = /^\s{0,20}[-*]?\s{0,3}([\p{L} _-]{2,40}?)\s{0,3}[:=]\s{0,3}(.{1,500})$/u.exec(
      line.slice(0, 600),
    )
    const label = found?.[1]?.toLowerCase().replace(/[_-]/g, ' ')
    if (label === name || label?.endsWith(` ${name}`)) return found?.[2]?.trim()
  }
  return undefined
}

function numberFor(shape: Extract<Shape, { type: 'number' }>, key: string, text: string): number {
  const value = rawNumber(shape, spoken(key), text)
  const bounded = Math.min(Math.max(value, shape.min ?? -Infinity), shape.max ?? Infinity)
  return shape.whole ? Math.round(bounded) : Number(bounded.toPrecision(12))
}

function rawNumber(
  { min, max }: { min?: number; max?: number },
  name: string,
  text: string,
): number {
  if (/confidence|probability|likelihood/.test(name)) return max === 100 ? 75 : 0.75
  if (/score|rating|quality|stars/.test(name))
    return scoreOf(text, { min: min ?? 1, max: max ?? 10 })
  if (/sentiment|polarity/.test(name)) return sentimentOf(text).score
  if (/word/.test(name)) return wordsOf(text).length
  if (/sentence/.test(name)) return sentencesOf(text).length
  if (/character|length/.test(name)) return text.length
  const year = /year/.test(name) ? text.match(/\b(?:1[5-9]|20)\d\d\b/)?.[0] : undefined
  if (year) return Number(year)
  const given = labelled(text, name)
  const amount = /price|amount|total|cost|budget/.test(name) ? amountsIn(text)[0] : undefined
  const near = answerFrom(text, name)
  const found = [given, amount, near, text].flatMap((part) =>
    part ? (numbersIn(part)[0] ?? part.match(/\d[\d,.]{0,20}/)?.[0] ?? []) : [],
  )
  const value = Number((found[0] ?? '0').replace(/[,%]/g, ''))
  return Number.isFinite(value) ? value : 0
}

function booleanFor(key: string, text: string): boolean {
  const name = spoken(key).replace(/^(?:is|has|can|should|was|contains|mentions) /, '')
  const given = labelled(text, spoken(key)) ?? labelled(text, name)
  if (given !== undefined) return /^(?:yes|true|y|1)\b/i.test(given)
  return holds(text, name)
}

const lists: [RegExp, (source: Source, count: number) => string[]][] = [
  [
    /\b(?:tags?|keywords?|topics?|categories|themes)\b/,
    ({ text }, count) => keywordsOf(text, count),
  ],
  [/\bhashtags?\b/, ({ text }, count) => hashtags(text, count)],
  [/\b(?:actions?|tasks?|todos?|next steps|action items)\b/, ({ text }) => actionItemsIn(text)],
  [/\be ?mails?\b/, ({ text }) => emailsIn(text)],
  [/\bphones?\b/, ({ text }) => phonesIn(text)],
  [/\b(?:urls?|links?)\b/, ({ text }) => urlsIn(text)],
  [/\b(?:dates?|deadlines?)\b/, ({ text }) => datesIn(text)],
  [/\b(?:prices?|amounts?)\b/, ({ text }) => amountsIn(text)],
  [/\bnumbers?\b/, ({ text }) => numbersIn(text)],
  [/\b(?:names?|people|persons|entities|companies|places|authors?)\b/, ({ text }) => namesIn(text)],
  [
    /\bquestions?\b/,
    ({ text, ask }, count) => [
      ...questionsIn(text),
      ...ideasFor(`${count} questions about ${ask}`, text, count),
    ],
  ],
  [
    /\b(?:ideas?|prompts?|scenes?|suggestions?|steps?|names?|titles?|options?|variations?)\b/,
    ({ text, ask }, count) => ideasFor(ask, text === ask ? '' : text, count),
  ],
  [/\b(?:sentences?|lines?)\b/, ({ text }) => sentencesOf(text)],
]

function arrayFor(
  shape: Extract<Shape, { type: 'array' }>,
  key: string,
  source: Source,
): unknown[] {
  const name = spoken(key)
  const wanted =
    countBefore(
      source.ask,
      new RegExp(`^(?:\\S{1,20} ){0,2}${stem(termsOf(name)[0] ?? 'items').replace(/\W/g, '')}`),
    ) || 5
  const count = Math.min(Math.max(wanted, shape.min), shape.max)
  const rule = lists.find(([words]) => words.test(name))
  const found = (
    rule ? rule[1](source, count) : mainSentences(source.text, Math.min(count, 3))
  ).slice(0, Math.min(shape.max, 50))
  const parts = found.length >= shape.min ? found : padded(found, shape.min, source)
  if (shape.items.type === 'string' && !shape.items.options) return parts
  return parts.map((part) => fill(shape.items, key, { ...source, text: part, answer: part }))
}

/** A schema may ask for more items than the text has to give. */
const padded = (found: string[], min: number, { text }: Source): string[] => {
  const more = [...sentencesOf(text), ...keywordsOf(text, min)].filter(
    (part) => !found.includes(part),
  )
  return Array.from({ length: min }, (_, i) => [...found, ...more][i] ?? '')
}
