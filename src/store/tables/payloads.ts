// Long JSON texts of runs lie in the blob store; the row holds a reference in their place. A
// reference counts like one of media: the bytes go with the last.
import type { Reader } from '../db.ts'

const mark = '@'
const maxBytesInRow = 64 * 1024

/** No JSON text begins like a reference. */
export const isReference = (held: string): boolean => held.startsWith(mark)

export const referenceTo = (id: string): string => `${mark}${id}`

/** What a text that is no reference says. */
export const inlineValue = (held: string): unknown => JSON.parse(held)

/** Whether a text is too long for a row. */
export const isLong = (text: string, maxBytes: number = maxBytesInRow): boolean =>
  text.length * 3 > maxBytes && Buffer.byteLength(text) > maxBytes

/** The blob a reference leads to. */
export async function findPayload(db: Reader, accountId: string, held: string) {
  const [row] = await db.query<{ blob: string }>(
    `select blob from payloads where id = $1 and account_id = $2`,
    [held.slice(mark.length), accountId],
  )
  return row?.blob
}
