import { isStopWord, sentencesOf, stem, termsOf, wordsOf } from './language.ts'

/** How often each term occurs in a text. */
function frequencies(terms: readonly string[]): Map<string, number> {
  const counts = new Map<string, number>()
  for (const term of terms) counts.set(term, (counts.get(term) ?? 0) + 1)
  return counts
}

/** The sentences that say most of what the text is about, in the order of the text. */
export function mainSentences(text: string, count: number): string[] {
  const sentences = [...new Set(sentencesOf(text))]
  if (sentences.length <= count) return sentences
  const weights = frequencies(termsOf(text))
  const scored = sentences.map((sentence, place) => {
    const terms = termsOf(sentence)
    const weight = terms.reduce((sum, term) => sum + Math.log1p(weights.get(term) ?? 0), 0)
    // Long sentences win by mass alone, so mass counts by its root; writers lead with the point.
    const lead = place === 0 ? 1.6 : place < 3 ? 1.1 : 1
    const tiny = terms.length < 4 ? 0.4 : 1
    return { place, score: (weight / Math.sqrt(terms.length + 1)) * lead * tiny }
  })
  const best = scored.toSorted((a, b) => b.score - a.score || a.place - b.place).slice(0, count)
  return best.toSorted((a, b) => a.place - b.place).flatMap(({ place }) => sentences[place] ?? [])
}

export type Match = { sentence: string; place: number; score: number }

/** Sentences that share rare terms with the question, best first. */
export function matchingSentences(text: string, question: string): Match[] {
  const sentences = sentencesOf(text)
  const asked = new Set(termsOf(question))
  const found = sentences.map((sentence) => new Set(termsOf(sentence)))
  const spread = new Map<string, number>()
  for (const terms of found) {
    for (const term of terms) if (asked.has(term)) spread.set(term, (spread.get(term) ?? 0) + 1)
  }
  const matches = sentences.map((sentence, place) => {
    const terms = found[place] ?? new Set()
    let score = 0
    for (const term of terms) {
      const seen = spread.get(term)
      if (seen) score += Math.log(1 + sentences.length / seen)
    }
    return { sentence, place, score: score / (1 + Math.log1p(terms.size) / 4) }
  })
  return matches
    .filter(({ score }) => score > 0)
    .toSorted((a, b) => b.score - a.score || a.place - b.place)
}

/** Words and pairs of words a text is about, in the form they first appear. */
export function keywordsOf(text: string, count: number): string[] {
  const words = wordsOf(text)
  const scores = new Map<string, { shown: string; score: number; place: number }>()
  const add = (key: string, shown: string, score: number, place: number) => {
    const known = scores.get(key)
    if (known) known.score += score
    else scores.set(key, { shown, score, place })
  }
  const telling = (word: string | undefined): word is string =>
    word !== undefined && word.length > 2 && !isStopWord(word) && !/^\d+$/.test(word)
  for (const [place, word] of words.entries()) {
    if (!telling(word)) continue
    // Long words say more than short ones, and what opens a text more than what follows.
    add(stem(word), word, 1 + Math.min(word.length, 12) / 60 + (place < 12 ? 0.4 : 0), place)
    const next = words[place + 1]
    if (telling(next)) add(`${stem(word)} ${stem(next)}`, `${word} ${next}`, 0.9, place)
  }
  const ranked = [...scores]
    // A pair must come back to count; a word of it says less beside it.
    .filter(([key, { score }]) => !key.includes(' ') || score > 1.5)
    .toSorted(([, a], [, b]) => b.score - a.score || a.place - b.place)
  const chosen: string[] = []
  const taken = new Set<string>()
  for (const [key, { shown }] of ranked) {
    if (chosen.length >= count) break
    if (key.split(' ').every((part) => taken.has(part))) continue
    for (const part of key.split(' ')) taken.add(part)
    chosen.push(/\p{Lu}/u.test(shown.slice(1)) ? shown : shown.toLowerCase())
  }
  return chosen
}
