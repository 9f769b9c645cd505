// Reads JSON from outside one step at a time, without trusting its shape.
import { isDeeperThan, maxDepth } from '#core/depth.ts'
import { isRecord } from '#core/record.ts'

export type Json = Record<string, unknown>

/** `undefined` if it is not JSON or nested too deep; a parser's error would quote the answer. */
export function parseJson(body: Buffer | string): unknown {
  try {
    const value: unknown = JSON.parse(body.toString())
    return isDeeperThan(value, maxDepth) ? undefined : value
  } catch {
    return undefined
  }
}

export const textOf = (value: unknown): string | undefined =>
  typeof value === 'string' && value !== '' ? value : undefined

/** For token counts and the like: anything but a positive finite number counts as 0. */
export const countOf = (value: unknown): number =>
  typeof value === 'number' && Number.isFinite(value) && value > 0 ? value : 0

export const recordsOf = (value: unknown): Json[] =>
  Array.isArray(value) ? value.filter(isRecord) : []

/** An id that we insert into a path: nothing in it may lead out of that path. */
export const isPathId = (value: unknown): value is string =>
  typeof value === 'string' && /^\w[\w.-]{0,255}$/.test(value)
