// Reads values from an address one by one. Values that cannot be read are dropped, so that a
// mistyped address still opens.
import { startOfDay } from './days.ts'

export const textIn = (value: unknown, most: number): string | undefined =>
  typeof value === 'string' && value !== '' && value.length <= most ? value : undefined

export const dayIn = (value: unknown): string | undefined =>
  typeof value === 'string' && /^\d{4}-\d{2}-\d{2}$/.test(value) ? value : undefined

export const oneOf = <T extends string>(all: readonly T[], value: unknown): T | undefined =>
  all.find((one) => one === value)

export const definedIn = <Read extends object>(read: Read): { [K in keyof Read]?: Read[K] & {} } =>
  Object.fromEntries(Object.entries(read).filter(([, value]) => value !== undefined)) as never

type Days = { from?: string; to?: string }

/** Days as the instants that a query takes; the last day is included. */
export const instantsOf = ({ from, to }: Days): Days => ({
  ...(from ? { from: startOfDay(from, 0) } : {}),
  ...(to ? { to: startOfDay(to, 1) } : {}),
})
