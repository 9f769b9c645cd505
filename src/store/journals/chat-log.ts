// Chats of callers without a spend limit: the intent is stored before the call is made, and the
// ledger row is written once, already settled. Promises that both survive a kill of the process,
// and that no chat is in the ledger twice. Spend limits do not see chats under way here: callers
// with a limit get a PENDING ledger row instead.
import { type Db, UniqueViolation } from '../db.ts'
import { type Attempt, addSettled, knownAttempts, type SettledChat } from '../tables/ledger.ts'
import type { Settlement } from '../tables/settlement.ts'

/** Methods return undefined instead of a promise where there is nothing to wait for. */
export type ChatLog = {
  /** The call may be made once this is done. Throws StoreUnavailable, or rejects with it. */
  begin(intent: Attempt): Promise<void> | undefined
  isUnderWay(attempt: string): boolean
  /** Ends a chat that is under way. The caller may be answered once this is done. */
  settle(settlement: Settlement): Promise<void> | undefined
  /** Once this is done, the ledger has every chat of the account that was settled before. */
  flush(accountId: string): Promise<void> | undefined
  /** Rejects if no chat could begin now. Absent if that depends on the database alone. */
  tryWrite?(): Promise<void>
  close(): Promise<void>
}

/** Adds those chats that the ledger does not have yet. */
export async function addOnce(db: Db, chats: readonly SettledChat[]): Promise<void> {
  try {
    await db.writeAll(() => addSettled(chats))
  } catch (error) {
    if (!(error instanceof UniqueViolation)) throw error
    const known = await knownAttempts(
      db,
      chats.map(({ intent }) => intent.attempt),
    )
    const missing = chats.filter(({ intent }) => !known.has(intent.attempt))
    await db.writeAll(() => addSettled(missing))
  }
}
