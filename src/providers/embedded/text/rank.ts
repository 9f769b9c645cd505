// What a text is about, by counting: its main sentences, its keywords, and the sentence that
// meets a question. Sentences are chosen, never reworded.
import { isStopWord, sentencesOf, stem, tally, termsOf, wordsOf } from './language.ts'

type Weigh = (terms: readonly string[], sentence: string, index: number) => number

const ranked = (sentences: readonly string[], weigh: Weigh) =>
  sentences
    .map((sentence, index) => ({ sentence, score: weigh(termsOf(sentence), sentence, index) }))
    .toSorted((a, b) => b.score - a.score)

/** The sentences that say most of what the text is about, in the order of the text. */
export function mainSentences(text: string, count: number): string[] {
  const sentences = [...new Set(sentencesOf(text))]
  const counts = tally(termsOf(text))
  const best = ranked(sentences, (terms, _, index) => {
    const weight = terms.reduce((sum, term) => sum + Math.log1p(counts.get(term) ?? 0), 0)
    // Long sentences win by mass alone, so mass counts by its root; writers lead with the point.
    const lead = index === 0 ? 1.6 : index < 3 ? 1.1 : 1
    return (weight / Math.sqrt(terms.length + 1)) * lead * (terms.length < 4 ? 0.4 : 1)
  })
  const chosen = new Set(best.slice(0, count).map(({ sentence }) => sentence))
  return sentences.filter((sentence) => chosen.has(sentence))
}

/** The sentence that shares most with the question, rare words first; null if none shares any. */
export function answerFrom(text: string, question: string): string | null {
  const sentences = sentencesOf(text).filter((sentence) => !sentence.endsWith('?'))
  const asked = new Set(termsOf(question))
  const spread = tally(sentences.flatMap((sentence) => [...new Set(termsOf(sentence))]))
  const wantsFigure = /\b(?:when|how (?:much|many)|what (?:year|date|number|price|time))\b/i
  const isFigure = wantsFigure.test(question)
  const [best] = ranked(sentences, (terms, sentence) => {
    const shared = [...new Set(terms)].filter((term) => asked.has(term))
    const rarity = (term: string) => Math.log1p(sentences.length / (spread.get(term) ?? 1))
    const score = shared.reduce((sum, term) => sum + rarity(term), 0)
    return (
      (score / (1 + Math.log1p(terms.length) / 4)) * (isFigure && /\d/.test(sentence) ? 1.6 : 1)
    )
  })
  return best && best.score > 0 ? best.sentence : null
}

/** The words a text uses most, each in the form in which it first appears. */
export function keywordsOf(text: string, count: number): string[] {
  const words = wordsOf(text.toLowerCase()).filter(
    (word) => word.length > 2 && !isStopWord(word) && !/^\d+$/.test(word),
  )
  const ranked = [...tally(words.map(stem))].toSorted(([, a], [, b]) => b - a).slice(0, count)
  return ranked.flatMap(([root]) => words.find((word) => stem(word) === root) ?? [])
}

export const asksForSummary = (ask: string): boolean =>
  /\b(?:summar|sum up|tl;?dr|condense|recap|gist|shorten|key (?:points|facts)|main (?:points|ideas)|takeaways)/i.test(
    ask,
  )

const numberWords = 'zero one two three four five six seven eight nine ten'.split(' ')
const counted =
  /\b(\d{1,3}|[a-z]{3,5}) (?:[a-z]{1,20} )?(?:bullets?|points?|takeaways?|sentences?|lines?)\b/i

/** As many of the text's own sentences as asked for. */
export function summarize(text: string, ask: string): string {
  const isList = /\b(?:bullets?|points?|takeaways?|list)\b/i.test(ask)
  const isBrief = /tl;?dr|\b(?:brief|briefly|short|gist)\b/i.test(ask)
  const usual = isBrief ? 1 : isList ? 3 : Math.min(4, Math.ceil(sentencesOf(text).length / 4))
  const named = counted.exec(ask)?.[1]?.toLowerCase() ?? ''
  const asked = Number(named) || numberWords.indexOf(named)
  const chosen = mainSentences(text, asked > 0 ? Math.min(asked, 50) : usual)
  return isList ? chosen.map((sentence) => `- ${sentence}`).join('\n') : chosen.join(' ')
}
