import { countBefore, sentencesOf, shorten, wordsOf } from './language.ts'
import { mainSentences } from './rank.ts'

export const asksForSummary = (ask: string): boolean =>
  /\b(?:summar|tl;?dr|condense|recap|gist|abstract of|key (?:points|takeaways|ideas|facts)|main (?:points|ideas|message)|takeaways)/i.test(
    ask,
  )

/** As many of the text's own sentences as asked for; they are chosen, not reworded. */
export function summarize(text: string, ask: string): string {
  const bullets = countBefore(ask, /^(?:\S{1,20} )?(?:bullets?|points?|takeaways?|items?|facts?)\b/)
  const asked = countBefore(ask, /^(?:\S{1,20} )?(?:sentences?|lines?)\b/)
  const maxWords = countBefore(ask, /^words?\b/)
  const listed = bullets !== undefined || /\b(?:bullet|points|takeaways|list)/i.test(ask)
  const count = bullets ?? asked ?? usualCount(text, ask, listed)
  const chosen = mainSentences(text, Math.min(Math.max(count, 1), 50))
  if (listed) return chosen.map((sentence) => `- ${sentence}`).join('\n')
  return maxWords ? firstWords(chosen.join(' '), maxWords) : chosen.join(' ')
}

function usualCount(text: string, ask: string, listed: boolean): number {
  if (/tl;?dr|\b(?:one|single|brief|briefly|short|gist)\b/i.test(ask)) return 1
  const length = sentencesOf(text).length
  return Math.min(listed ? 5 : 4, Math.max(listed ? 3 : 1, Math.ceil(length / 4)))
}

/** Whole words only, with the punctuation between them. */
export function firstWords(text: string, count: number): string {
  const words = text.split(/\s+/).filter((word) => word !== '')
  if (words.length <= count) return text
  return `${words
    .slice(0, count)
    .join(' ')
    .replace(/[,;:.–-]$/, '')}…`
}

const leadIn =
  /^(?:according|in|on|at|after|before|while|when|if|for|with|by|as|during|since|although|though|however|but|and|there|it|this|these)\b/i

/** The first line where it is a heading already, else the opening or the most telling sentence. */
export function titleOf(text: string): string {
  const first = text.trimStart().split('\n', 1)[0] ?? ''
  const heading = first.replace(/^#{1,6}\s{1,9}/, '').trim()
  const isHeading = heading.length >= 3 && heading.length <= 90 && !/[.!?:,]$/.test(heading)
  if (isHeading && heading !== text.trim()) return heading
  const opening = sentencesOf(text)[0] ?? ''
  const length = wordsOf(opening).length
  const sentence =
    length >= 3 && length <= 16 && !leadIn.test(opening)
      ? opening
      : (mainSentences(text, 1)[0] ?? '')
  const clause = sentence.split(/[,;:–(]|\s-\s/, 1)[0]?.trim() ?? ''
  const base = wordsOf(clause).length >= 4 && !leadIn.test(clause) ? clause : sentence
  return titleCase(shorten(base.replace(/[.!?…]$/, ''), 80))
}

const small = new Set('a an and as at but by for in of on or the to with from into is'.split(' '))

export const titleCase = (text: string): string =>
  text
    .split(' ')
    .map((word, i) =>
      i > 0 && small.has(word.toLowerCase()) ? word : word.charAt(0).toUpperCase() + word.slice(1),
    )
    .join(' ')
