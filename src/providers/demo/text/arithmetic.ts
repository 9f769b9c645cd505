// Calculates what is written in digits or plain words. It has its own parser, so that nothing is
// ever evaluated as code.

const maxLength = 500

/** The answer as an equation, or null if there is nothing to calculate. */
export function calculate(ask: string): string | null {
  const expression = expressionIn(ask.slice(0, maxLength).trim())
  if (!expression || !/sqrt|[\d)%].*[-+*/^]|%/.test(expression)) return null
  const value = evaluate(expression)
  if (value === null) return null
  const shown = expression
    .replace(/\s*([-+*/^])\s*/g, ' $1 ')
    .replace(/(^|\() - /g, '$1-')
    .replace(/% \* /g, '% of ')
  // Twelve digits: any beyond them are noise from binary fractions.
  return Number.isFinite(value)
    ? `${shown} = ${Number(value.toPrecision(12))}`
    : `${shown} has no value: it divides by zero or is out of range.`
}

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

/** The expression that a question asks for, or null if other words remain. */
function expressionIn(ask: string): string | null {
  let text = ask
    .toLowerCase()
    .replace(/(\d),(?=\d{3}\b)/g, '$1')
    .replace(/[$€£]/g, '')
    .replace(question, '')
    .replace(/(?:=\s?\??|[?.])\s{0,9}$/, '')
    .replace(/\bthe\b/g, '')
  for (const [words, sign] of signs) text = text.replace(words, sign)
  const clean = text.replace(/\s+/g, ' ').trim()
  return /^(?:sqrt|[-\d+*/^%(). ])+$/.test(clean) ? clean : null
}

/** An operator's precedence and function. Powers associate to the right: 2^3^2 is 2^9. */
const operators = new Map<string, readonly [rank: number, apply: (a: number, b: number) => number]>(
  [
    ['+', [1, (a, b) => a + b]],
    ['-', [1, (a, b) => a - b]],
    ['*', [2, (a, b) => a * b]],
    ['/', [2, (a, b) => a / b]],
    ['^', [4, (a, b) => a ** b]],
  ],
)

/** Precedence climbing; its depth is bounded by the expression's length. Null if malformed. */
function evaluate(expression: string): number | null {
  const tokens = expression.match(/\d+(?:\.\d+)?|\.\d+|sqrt|\S/g) ?? []
  let at = 0
  let isBroken = false
  const read = (least: number): number => {
    let value = operand()
    for (;;) {
      const [rank, apply] = operators.get(tokens[at] ?? '') ?? []
      if (!rank || !apply || rank < least) return value
      at++
      value = apply(value, read(rank === 4 ? 3 : rank + 1))
    }
  }
  const operand = (): number => {
    const token = tokens[at++] ?? ''
    if (token === '-') return -read(3)
    if (token === '+') return read(3)
    if (token === 'sqrt') return Math.sqrt(operand())
    let value = token === '(' ? read(1) : Number(token || Number.NaN)
    if (token === '(' ? tokens[at++] !== ')' : !/^[\d.]/.test(token)) isBroken = true
    for (; tokens[at] === '%'; at++) value /= 100
    return value
  }
  const value = read(1)
  return isBroken || at < tokens.length ? null : value
}
