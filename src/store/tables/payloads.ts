// Long JSON texts of runs are in the blob store, and the row holds a reference instead. References
// are counted like those of media: the bytes are deleted with the last one.
import type { Reader } from '../db.ts'

const mark = '@'
const maxBytesInRow = 64 * 1024

/** No JSON text begins like a reference. */
export const isReference = (held: string): boolean => held.startsWith(mark)

export const referenceTo = (id: string): string => `${mark}${id}`

/** The value of a text that is not a reference. */
export const inlineValue = (held: string): unknown => JSON.parse(held)

/** Whether a text is too long for a row. */
export const isLong = (text: string, maxBytes: number = maxBytesInRow): boolean =>
  text.length * 3 > maxBytes && Buffer.byteLength(text) > maxBytes

/** The blob that a reference points to. */
export async function findPayload(db: Reader, accountId: string, held: string) {
  const [row] = await db.query<{ blob: string }>(
    `select blob from payloads where id = $1 and account_id = $2`,
    [held.slice(mark.length), accountId],
  )
  return row?.blob
}
