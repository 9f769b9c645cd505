// A goal in the parts it is made of: "list the workflows, run the third and wait" is three.
import { isVerb } from './kit.ts'
import { quote } from './values.ts'

const separator = /[;\n]+|[.!?]\s+|,?\s(?:and\s)?then\s|,\s{0,3}(?:and\s)?|\sand\s(?:also\s)?/
/** What stands in quotes is passed over as a whole. */
const separatorOrQuote = new RegExp(
  `${quote.source}|(?:${separator.source})\\s{0,3}(?:(?:please|finally|also|now)\\s){0,2}(?=(?<verb>\\p{L}{1,30}))`,
  'giu',
)

/** A clause ends only where another begins with a verb. */
export function clausesOf(goal: string): string[] {
  const clauses: string[] = []
  let from = 0
  for (const { index, 0: found, groups } of goal.matchAll(separatorOrQuote)) {
    if (!isVerb(groups?.verb ?? '')) continue
    clauses.push(goal.slice(from, index))
    from = index + found.length
  }
  return [...clauses, goal.slice(from)]
    .map((clause) => clause.trim().replace(/[.!]$/, ''))
    .filter((clause) => clause !== '')
    .slice(0, 20)
}

export const isForbidden = (clause: string): boolean =>
  /\b(?:do not|don['’]t|never|without)\b/i.test(clause)
