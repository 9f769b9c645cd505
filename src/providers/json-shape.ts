// Looking into JSON from outside, one step at a time, without trusting its shape.

export type Json = Record<string, unknown>

export const isRecord = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** `undefined` for what is not JSON; a parser's error would quote the answer. */
export function parseJson(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString('utf8'))
  } catch {
    return undefined
  }
}

export const textOf = (value: unknown): string | undefined =>
  typeof value === 'string' && value !== '' ? value : undefined

/** Token counts and the like: a finite number of at least 0, or 0. */
export const countOf = (value: unknown): number =>
  typeof value === 'number' && Number.isFinite(value) && value > 0 ? value : 0

export const recordsOf = (value: unknown): Json[] =>
  Array.isArray(value) ? value.filter(isRecord) : []

/** An id that stands in a path we build: nothing in it may lead out of that path. */
export const isPathId = (value: unknown): value is string =>
  typeof value === 'string' && /^\w[\w.-]{0,255}$/.test(value)
