// Which function a part of the goal asks for. A function that changes something is chosen only
// where its verb, or one like it, was said.
import { stem, termsOf, wordsOf } from '../text/language.ts'
import type { Tool } from './kit.ts'

/** What people say for the words functions are named with. */
const said: Record<string, string> = {
  list: 'show see display enumerate what which overview all',
  get: 'read fetch check look show retrieve status what how see give tell open inspect find',
  read: 'get fetch show open see',
  fetch: 'get read load download',
  find: 'search look get',
  search: 'find look query',
  run: 'start execute launch submit trigger begin',
  start: 'run launch begin trigger execute',
  execute: 'run start',
  create: 'make add new build save store define',
  add: 'create insert put append plus sum',
  delete: 'remove drop erase destroy',
  remove: 'delete drop erase',
  update: 'change edit rename modify replace set',
  set: 'change update put',
  cancel: 'stop abort halt',
  stop: 'cancel abort halt',
  validate: 'check verify valid',
  estimate: 'cost price much expensive',
  generate: 'make draw create paint produce render design',
  calculate: 'compute reckon what much',
  send: 'mail post deliver write',
  chat: 'ask talk',
  image: 'picture photo drawing illustration draw paint',
  video: 'film movie clip animation',
  email: 'e-mail mail',
  weather: 'forecast temperature',
}

const alike = new Map(
  Object.entries(said).map(([word, others]) => [stem(word), new Set(others.split(' ').map(stem))]),
)

const actions = new Set([
  ...Object.keys(said).filter((word) => !/^(?:image|video|email|weather)$/.test(word)),
  ...'show make draw paint start launch remove rename change edit stop abort check verify compute look open read write post mail ask summarize summarise translate explain describe give print return compare count'.split(
    ' ',
  ),
])

export const isActionWord = (word: string): boolean => actions.has(word.toLowerCase())

/** A verb says nothing of what a function is about. */
const verbs = new Set([...actions, 'tell', 'need', 'want', 'know'].map(stem))

const changing = new Set(
  'create delete remove update set cancel stop run start execute send add generate drop post write submit insert'.split(
    ' ',
  ),
)

export const isChanging = ({ words }: Tool): boolean => changing.has(words[0] ?? '')

export type Match = { tool: Tool; score: number }

const leastCoverage = 0.6
const leastOverlap = 0.34

/** `readiness` tells how well the clause serves a function's parameters, from -1 to 1. */
export function matchTools(
  clause: string,
  kit: readonly Tool[],
  readiness: (tool: Tool) => number,
): Match[] {
  const words = new Set(wordsOf(clause).map(stem))
  // Digits speak of numbers without the word.
  if (/\d/.test(clause)) words.add(stem('number'))
  const terms = new Set(termsOf(clause))
  const matches = kit.map((tool) => ({ tool, score: scoreOf(tool, clause, words, terms) }))
  return matches
    .filter(({ score }) => score > 0)
    .map(({ tool, score }) => ({ tool, score: score + readiness(tool) * 0.25 }))
    .toSorted((a, b) => b.score - a.score)
}

function scoreOf(
  tool: Tool,
  clause: string,
  said: ReadonlySet<string>,
  terms: ReadonlySet<string>,
): number {
  const { name, words, description } = tool
  if (clause.includes(name) && name.length > 3) return 10
  const hits = words.map((word) => hitOf(stem(word), said))
  const total = hits.reduce((sum, hit) => sum + hit, 0)
  if (isChanging(tool) && !hits[0]) return 0
  const coverage = words.length === 0 ? 0 : total / words.length
  if (coverage >= leastCoverage) return coverage + total * 0.1
  const described = new Set(termsOf(description))
  const telling = [...terms].filter((term) => !verbs.has(term))
  const shared = telling.filter((term) => described.has(term)).length
  const overlap = telling.length === 0 ? 0 : shared / telling.length
  // Its description alone speaks for a function that only reads.
  return overlap >= leastOverlap && !isChanging(tool) ? overlap * 0.5 : 0
}

function hitOf(word: string, said: ReadonlySet<string>): number {
  if (said.has(word)) return 1
  for (const other of alike.get(word) ?? []) if (said.has(other)) return 0.8
  return 0
}
