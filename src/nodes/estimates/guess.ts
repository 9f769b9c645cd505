// Guesses of values, counts and costs before anything has run.
import type { Estimated, Guess, Spread, Units } from '../node-type.ts'

export const exactly = (count: number): Spread => ({ low: count, expected: count, high: count })

export const known = (value: unknown): Guess => ({ known: true, value })

const generatedTokens = 500
export const unknownItems = 10
/** The upper bounds that highCost assumes for a text or list without a limit. */
const highTokens = 4096
const highItems = 200

export const unknownValue = (tokens: Partial<Spread> = {}): Guess => ({
  known: false,
  tokens: { low: 1, expected: generatedTokens, high: highTokens, ...tokens },
  items: { low: 0, expected: unknownItems, high: highItems },
})

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
