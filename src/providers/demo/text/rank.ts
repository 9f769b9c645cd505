// Finds what a text is about by counting: its main sentences, its keywords, and the sentence that
// best matches a question. Sentences are chosen, never reworded.
import { isStopWord, sentencesOf, stem, tally, termsOf, wordsOf } from './language.ts'

/** Keeps the last result, because a schema reads the same text for one key after another. */
function remember<T>(read: (text: string) => T): (text: string) => T {
  let last: { text: string; result: T } | undefined
  return (text) => {
    if (last?.text !== text) last = { text, result: read(text) }
    return last.result
  }
}

/** Each sentence once, with its terms, and the number of sentences that contain each term. */
const read = remember((text) => {
  const sentences = [...new Set(sentencesOf(text))].map((sentence) => {
    return { sentence, terms: termsOf(sentence) }
  })
  const spread = tally(sentences.flatMap(({ terms }) => [...new Set(terms)]))
  return { sentences, spread }
})

/** The sentences that say most of what the text is about, in the order of the text. */
export function mainSentences(text: string, count: number): string[] {
  const { sentences, spread } = read(text)
  const scored = sentences.map(({ sentence, terms }, index) => {
    const weight = terms.reduce((sum, term) => sum + Math.log1p(spread.get(term) ?? 0), 0)
    // Without the root, long sentences would win by length alone. Writers lead with the point.
    const lead = index === 0 ? 1.6 : index < 3 ? 1.1 : 1
    const tiny = terms.length < 4 ? 0.4 : 1
    return { index, sentence, score: (weight / Math.sqrt(terms.length + 1)) * lead * tiny }
  })
  const best = scored.toSorted((a, b) => b.score - a.score).slice(0, count)
  return best.toSorted((a, b) => a.index - b.index).map(({ sentence }) => sentence)
}

/** The sentence that shares most words with the question, rare ones counting more, or null. */
export function answerFrom(text: string, question: string): string | null {
  const { sentences, spread } = read(text)
  const asked = new Set(termsOf(question))
  const wantsFigure = /\b(?:when|how (?:much|many)|what (?:year|date|number|price|time))\b/i
  const isFigure = wantsFigure.test(question)
  let best: { sentence: string; score: number } | undefined
  for (const { sentence, terms } of sentences) {
    let score = 0
    for (const term of asked)
      if (terms.includes(term)) score += Math.log1p(sentences.length / (spread.get(term) ?? 1))
    score /= 1 + Math.log1p(terms.length) / 4
    if (isFigure && /\d/.test(sentence)) score *= 1.6
    if (score > (best?.score ?? 0) && !sentence.endsWith('?')) best = { sentence, score }
  }
  return best?.sentence ?? null
}

/** The five words a text uses most, each in the form in which it first appears. */
export const keywordsOf = remember((text) => {
  const words = wordsOf(text.toLowerCase()).filter(
    (word) => word.length > 2 && !isStopWord(word) && !/^\d+$/.test(word),
  )
  const ranked = [...tally(words.map(stem))].toSorted(([, a], [, b]) => b - a).slice(0, 5)
  return ranked.flatMap(([root]) => words.find((word) => stem(word) === root) ?? [])
})

/** The terms of a text, each as often as it occurs. */
export const termsIn = remember(termsOf)

export const asksForSummary = (ask: string): boolean =>
  /\b(?:summar|sum up|tl;?dr|condense|recap|gist|shorten|key (?:points|facts)|main (?:points|ideas)|takeaways)/i.test(
    ask,
  )

const numberWords = 'zero one two three four five six seven eight nine ten'.split(' ')
const counted =
  /\b(\d{1,3}|[a-z]{3,5}) (?:[a-z]{1,20} )?(?:bullets?|points?|takeaways?|sentences?|lines?)\b/i

/** As many of the text's own sentences as requested. */
export function summarize(text: string, ask: string): string {
  const isList = /\b(?:bullets?|points?|takeaways?|list)\b/i.test(ask)
  const isBrief = /tl;?dr|\b(?:brief|briefly|short|gist)\b/i.test(ask)
  const usual = isBrief ? 1 : isList ? 3 : Math.min(4, Math.ceil(sentencesOf(text).length / 4))
  const named = counted.exec(ask)?.[1]?.toLowerCase() ?? ''
  const asked = Number(named) || numberWords.indexOf(named)
  const chosen = mainSentences(text, asked > 0 ? Math.min(asked, 50) : usual)
  return isList ? chosen.map((sentence) => `- ${sentence}`).join('\n') : chosen.join(' ')
}
