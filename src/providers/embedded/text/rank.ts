// What a text is about, by counting: its main sentences, its keywords, and the sentence that
// meets a question. Sentences are chosen, never reworded.
import { countBefore, isStopWord, sentencesOf, stem, termsOf, wordsOf } from './language.ts'

/** The sentences that say most of what the text is about, in the order of the text. */
export function mainSentences(text: string, count: number): string[] {
  const sentences = [...new Set(sentencesOf(text))]
  if (sentences.length <= count) return sentences
  const weights = new Map<string, number>()
  for (const term of termsOf(text)) weights.set(term, (weights.get(term) ?? 0) + 1)
  const scored = sentences.map((sentence, index) => {
    const terms = termsOf(sentence)
    const weight = terms.reduce((sum, term) => sum + Math.log1p(weights.get(term) ?? 0), 0)
    // Long sentences win by mass alone, so mass counts by its root; writers lead with the point.
    const lead = index === 0 ? 1.6 : index < 3 ? 1.1 : 1
    const tiny = terms.length < 4 ? 0.4 : 1
    return { index, score: (weight / Math.sqrt(terms.length + 1)) * lead * tiny }
  })
  const best = scored.toSorted((a, b) => b.score - a.score || a.index - b.index).slice(0, count)
  return best.toSorted((a, b) => a.index - b.index).flatMap(({ index }) => sentences[index] ?? [])
}

/** The sentence that shares most with the question, rare words first; null if none shares any. */
export function answerFrom(text: string, question: string): string | null {
  const sentences = sentencesOf(text).filter((sentence) => !sentence.endsWith('?'))
  const asked = new Set(termsOf(question))
  const found = sentences.map((sentence) => new Set(termsOf(sentence)))
  const spread = new Map<string, number>()
  for (const terms of found) {
    for (const term of terms) if (asked.has(term)) spread.set(term, (spread.get(term) ?? 0) + 1)
  }
  const wantsFigure = /\b(?:when|how (?:much|many)|what (?:year|date|number|price|time))\b/i.test(
    question,
  )
  let best: { sentence: string; score: number } | undefined
  for (const [index, sentence] of sentences.entries()) {
    let score = 0
    for (const term of found[index] ?? []) {
      const seen = spread.get(term)
      if (seen) score += Math.log(1 + sentences.length / seen)
    }
    score /= 1 + Math.log1p(found[index]?.size ?? 0) / 4
    if (wantsFigure && /\d/.test(sentence)) score *= 1.6
    if (score > (best?.score ?? 0)) best = { sentence, score }
  }
  return best?.sentence ?? null
}

/** The words a text uses most, in the form they first appear. */
export function keywordsOf(text: string, count: number): string[] {
  const seen = new Map<string, { shown: string; times: number }>()
  for (const word of wordsOf(text)) {
    if (word.length < 3 || isStopWord(word) || /^\d+$/.test(word)) continue
    const known = seen.get(stem(word))
    if (known) known.times++
    else seen.set(stem(word), { shown: word.toLowerCase(), times: 1 })
  }
  const ranked = [...seen.values()].toSorted((a, b) => b.times - a.times)
  return ranked.slice(0, count).map(({ shown }) => shown)
}

export const asksForSummary = (ask: string): boolean =>
  /\b(?:summar|tl;?dr|condense|recap|gist|shorten|key (?:points|facts)|main (?:points|ideas)|takeaways)/i.test(
    ask,
  )

/** As many of the text's own sentences as asked for. */
export function summarize(text: string, ask: string): string {
  const isList = /\b(?:bullets?|points?|takeaways?|list)\b/i.test(ask)
  const asked = countBefore(ask, /^(?:bullets?|points?|takeaways?|sentences?|lines?)$/)
  const isBrief = /tl;?dr|\b(?:brief|briefly|short|gist)\b/i.test(ask)
  const usual = isBrief ? 1 : isList ? 3 : Math.min(4, Math.ceil(sentencesOf(text).length / 4))
  const chosen = mainSentences(text, Math.min(Math.max(asked ?? usual, 1), 50))
  return isList ? chosen.map((sentence) => `- ${sentence}`).join('\n') : chosen.join(' ')
}
