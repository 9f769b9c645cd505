import type { Reader } from '#store/db.ts'
import { spendUse } from './spend-use.ts'

/** What counts against a limit: spent and in flight. */
export async function committedMicros(
  db: Reader,
  accountId: string,
  of: { keyId: string | null; fromDay: string },
): Promise<number> {
  const { spentMicros, heldMicros } = await spendUse(db, accountId, of)
  return spentMicros + heldMicros
}
