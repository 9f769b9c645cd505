// References to payloads are counted like those of media: the bytes are deleted with the last one.
import { referredTo } from '#core/payload-text.ts'
import type { Reader } from '../db.ts'

/** The blob that a reference points to. */
export async function findPayload(db: Reader, accountId: string, held: string) {
  const [row] = await db.query<{ blob: string }>(
    `select blob from payloads where id = $1 and account_id = $2`,
    [referredTo(held), accountId],
  )
  return row?.blob
}
