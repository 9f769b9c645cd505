// Reckons what is written in digits or plain words, with a parser of its own: nothing is ever
// evaluated as code.

/** The answer in a sentence, or null where there is nothing to reckon. */
export function reckon(ask: string): string | null {
  const asked = ask.slice(0, 500).trim()
  const list = ofList(asked)
  if (list) return list
  const expression = expressionIn(asked)
  if (!expression || !/\d/.test(expression) || !/sqrt|[\d)%].*[-+*/^]|%/.test(expression))
    return null
  const value = evaluate(expression)
  if (value === null) return null
  if (!Number.isFinite(value))
    return `${spaced(expression)} has no value: it divides by zero or is out of range.`
  return `${spaced(expression)} = ${show(value)}`
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

const wordsFor: [RegExp, string][] = [
  [/\bdivided by\b|÷|\bover\b/g, '/'],
  [/\bmultiplied by\b|\btimes\b|×|·/g, '*'],
  [/\bplus\b|\badded to\b/g, '+'],
  [/\bminus\b|−|–|\bless\b/g, '-'],
  [/\bto the power of\b|\*\*/g, '^'],
  [/\bsquared\b|²/g, '^2'],
  [/\bcubed\b|³/g, '^3'],
  [/\bsquare root of\b|√/g, 'sqrt '],
  [/\bper ?cent\b/g, '%'],
  [/(\d[\d.,]{0,30})\s?% off (?:of )?\$?(\d[\d.,]{0,30})/g, '($2 - $1% * $2)'],
  [/%\s?of\b/g, '% *'],
  [/\bhalf of\b/g, '0.5 *'],
]

/** What is left of a question once its words are gone, or null if other words remain. */
function expressionIn(ask: string): string | null {
  let text = ask
    .toLowerCase()
    .replace(/(\d),(?=\d{3}\b)/g, '$1')
    .replace(/[$€£]/g, '')
    .replace(
      /^(?:please |can you |could you |now )?(?:what(?:'s| is| are| does)?|how much is|calculate|compute|evaluate|solve|work out|reckon)\b:?/,
      '',
    )
    .replace(/(?:=\s?\??|\?|\bequals?\b\??|\bequal to\b|\.)\s*$/, '')
  for (const [words, sign] of wordsFor) text = text.replace(words, sign)
  const clean = text.replace(/\bthe\b|\bresult of\b|\bvalue of\b/g, '').trim()
  return /^(?:sqrt|[-\d+*/^%(). ])+$/.test(clean) ? clean : null
}

const listed: [RegExp, (numbers: number[]) => number, string][] = [
  [/\b(?:average|mean)\b/i, (n) => n.reduce((sum, x) => sum + x, 0) / n.length, 'average'],
  [/\b(?:sum|total|add up|add)\b/i, (n) => n.reduce((sum, x) => sum + x, 0), 'sum'],
  [/\bproduct\b/i, (n) => n.reduce((sum, x) => sum * x, 1), 'product'],
  [/\b(?:maximum|largest|biggest|highest)\b/i, (n) => Math.max(...n), 'maximum'],
  [/\b(?:minimum|smallest|lowest)\b/i, (n) => Math.min(...n), 'minimum'],
]

/** "average of 3, 4 and 8" */
function ofList(ask: string): string | null {
  const rule = listed.find(([words]) => words.test(ask))
  const numbers = (ask.match(/-?\d{1,15}(?:\.\d{1,15})?/g) ?? []).map(Number)
  if (!rule || numbers.length < 2 || !/\bof\b|\badd\b|:/i.test(ask)) return null
  const [, reduce, name] = rule
  return `The ${name} of ${numbers.join(', ')} is ${show(reduce(numbers))}`
}

type Operator = '+' | '-' | '*' | '/' | '^' | 'negate' | 'sqrt'
const strength: Record<Operator, number> = {
  '+': 1,
  '-': 1,
  '*': 2,
  '/': 2,
  negate: 3,
  '^': 4,
  sqrt: 5,
}
const operators = new Map<string, Operator>([
  ['+', '+'],
  ['-', '-'],
  ['*', '*'],
  ['/', '/'],
  ['^', '^'],
])

/** Two stacks instead of recursion, so that no depth of brackets can exhaust the machine. */
function evaluate(expression: string): number | null {
  const tokens = expression.match(/\d+(?:\.\d+)?|\.\d+|sqrt|[-+*/^%()]|\S/g) ?? []
  const values: number[] = []
  const pending: (Operator | '(')[] = []
  let expectsValue = true
  const settle = (until: number) => {
    for (
      let top = pending.at(-1);
      top && top !== '(' && strength[top] >= until;
      top = pending.at(-1)
    ) {
      pending.pop()
      if (!apply(top, values)) return false
    }
    return true
  }
  for (const token of tokens) {
    const operator = operators.get(token)
    if (/^[\d.]/.test(token)) {
      if (!expectsValue) return null
      values.push(Number(token))
      expectsValue = false
    } else if (token === '%') {
      const value = values.pop()
      if (expectsValue || value === undefined) return null
      values.push(value / 100)
    } else if (token === '(' || token === 'sqrt') {
      if (!expectsValue) return null
      pending.push(token)
    } else if (token === ')') {
      if (expectsValue || !settle(0) || pending.pop() !== '(') return null
    } else if (operator && expectsValue) {
      if (operator === '-') pending.push('negate')
      else if (operator !== '+') return null
    } else if (operator) {
      // Powers bind to the right: 2^3^2 is 2^9.
      if (!settle(strength[operator] + (operator === '^' ? 1 : 0))) return null
      pending.push(operator)
      expectsValue = true
    } else return null
  }
  const done = !expectsValue && settle(0) && pending.length === 0 && values.length === 1
  return done ? (values[0] ?? null) : null
}

function apply(operator: Operator, values: number[]): boolean {
  const right = values.pop()
  if (right === undefined) return false
  if (operator === 'negate' || operator === 'sqrt') {
    values.push(operator === 'negate' ? -right : Math.sqrt(right))
    return true
  }
  const left = values.pop()
  if (left === undefined) return false
  const results = {
    '+': left + right,
    '-': left - right,
    '*': left * right,
    '/': left / right,
    '^': left ** right,
  }
  values.push(results[operator])
  return true
}
