import { capitalize, countBefore, sentencesOf, wordsOf } from './language.ts'
import { mainSentences } from './rank.ts'
import { firstWords, titleCase } from './summarize.ts'

type Edit = { words: RegExp; apply(text: string, ask: string): string }

const lines = (text: string) =>
  text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')
/** What a list holds: its lines, or on one line what commas part. */
const items = (text: string) => {
  const rows = lines(text)
  return rows.length > 1
    ? rows
    : text
        .split(',')
        .map((part) => part.trim())
        .filter((part) => part !== '')
}
const listed = (text: string) => (lines(text).length > 1 ? '\n' : ', ')

const compare = (a: string, b: string) => a.localeCompare(b, 'en', { numeric: true })

const edits: Edit[] = [
  { words: /\b(?:upper ?case|all caps|capital letters)\b/i, apply: (text) => text.toUpperCase() },
  { words: /\blower ?case\b/i, apply: (text) => text.toLowerCase() },
  { words: /\b(?:title case|capitali[sz]e (?:each|every))\b/i, apply: titleCase },
  {
    words: /\bsort\b|\balphabetical/i,
    apply: (text) => items(text).toSorted(compare).join(listed(text)),
  },
  {
    words: /\b(?:remove|drop|delete) (?:the )?duplicates?\b|\bdeduplicate\b/i,
    apply: (text) => [...new Set(items(text))].join(listed(text)),
  },
  {
    words: /\breverse\b/i,
    apply: (text, ask) =>
      /\b(?:lines|order|list)\b/i.test(ask)
        ? items(text).toReversed().join(listed(text))
        : Array.from(text).toReversed().join(''),
  },
  {
    words: /\bnumber(?:ed)? (?:list|lines)\b|\bnumber the lines\b/i,
    apply: (text) =>
      points(text)
        .map((line, i) => `${i + 1}. ${line}`)
        .join('\n'),
  },
  {
    words: /\bbullet|\bas a list\b|\binto a list\b/i,
    apply: (text) =>
      points(text)
        .map((line) => `- ${line}`)
        .join('\n'),
  },
  {
    words: /\b(?:slug|kebab)\b/i,
    apply: (text) => wordsOf(text.normalize('NFKD').replace(/\p{M}/gu, '')).join('-').toLowerCase(),
  },
  { words: /\b(?:shorten|shorter|condense|trim|cut)\b/i, apply: cutDown },
  { words: /\b(?:proofread|fix|correct|clean up|grammar|spelling)\b/i, apply: tidy },
  { words: /\b(?:formal|formally|professional(?:ly)?)\b/i, apply: (text) => tidy(formal(text)) },
  { words: /\b(?:simplify|simpler|plain (?:english|language))\b/i, apply: simplify },
  { words: /\breplace\b/i, apply: replaceWords },
  { words: /\b(?:rewrite|rephrase|paraphrase|reword|improve|polish)\b/i, apply: tidy },
]

export const asksToEdit = (ask: string): boolean => edits.some(({ words }) => words.test(ask))

export function rewrite(text: string, ask: string): string {
  return edits.find(({ words }) => words.test(ask))?.apply(text, ask) ?? text
}

const points = (text: string) =>
  lines(text).length > 1
    ? lines(text).map((line) => line.replace(/^(?:[-*•]|\d{1,3}[.)])\s{1,9}/, ''))
    : sentencesOf(text)

function cutDown(text: string, ask: string): string {
  const words = countBefore(ask, /^words?\b/)
  if (words) return firstWords(text.replace(/\s+/g, ' ').trim(), words)
  const count = countBefore(ask, /^sentences?\b/) ?? Math.ceil(sentencesOf(text).length / 2)
  const kept = mainSentences(text, count).join(' ')
  return kept.length < text.length ? kept : firstWords(text, Math.ceil(wordsOf(text).length / 2))
}

const typos: Record<string, string> = {
  teh: 'the',
  recieve: 'receive',
  seperate: 'separate',
  definately: 'definitely',
  occured: 'occurred',
  untill: 'until',
  wich: 'which',
  becuase: 'because',
  adress: 'address',
  alot: 'a lot',
  dont: "don't",
  cant: "can't",
  wont: "won't",
  doesnt: "doesn't",
  didnt: "didn't",
  isnt: "isn't",
  im: "I'm",
  i: 'I',
  ive: "I've",
  thier: 'their',
  freind: 'friend',
  tommorow: 'tomorrow',
  begining: 'beginning',
  enviroment: 'environment',
}
const typosByWord = new Map(Object.entries(typos))

/** Spacing, capitals, full stops and a few well-known slips. */
function tidy(text: string): string {
  return text
    .split('\n')
    .map((line) => {
      const spaced = line
        .replace(/\s+/g, ' ')
        .replace(/ ([,.;:!?])/g, '$1')
        .trim()
      const spelled = spaced.replace(/[A-Za-z]+/g, (word) => {
        const right = typosByWord.get(word.toLowerCase())
        return right ? (/^[A-Z]/.test(word) ? capitalize(right) : right) : word
      })
      const sentences = splitKeeping(spelled).map(capitalize).join(' ')
      return sentences !== '' && /[\p{L}\p{N}]$/u.test(sentences) && wordsOf(sentences).length > 3
        ? `${sentences}.`
        : sentences
    })
    .join('\n')
}

/** Also where the next sentence starts with a small letter: that is what is being mended. */
const splitKeeping = (line: string) => line.split(/(?<=[.!?]) /)

const contractions: [RegExp, string][] = [
  [/\bcan['’]t\b/gi, 'cannot'],
  [/\bwon['’]t\b/gi, 'will not'],
  [/n['’]t\b/gi, ' not'],
  [/['’]re\b/gi, ' are'],
  [/['’]ll\b/gi, ' will'],
  [/['’]ve\b/gi, ' have'],
  [/\bI['’]m\b/g, 'I am'],
  [/\b(it|that|there|he|she)['’]s\b/gi, '$1 is'],
  [/\bgonna\b/gi, 'going to'],
  [/\bwanna\b/gi, 'want to'],
  [/\bhey\b|\bhi\b/gi, 'hello'],
  [/\bthanks\b/gi, 'thank you'],
  [/\bkids\b/gi, 'children'],
  [/\bguys\b/gi, 'colleagues'],
  [/\bASAP\b/gi, 'as soon as possible'],
  [/!/g, '.'],
]

const formal = (text: string) =>
  contractions.reduce((done, [from, to]) => done.replace(from, to), text)

const plainWords: [RegExp, string][] = [
  [/\butili[sz]e(d|s)?\b/gi, 'use$1'],
  [/\bapproximately\b/gi, 'about'],
  [/\bcommence\b/gi, 'start'],
  [/\bterminate\b/gi, 'end'],
  [/\bin order to\b/gi, 'to'],
  [/\bprior to\b/gi, 'before'],
  [/\bsubsequently\b/gi, 'later'],
  [/\bnumerous\b/gi, 'many'],
  [/\bfacilitate\b/gi, 'help'],
  [/\bdemonstrate\b/gi, 'show'],
  [/\bpurchase\b/gi, 'buy'],
  [/\bsufficient\b/gi, 'enough'],
  [/\badditional\b/gi, 'more'],
  [/\bhowever\b/gi, 'but'],
  [/\btherefore\b/gi, 'so'],
  [/\bassistance\b/gi, 'help'],
  [/\brequire(s|d)?\b/gi, 'need$1'],
]

/** Plainer words, one thought to a sentence. */
function simplify(text: string): string {
  return tidy(
    plainWords.reduce((done, [from, to]) => done.replace(from, to), text).replace(/; /g, '. '),
  )
}

function replaceWords(text: string, ask: string): string {
  const found =
    /\breplace (?:the (?:word|text) )?["'“]?([^"'”]{1,80}?)["'”]? (?:with|by) ["'“]?([^"'”.\n]{0,80})/i.exec(
      ask,
    )
  return found ? text.replaceAll(found[1] ?? '', (found[2] ?? '').trim()) : text
}

export const asksToCount = (ask: string): boolean =>
  /\b(?:how many|count|number of)\b.{0,30}\b(?:words?|characters?|letters|sentences?|lines?|paragraphs?)\b|\bword count\b/i.test(
    ask,
  )

export function countParts(text: string, ask: string): string {
  const counts: [RegExp, string, number][] = [
    [/\bwords?\b/i, 'words', wordsOf(text).length],
    [/\b(?:characters?|letters)\b/i, 'characters', Array.from(text).length],
    [/\bsentences?\b/i, 'sentences', sentencesOf(text).length],
    [/\blines?\b/i, 'lines', text.split('\n').length],
    [
      /\bparagraphs?\b/i,
      'paragraphs',
      text.split('\n\n').filter((part) => part.trim() !== '').length,
    ],
  ]
  const wanted = counts.filter(([words]) => words.test(ask))
  const [only] = wanted
  if (only && wanted.length === 1 && /\b(?:only|just)\b/i.test(ask)) return String(only[2])
  return wanted
    .map(([, name, count]) => `${count} ${count === 1 ? name.slice(0, -1) : name}`)
    .join(', ')
}
