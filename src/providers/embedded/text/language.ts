// Sentences, words and stems of English text. Every pattern here and beside it is applied to text
// from anywhere: none may look at a character more than a fixed number of times, so quantifiers
// are bounded or end a pattern that cannot fail.

const abbreviations = new Set(
  'mr mrs ms dr prof st sr jr vs etc inc ltd co corp no vol fig approx dept est e.g i.e p.m a.m u.s u.k'.split(
    ' ',
  ),
)

/** Line ends end sentences too; list marks are taken off. */
export function sentencesOf(text: string): string[] {
  return text.split('\n').flatMap((line) => {
    const clean = line.trim().replace(/^(?:[-*•–]|#{1,6}|\d{1,3}[.)])\s{1,9}/, '')
    return clean === '' ? [] : splitLine(clean)
  })
}

function splitLine(line: string): string[] {
  const sentences: string[] = []
  let start = 0
  for (let i = 0; i < line.length; i++) {
    if (!'.!?…。！？'.includes(line.charAt(i))) continue
    let end = i + 1
    while (end < line.length && '.!?…"\'”’)]»'.includes(line.charAt(end))) end++
    const wide = '。！？'.includes(line.charAt(i))
    const ends =
      end >= line.length || wide || (line.charAt(end) === ' ' && startsSentence(line, i, end))
    if (ends) {
      sentences.push(line.slice(start, end).trim())
      start = end
    }
    i = end - 1
  }
  const rest = line.slice(start).trim()
  return (rest === '' ? sentences : [...sentences, rest]).filter((sentence) => sentence !== '')
}

function startsSentence(line: string, mark: number, end: number): boolean {
  const next = line.charAt(end + 1)
  if (!/[\p{Lu}\p{N}"'“‘«([]/u.test(next) && /\p{L}/u.test(next)) return false
  if (line.charAt(mark) !== '.') return true
  const before = line.slice(Math.max(0, mark - 12), mark)
  const word = before.slice(before.lastIndexOf(' ') + 1).toLowerCase()
  return !abbreviations.has(word) && !/^\p{L}$/u.test(word)
}

export const wordsOf = (text: string): string[] =>
  text.match(/[\p{L}\p{N}]+(?:['’-][\p{L}\p{N}]+)*/gu) ?? []

const stopWords = new Set(
  `a about above after again all also am an and any are as at be because been before being below
  between both but by can could did do does doing down during each else ever few for from further
  get give given go had has have having he her here hers him his how i if in into is it its itself
  just let like ll made make many may me might more most much must my no nor not now of off on once
  one only or other our ours out over own per please quite re really said same say says see shall
  she should since so some still such than that the their theirs them then there these they this
  those though through to too under until up upon us use used using very via was way we well were
  what when where which while who whom whose why will with within without would yes yet you your
  yours ve don't doesn't didn't isn't aren't wasn't weren't won't can't it's i'm we're they're
  new however`.split(/\s+/),
)

export const isStopWord = (word: string): boolean => stopWords.has(word.toLowerCase())

/** Enough to let "runs", "running" and "run" meet. */
export function stem(word: string): string {
  const low = word.toLowerCase().replace(/['’]s$/, '')
  if (low.length > 4 && low.endsWith('ies')) return `${low.slice(0, -3)}y`
  const ending = ['ingly', 'edly', 'ing', 'ed', 'ly', 'es', 's'].find(
    (end) => low.endsWith(end) && low.length - end.length >= 3 && !low.endsWith('ss'),
  )
  const root = ending ? low.slice(0, -ending.length) : low
  // "planned" and "plan": a doubled consonant came with the ending.
  return ending && /([bdgmnprt])\1$/.test(root) ? root.slice(0, -1) : root.replace(/e$/, '')
}

/** Stems of the words that carry meaning. */
export const termsOf = (text: string): string[] =>
  wordsOf(text)
    .filter((word) => !isStopWord(word) && (word.length > 1 || /\d/.test(word)))
    .map(stem)

export const capitalize = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1)

/** Cuts between words; "…" says that it did. */
export function shorten(text: string, maxLength: number): string {
  const flat = text
    .slice(0, maxLength * 4)
    .replace(/\s+/g, ' ')
    .trim()
  if (flat.length <= maxLength) return flat
  const cut = flat.slice(0, maxLength - 1)
  const space = cut.lastIndexOf(' ')
  return `${(space > maxLength / 2 ? cut.slice(0, space) : cut).replace(/[\s,;:.–-]$/, '')}…`
}

const numberWords: Record<string, number> = {
  one: 1,
  single: 1,
  two: 2,
  three: 3,
  four: 4,
  five: 5,
  six: 6,
  seven: 7,
  eight: 8,
  nine: 9,
  ten: 10,
  dozen: 12,
}
const numbersByWord = new Map(Object.entries(numberWords))

/** The first count an instruction names, as digits or in words, directly before `noun`. */
export function countBefore(text: string, noun: RegExp): number | undefined {
  const words =
    text
      .toLowerCase()
      .slice(0, 2000)
      .match(/[\p{L}\p{N}]+/gu) ?? []
  for (const [i, word] of words.entries()) {
    const count = /^\d{1,3}$/.test(word) ? Number(word) : numbersByWord.get(word)
    const next = words.slice(i + 1, i + 4).join(' ')
    if (count !== undefined && noun.test(next)) return count
  }
  return undefined
}
