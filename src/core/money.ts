/** Money is stored as integer millionths of the major unit and sent as a JSON number. */
export type Micros = number

export const currency = 'USD'

export const toAmount = (micros: Micros): number => micros / 1_000_000

export const toMicros = (amount: number): Micros => Math.round(amount * 1_000_000)

export type Money = { amount: number; currency: string }

export const money = (micros: Micros): Money => ({ amount: toAmount(micros), currency })
