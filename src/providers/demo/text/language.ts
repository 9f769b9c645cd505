// Sentences, words and stems of English text. The text is untrusted, so every pattern in this
// folder is bounded: none may look at a character more than a fixed number of times.

const abbreviated = String.raw`(?<!(?:^|[ (])(?:[Mm]rs?|[Mm]s|[Dd]r|[Pp]rof|[Ss]t|vs|etc|[Nn]o|e\.g|i\.e|\p{L})\.)`
const sentenceEnd = new RegExp(
  `(?<=[.!?…]["'”’)\\]]{0,3})${abbreviated} +(?=["'“‘([]{0,2}[\\p{Lu}\\p{N}])|(?<=[。！？])`,
  'u',
)
const listMark = /^(?:[-*•–]|#{1,6}|\d{1,3}[.)])\s{1,9}/

/** Line breaks end sentences too; list marks are removed. */
export const sentencesOf = (text: string): string[] =>
  text
    .split('\n')
    .flatMap((line) => line.trim().replace(listMark, '').split(sentenceEnd))
    .map((sentence) => sentence.trim())
    .filter((sentence) => sentence !== '')

export const wordsOf = (text: string): string[] =>
  text.match(/[\p{L}\p{N}]+(?:['’-][\p{L}\p{N}]+)*/gu) ?? []

const stopWords = new Set(
  `a about after again all also am an and any are as at be because been before being but by can
  could did do does each for from get give go had has have he her here him his how however i if in
  into is it its just let like many may me might more most much must my no nor not now of off on
  once one only or other our out over own please said same say says see she should since so some
  still such than that the their them then there these they this those through to too under until
  up us use used very was we well were what when where which while who whom whose why will with
  without would yes yet you your new`.split(/\s+/),
)

export const isStopWord = (word: string): boolean => stopWords.has(word.toLowerCase())

/** Enough to give "runs", "running" and "run" the same stem. */
export function stem(word: string): string {
  const low = word.toLowerCase().replace(/['’]s$/, '')
  if (low.length > 4 && low.endsWith('ies')) return `${low.slice(0, -3)}y`
  const ending = ['ing', 'ed', 'ly', 'es', 's'].find(
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

/** How often each occurs, in the order of their first occurrence. */
export function tally(list: Iterable<string>): Map<string, number> {
  const counts = new Map<string, number>()
  for (const one of list) counts.set(one, (counts.get(one) ?? 0) + 1)
  return counts
}

/** "svc_list_workflowRuns" as svc, list, workflow, runs. */
export const splitName = (name: string): string[] =>
  name
    .replace(/([a-z\d])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .match(/[\p{L}\p{N}]+/gu) ?? []
