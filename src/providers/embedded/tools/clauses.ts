// A goal in the parts it is made of: "list the workflows, run the third and wait" is three.
import { isVerb } from './kit.ts'

const pairs = new Map(['""', "''", '“”', '``', '{}', '[]'].map(([open, close]) => [open, close]))

/** What stands in quotes, braces or brackets is never cut. */
function masked(goal: string): string {
  let close = ''
  return goal.replace(/[\s\S]/g, (char, i: number) => {
    const isInWord = char === "'" && /\w/.test(goal.charAt(i - 1)) && /\w/.test(goal.charAt(i + 1))
    const isOpening = close === '' && !isInWord && goal.includes(pairs.get(char) ?? '\0', i + 1)
    if (close === '' && !isOpening) return char
    if (isOpening) close = pairs.get(char) ?? ''
    else if (char === close && !isInWord) close = ''
    return '_'
  })
}

const ends = /[;\n]+|[.!?]\s+|,?\s(?:and\s)?then\s|,\s{0,3}(?:and\s)?|\sand\s(?:also\s)?/gi
const goesOn = /^(?:in|for|wait|tell|report)$/i

export function clausesOf(goal: string): string[] {
  const cover = masked(goal)
  const clauses: string[] = []
  let from = 0
  for (const { index, 0: end } of cover.matchAll(ends)) {
    const to = index + end.length
    const next =
      /^(?:please |finally |also ){0,2}(\p{L}{1,30})/u.exec(cover.slice(to, to + 60))?.[1] ?? ''
    // A comma or an "and" ends a clause only where another begins with a verb.
    if (
      /^(?:,\s{0,3}(?:and\s)?|\sand\s(?:also\s)?)$/i.test(end) &&
      !isVerb(next) &&
      !goesOn.test(next)
    )
      continue
    clauses.push(goal.slice(from, index))
    from = to
  }
  return [...clauses, goal.slice(from)]
    .map((clause) =>
      clause
        .trim()
        .replace(/^(?:please|finally|also|and|now)[\s,]{1,3}/i, '')
        .replace(/[.!]$/, ''),
    )
    .filter((clause) => clause !== '')
    .slice(0, 20)
}

export const isWait = (clause: string): boolean =>
  /^(?:wait|poll|keep (?:checking|polling))\b/i.test(clause)

/** "tell me the output": what the calls gave is told in any case. */
export const isReport = (clause: string): boolean =>
  /^(?:tell|show|give|report|print|say)\b.{0,40}\b(?:outputs?|results?|answer|status|link|it|how|what)\b/i.test(
    clause,
  )

export const isForbidden = (clause: string): boolean =>
  /\b(?:do not|don['’]t|never|without)\b/i.test(clause)
