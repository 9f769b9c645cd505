// Guesses of values, counts and costs before anything has run. In every spread low ≤ expected ≤
// high, and the run is meant to stay within low and high as long as answers keep to maxTokens.

import type { Estimated, EstimateEnv, Guess, Spread, Units } from './node-type.ts'
import { toText } from './values.ts'

export const exactly = (count: number): Spread => ({ low: count, expected: count, high: count })

export const known = (value: unknown): Guess => ({ known: true, value })

const generatedTokens = 500
export const unknownItems = 10
/** The upper bounds that highCost assumes for a text or list without a limit. */
const highTokens = 4096
const highItems = 10_000

export type Unknown = Extract<Guess, { known: false }>

/** A bound that is given moves those that are not. */
export function unknownValue({ low, expected, high }: Partial<Spread> = {}): Unknown {
  const most = high ?? Math.max(highTokens, expected ?? 0, low ?? 0)
  const likely = Math.min(expected ?? Math.max(generatedTokens, low ?? 0), most)
  return {
    known: false,
    tokens: { low: Math.min(low ?? 0, likely), expected: likely, high: most },
    items: { low: 0, expected: unknownItems, high: highItems },
  }
}

/**
 * The bytes of a token in text that a model writes: English has about 4.5. It bounds the size of a
 * text of which only the number of tokens is known, because calls reserve a token for each byte.
 */
export const bytesPerToken = 6

/** The size of a text that is known, in the terms of one that is not. */
export async function countedText(text: string, env: Counting): Promise<Spread> {
  const tokens = await env.countTokens(text)
  const high = Math.max(tokens, Math.ceil(Buffer.byteLength(text) / bytesPerToken))
  return { low: tokens, expected: tokens, high }
}

type Counting = Pick<EstimateEnv, 'countTokens'>

/** A value as what is known of its size. */
export async function sizeOf(guess: Guess, env: Counting): Promise<Unknown> {
  if (!guess.known) return guess
  const { value } = guess
  return {
    known: false,
    tokens: await countedText(toText(value), env),
    items: exactly(Array.isArray(value) ? value.length : 0),
  }
}

const atLeastNone = (spread: Spread): Spread => ({ ...spread, low: 0 })

/** A value that may be missing, or of which only a part is used. */
export const atMost = ({ tokens, items }: Unknown): Unknown => ({
  known: false,
  tokens: atLeastNone(tokens),
  items: atLeastNone(items),
})

/** One of several values, of which nobody knows which. */
export const anyOf = (guesses: readonly Unknown[]): Unknown => ({
  known: false,
  tokens: hull(guesses.map(({ tokens }) => tokens)),
  items: hull(guesses.map(({ items }) => items)),
})

const hull = (spreads: readonly Spread[]): Spread => ({
  low: Math.min(...spreads.map(({ low }) => low)),
  expected: Math.max(...spreads.map(({ expected }) => expected)),
  high: Math.max(...spreads.map(({ high }) => high)),
})

/** Around each member of a list or object that becomes text: quotes, escapes, a comma, its key. */
const tokensPerMember: Spread = { low: 0, expected: 2, high: 40 }

/** A list of values as one. */
export const listOf = (tokens: Spread, count: Spread): Unknown => ({
  known: false,
  tokens: timesSpread(addSpread(escaped(tokens), tokensPerMember), count),
  items: count,
})

/** A list of these very values, as one. */
export async function listOfAll(guesses: readonly Guess[], env: Counting): Promise<Guess> {
  if (guesses.every((guess) => guess.known)) return known(guesses.map(({ value }) => value))
  const sizes = await Promise.all(guesses.map((guess) => sizeOf(guess, env)))
  const each = sizes.map(({ tokens }) => listOf(tokens, exactly(1)).tokens)
  return {
    known: false,
    tokens: each.reduce(addSpread, exactly(0)),
    items: exactly(guesses.length),
  }
}

/** Quotes, line breaks and other characters take up to two as JSON. */
const escaped = (tokens: Spread): Spread => ({ ...tokens, high: tokens.high * 2 })

/** A node that calls nothing and costs nothing. */
export const local = (outputs: Estimated['outputs'], assumptions: string[] = []): Estimated => ({
  model: null,
  calls: 0,
  units: {},
  cost: exactly(0),
  exact: true,
  assumptions,
  outputs,
})

/** Marks an estimate as inexact: a run would fail here, or the value could not be computed. */
export const doubtful = (estimated: Estimated, ...sentences: string[]): Estimated => ({
  ...estimated,
  exact: false,
  assumptions: [...estimated.assumptions, ...sentences],
})

export const addSpread = (a: Spread, b: Spread): Spread => ({
  low: a.low + b.low,
  expected: a.expected + b.expected,
  high: a.high + b.high,
})

export const timesSpread = (a: Spread, count: Spread): Spread => ({
  low: a.low * count.low,
  expected: a.expected * count.expected,
  high: a.high * count.high,
})

export function addUnits(a: Units, b: Units, times = 1): Units {
  const sum: Record<string, number> = { ...a }
  for (const [name, count] of Object.entries(b)) sum[name] = (sum[name] ?? 0) + count * times
  return sum
}
