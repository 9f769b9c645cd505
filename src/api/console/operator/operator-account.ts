import { ownerFact } from '#auth/owner.ts'
import type { Reader } from '#store/db.ts'
import { readFact } from '#store/tables/server-facts.ts'
import { readUser } from '#store/tables/users.ts'

/**
 * Whether this is the account that the server was set up with. What counts is the account, not the
 * person who set up the server, because that person may have left.
 */
export async function isOperatedBy(db: Reader, accountId: string): Promise<boolean> {
  const firstId = await readFact(db, ownerFact)
  const first = firstId === null ? null : await readUser(db, firstId)
  return first?.accountId === accountId
}
