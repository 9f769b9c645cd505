// Long JSON texts of runs are in the blob store, and the row holds a reference instead.

const mark = '@'
const maxBytesInRow = 64 * 1024

/** No JSON text begins like a reference. */
export const isReference = (held: string): boolean => held.startsWith(mark)

export const referenceTo = (id: string): string => `${mark}${id}`

/** The id of the payload that a reference points to. */
export const referredTo = (held: string): string => held.slice(mark.length)

/** The value of a text that is not a reference. */
export const inlineValue = (held: string): unknown => JSON.parse(held)

/** Whether a text is too long for a row. */
export const isLong = (text: string, maxBytes: number = maxBytesInRow): boolean =>
  text.length * 3 > maxBytes && Buffer.byteLength(text) > maxBytes

/** The payload has expired, and so has the record it belonged to; or its bytes were lost. */
export class PayloadGone extends Error {
  override name = 'PayloadGone'
}

/** For readers that can do without it. */
export function nullIfGone(error: unknown): null {
  if (error instanceof PayloadGone) return null
  throw error
}
