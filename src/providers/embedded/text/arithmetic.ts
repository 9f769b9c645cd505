// Calculates what is written in digits or plain words, with a parser of its own: nothing is ever
// evaluated as code.

const maxLength = 500

/** The answer as an equation, or null where there is nothing to calculate. */
export function calculate(ask: string): string | null {
  const asked = ask.slice(0, maxLength).trim()
  const expression = expressionIn(asked)
  if (!expression || !/sqrt|[\d)%].*[-+*/^]|%/.test(expression)) return null
  const value = evaluate(expression)
  if (value === null) return null
  const shown = spaced(expression)
  return Number.isFinite(value)
    ? `${shown} = ${show(value)}`
    : `${shown} has no value: it divides by zero or is out of range.`
}

/** Twelve digits: what binary fractions add beyond them is noise. */
const show = (value: number): string => String(Number(value.toPrecision(12)))

const spaced = (expression: string) =>
  expression
    .replace(/\s+/g, ' ')
    .replace(/ ?([-+*/^]) ?/g, ' $1 ')
    .replace(/\( ?- ?/g, '(-')
    .replace(/^ ?- /, '-')
    .replace(/% \* /g, '% of ')
    .trim()

const signs: readonly (readonly [RegExp, string])[] = [
  [/\bdivided by\b|÷/g, '/'],
  [/\bmultiplied by\b|\btimes\b|×|·/g, '*'],
  [/\bplus\b/g, '+'],
  [/\bminus\b|−|–/g, '-'],
  [/\bto the power of\b|\*\*/g, '^'],
  [/\bsquared\b|²/g, '^2'],
  [/\bsquare root of\b|√/g, 'sqrt '],
  [/\bper ?cent\b/g, '%'],
  [/(\d[\d.]{0,30})\s?% off (?:of )?(\d[\d.]{0,30})/g, '($2 - $1% * $2)'],
  [/%\s?of\b/g, '% *'],
]

const question =
  /^(?:please )?(?:what(?:'s| is| are)?|how much is|calculate|compute|evaluate|solve)\b:?/

/** What is left of a question once its words are gone, or null if other words remain. */
function expressionIn(ask: string): string | null {
  let text = ask
    .toLowerCase()
    .replace(/(\d),(?=\d{3}\b)/g, '$1')
    .replace(/[$€£]/g, '')
    .replace(question, '')
    .replace(/(?:=\s?\??|[?.])\s{0,9}$/, '')
  for (const [words, sign] of signs) text = text.replace(words, sign)
  const clean = text.replace(/\b(?:the|result of|value of)\b/g, '').trim()
  return /^(?:sqrt|[-\d+*/^%(). ])+$/.test(clean) ? clean : null
}

/** By recursive descent: the length of what is asked bounds its depth. Null for a broken sum. */
function evaluate(expression: string): number | null {
  const tokens = expression.match(/\d+(?:\.\d+)?|\.\d+|sqrt|\S/g) ?? []
  let at = 0
  let isBroken = false
  const take = (token: string) => {
    if (tokens[at] !== token) return false
    at++
    return true
  }
  const sum = (): number => {
    let value = product()
    for (;;) {
      if (take('+')) value += product()
      else if (take('-')) value -= product()
      else return value
    }
  }
  const product = (): number => {
    let value = signed()
    for (;;) {
      if (take('*')) value *= signed()
      else if (take('/')) value /= signed()
      else return value
    }
  }
  const signed = (): number => (take('-') ? -signed() : take('+') ? signed() : power())
  // Powers bind to the right: 2^3^2 is 2^9.
  const power = (): number => {
    const base = share()
    return take('^') ? base ** signed() : base
  }
  const share = (): number => {
    let value = atom()
    while (take('%')) value /= 100
    return value
  }
  const atom = (): number => {
    if (take('sqrt')) return Math.sqrt(atom())
    if (take('(')) {
      const value = sum()
      if (!take(')')) isBroken = true
      return value
    }
    const token = tokens[at++]
    if (token === undefined || !/^[\d.]/.test(token)) isBroken = true
    return Number(token)
  }
  const value = sum()
  return isBroken || at < tokens.length ? null : value
}
