// The `pattern` of a JSON Schema. Patterns come from strangers, so only those are used that cannot
// be slow: without groups and alternatives, and with few quantifiers of variable length. Matching a
// text of 40 characters then takes at most about a millisecond.
const maxPatternLength = 200
const maxTextLength = 40

const part = String.raw`(?:\\.|\[(?:\\.|[^\\\]])+\]|[^\\()[\]{}|*+?^$])`
const fixed = String.raw`(?:${part}(?:\{\d{1,2}\})?)*`
const variable = String.raw`(?:${part}(?:[*+?]|\{\d{1,2},\d{0,2}\})${fixed})`
/** Without "^" a match is tried from every character, so fewer quantifiers are allowed. */
const harmless = new RegExp(`^(?:\\^${fixed}${variable}{0,3}|${fixed}${variable}{0,2})\\$?$`)
const parts = new RegExp(`(${part})([*+?]?)(?:\\{(\\d{1,2}))?`, 'g')

/** Matches nothing if the pattern may be slow, or is not a regular expression. */
export function matcherOf(pattern: string): (text: unknown) => text is string {
  let expression = /(?!)/
  try {
    const isUsable = pattern.length <= maxPatternLength && harmless.test(pattern)
    if (isUsable) expression = new RegExp(pattern, 'u')
  } catch {
    // Nothing matches it.
  }
  return (text): text is string =>
    typeof text === 'string' && text.length <= maxTextLength && expression.test(text)
}

/** A short text that matches the pattern, if it is a usable one: each part as often as it must. */
export function madeFrom(pattern: string): string {
  const pieces = pattern.slice(0, maxPatternLength).matchAll(parts)
  return [...pieces]
    .map(([, part = '', sign, least]) => {
      const letter = [part, ...'0aA-_. @/'].find(matcherOf(`^${part}$`)) ?? ''
      return letter.repeat(Number(least ?? (sign === '*' || sign === '?' ? 0 : 1)))
    })
    .join('')
}
