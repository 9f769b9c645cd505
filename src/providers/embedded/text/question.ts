import { amountsIn, datesIn, namesIn, numbersIn } from './extract.ts'
import { type Match, matchingSentences } from './rank.ts'

export const isQuestion = (ask: string): boolean =>
  /\?\s*$/.test(ask.slice(-200)) ||
  /^\s{0,9}(?:who|whom|whose|what|when|where|why|which|how|is|are|was|were|does|do|did|can|could|should|has|have|will)\b/i.test(
    ask,
  )

/** What an answer to a question of this form would have to contain. */
const expected: [RegExp, (sentence: string) => boolean][] = [
  [
    /\b(?:when|what (?:date|year|day|time))\b/i,
    (s) => datesIn(s).length > 0 || /\b\d{4}\b/.test(s),
  ],
  [/\b(?:who|whose|whom)\b/i, (s) => namesIn(` ${s}`).length > 0 || /^\p{Lu}/u.test(s)],
  [
    /\bhow (?:much|many)\b|\bwhat (?:price|cost|number|percentage|amount)\b/i,
    (s) => numbersIn(s).length > 0 || amountsIn(s).length > 0,
  ],
  [/\bwhere\b/i, (s) => /\b(?:in|at|on|near|from) (?:the )?\p{Lu}/u.test(s)],
  [/\bwhy\b/i, (s) => /\b(?:because|since|due to|so that|in order to|therefore|reason)\b/i.test(s)],
]

/** The sentence of the text that meets the question best, or null if none meets it. */
export function answerFrom(text: string, question: string): string | null {
  const fits = expected.find(([form]) => form.test(question))?.[1]
  const ranked = matchingSentences(text, question)
    .slice(0, 12)
    .map((match) => ({ ...match, score: match.score * (fits?.(match.sentence) ? 1.6 : 1) }))
    .filter(({ sentence }) => !sentence.endsWith('?'))
    .toSorted((a, b) => b.score - a.score || a.place - b.place)
  const [best, next] = ranked
  if (!best) return null
  return closeBehind(best, next)
    ? [best, next]
        .toSorted((a, b) => a.place - b.place)
        .map(({ sentence }) => sentence)
        .join(' ')
    : best.sentence
}

/** Two neighbours that meet the question about equally belong together. */
const closeBehind = (best: Match, next: Match | undefined): next is Match =>
  next !== undefined && next.score > best.score * 0.9 && Math.abs(next.place - best.place) === 1

export const notFound = 'The text I was given does not say.'
