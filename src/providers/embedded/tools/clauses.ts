// A goal in the parts it is made of: "list the workflows, run the third and wait" is three.
import { isActionWord } from './match-tool.ts'

/** What stands in quotes, braces or brackets is never cut. */
function masked(goal: string): string {
  let close = ''
  let out = ''
  for (let i = 0; i < goal.length; i++) {
    const char = goal.charAt(i)
    if (close !== '') {
      const ends = char === close && (close !== "'" || !/\w/.test(goal.charAt(i + 1)))
      if (ends) close = ''
      out += '_'
      continue
    }
    const opens = pairs[char]
    const isApostrophe = char === "'" && /\w/.test(goal.charAt(i - 1))
    if (opens && !isApostrophe && goal.indexOf(opens, i + 1) > 0) {
      close = opens
      out += '_'
    } else out += char
  }
  return out
}

const pairs: Record<string, string> = {
  '"': '"',
  "'": "'",
  '“': '”',
  '‘': '’',
  '`': '`',
  '{': '}',
  '[': ']',
}

const always = /[;\n]+|[.!?]\s+|,?\s(?:and\s)?then\s|,?\safter (?:that|this),?\s/gi
const maybe = /,\s{0,3}(?:and\s)?|\sand\s(?:also\s)?/gi
const maxClauses = 20

export function clausesOf(goal: string): string[] {
  const cover = masked(goal)
  const cuts = new Map<number, number>()
  for (const { index, 0: found } of cover.matchAll(always)) cuts.set(index, index + found.length)
  for (const { index, 0: found } of cover.matchAll(maybe)) {
    const end = index + found.length
    const next = /^(?:please |finally |also |then ){0,2}([\p{L}]{1,30})/u.exec(
      cover.slice(end, end + 60),
    )?.[1]
    if (next && (isActionWord(next) || /^(?:in|for|wait|tell|report)$/i.test(next)))
      cuts.set(index, end)
  }
  const clauses: string[] = []
  let from = 0
  for (const [start, end] of [...cuts].sort(([a], [b]) => a - b)) {
    if (start < from) continue
    clauses.push(goal.slice(from, start))
    from = end
  }
  clauses.push(goal.slice(from))
  return clauses
    .map((clause) =>
      clause
        .trim()
        .replace(/^(?:please|then|finally|also|and|now)[\s,]{1,3}/i, '')
        .replace(/[.!]$/, ''),
    )
    .filter((clause) => clause !== '')
    .slice(0, maxClauses)
}

export const asksToWait = (clause: string): boolean =>
  /^(?:wait|poll|keep (?:checking|polling|asking|looking))\b/i.test(clause)

/** "tell me the output": what the calls gave is told in any case. */
export const asksToTell = (clause: string): boolean =>
  /^(?:tell|show|give|report|print|say|return|send)\b.{0,40}\b(?:outputs?|results?|outcome|answer|status|link|it|how|what)\b|^let me know\b/i.test(
    clause,
  )

export const isForbidden = (clause: string): boolean =>
  /\b(?:do not|don['’]t|never|without|not to)\b/i.test(clause)
