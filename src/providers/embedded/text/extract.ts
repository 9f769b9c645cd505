import { isStopWord, sentencesOf, wordsOf } from './language.ts'
import { keywordsOf } from './rank.ts'

const months =
  '(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)'
const day = '(?:mon|tues|wednes|thurs|fri|satur|sun)day'
const datePattern = new RegExp(
  [
    String.raw`\b\d{4}-\d{2}-\d{2}\b`,
    String.raw`\b\d{1,2}[./]\d{1,2}[./]\d{2,4}\b`,
    String.raw`\b\d{1,2}(?:st|nd|rd|th)?(?: of)? ${months}\b\.?(?:,? \d{4}\b)?`,
    String.raw`\b${months}\.? \d{1,2}(?:st|nd|rd|th)?\b(?:,? \d{4}\b)?`,
    String.raw`\b${months} \d{4}\b`,
    String.raw`\b(?:next |last |this )?${day}\b`,
    String.raw`\b(?:today|tomorrow|yesterday|tonight|next (?:week|month|year|quarter))\b`,
  ].join('|'),
  'gi',
)

const unique = (items: Iterable<string>): string[] => [...new Set(items)]
const all = (text: string, pattern: RegExp) => unique(text.match(pattern) ?? [])

export const emailsIn = (text: string): string[] =>
  all(text, /[\w.+-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63}){1,8}/g)
export const urlsIn = (text: string): string[] =>
  all(text, /https?:\/\/[^\s<>"'\])]{1,2000}/g).map((url) => url.replace(/[.,;:!?]$/, ''))
export const phonesIn = (text: string): string[] =>
  all(text, /(?<![\w.-])\+?\(?\d[\d ().-]{6,18}\d(?![\w-])/g).filter(
    (found) => (found.match(/\d/g)?.length ?? 0) >= 7 && !/^\d{4}-\d{2}-\d{2}$/.test(found),
  )
export const datesIn = (text: string): string[] => all(text, datePattern)
export const numbersIn = (text: string): string[] =>
  all(text, /(?<![\w.])-?\d{1,15}(?:[,.]\d{1,15}){0,5}%?(?![\w])/g)
export const amountsIn = (text: string): string[] =>
  all(
    text,
    /[$€£¥]\s?\d{1,15}(?:[,.]\d{1,3}){0,5}(?:\s?(?:k|m|bn|million|billion|thousand)\b)?|\d{1,15}(?:[,.]\d{1,3}){0,5}\s?(?:USD|EUR|GBP|dollars|euros|pounds)\b/gi,
  )
const hashtagsIn = (text: string) => all(text, /#[\p{L}\p{N}_]{1,60}/gu)
const mentionsIn = (text: string) => all(text, /(?<![\w.])@[\w]{2,40}/g)
export const questionsIn = (text: string): string[] =>
  sentencesOf(text).filter((sentence) => sentence.endsWith('?'))

/** Runs of capitalised words; one that only opens a sentence proves nothing. */
export function namesIn(text: string): string[] {
  const found: string[] = []
  for (const sentence of sentencesOf(text)) {
    const pattern =
      /\p{Lu}[\p{L}'’-]{1,40}(?: (?:(?:de|van|von|der|of|the) )?\p{Lu}[\p{L}.'’-]{0,40}){0,4}/gu
    for (const match of sentence.matchAll(pattern)) {
      const words = match[0].replace(/['’]s$/, '').split(' ')
      while (words[0] && isCommonOpening(words[0])) words.shift()
      const name = words.join(' ').replace(/[.'’-]$/, '')
      const opensSentence = match.index === 0 && words.length === 1 && !actsLikePerson(sentence)
      if (name.length > 1 && !opensSentence && !isCalendarWord(name)) found.push(name)
    }
  }
  const known = unique(found).slice(0, maxNames)
  const parts = new Set(known.flatMap((name) => (name.includes(' ') ? name.split(' ') : [])))
  // "Curie" says nothing beside "Marie Curie".
  return known.filter((name) => !parts.has(name))
}

/** "Lisa will …" and "Lisa: …": somebody who does or says something, against "Prices fell". */
const actsLikePerson = (sentence: string) =>
  /^\p{Lu}\p{Ll}{1,20}(?:: \S|(?<!s) (?:will|should|must|has|said|says|asked|wrote|wants|thinks|agreed|needs|called|is going)\b)/u.test(
    sentence,
  )

const maxNames = 500

const isCommonOpening = (word: string) =>
  isStopWord(word) ||
  /^(?:Notes?|Contact|Question|Answer|Summary|Text|Title|Dates?|Names?|Email|Phone|Address|Total|Order|Customer|Urgent|Action|Todo|Dear|Hello|Hi|Please|Today|Thanks|Regards|Best|Subject|From|To|Re)$/.test(
    word,
  )
const isCalendarWord = (name: string) => new RegExp(`^(?:${months}|${day})$`, 'i').test(name)

/** Sentences that tell somebody to do something. */
export const actionItemsIn = (text: string): string[] =>
  sentencesOf(text)
    .filter((sentence) => {
      const start = sentence.slice(0, 1000)
      return !sentence.endsWith('?') && (duty.test(start) || promise.test(start))
    })
    .map((sentence) => sentence.replace(/^(?:action(?: item)?|to-?do)\s?:\s?/i, ''))

const duty =
  /\b(?:must|should|needs? to|have to|has to|will|to-?do|action|please|let's|agreed to|is going to|follow up|make sure|deadline|due)\b/i
/** "Then I check it": said in a meeting, it is a task. */
const promise =
  /\bI(?:'ll| then)? (?:ask|book|bring|call|check|contact|draft|finish|fix|handle|make|order|prepare|review|send|share|talk|test|update|write)\b/

export type Kind = { name: string; words: RegExp; find(text: string): string[] }

export const kinds: readonly Kind[] = [
  {
    name: 'Action items',
    words: /\baction items?\b|\bto-?dos?\b|\btasks?\b|\bnext steps\b/i,
    find: actionItemsIn,
  },
  { name: 'E-mail addresses', words: /\be-?mails?\b/i, find: emailsIn },
  { name: 'Links', words: /\b(?:urls?|links?|web addresses|websites?)\b/i, find: urlsIn },
  { name: 'Phone numbers', words: /\b(?:phones?|telephone)\b/i, find: phonesIn },
  { name: 'Dates', words: /\b(?:dates?|deadlines?)\b/i, find: datesIn },
  { name: 'Amounts', words: /\b(?:amounts?|prices?|money|costs?|currency)\b/i, find: amountsIn },
  { name: 'Numbers', words: /\b(?<!phone )(?:numbers?|figures?|digits)\b/i, find: numbersIn },
  {
    name: 'Names',
    words: /\b(?:names?|people|persons?|places?|companies|organi[sz]ations|entities)\b/i,
    find: namesIn,
  },
  { name: 'Hashtags', words: /\bhashtags?\b/i, find: hashtagsIn },
  { name: 'Mentions', words: /\bmentions?\b|\bhandles?\b/i, find: mentionsIn },
  { name: 'Questions', words: /\bquestions\b/i, find: questionsIn },
  {
    name: 'Keywords',
    words: /\bkey ?words?\b|\bkey ?phrases?\b|\btags?\b|\btopics?\b|\bterms\b/i,
    find: (text) => keywordsOf(text, 8),
  },
]

export const asksToExtract = (ask: string): boolean =>
  kinds.some(({ words }) => words.test(ask)) &&
  (/\b(?:extract|find|list|pull|get|identify|give|collect|what are)\b/i.test(ask) ||
    (wordsOf(ask).length <= 3 && !ask.trimEnd().endsWith('?')))

/** One kind as plain lines, several under headings. */
export function extract(text: string, ask: string): string {
  const wanted = kinds.filter(({ words }) => words.test(ask))
  const [only] = wanted
  if (only && wanted.length === 1) {
    const found = only.find(text)
    return found.length > 0 ? lines(found) : `${only.name}: none found in the text.`
  }
  return wanted
    .map(({ name, find }) => {
      const found = find(text)
      return `${name}:\n${found.length > 0 ? lines(found) : '- none'}`
    })
    .join('\n\n')
}

const lines = (items: readonly string[]) =>
  items
    .slice(0, 200)
    .map((item) => `- ${item}`)
    .join('\n')
