// Chats of callers without a spend limit: that one may be under way is known before its call is
// made, and its ledger row is written once, settled. Promises that each of both survives a kill
// of the process, and that no chat is in the ledger twice. Never shows one that is under way to a
// limit: those of a caller with a limit have a PENDING row instead.
import { type Db, UniqueViolation } from '../db.ts'
import { type Attempt, addSettled, knownAttempts, type SettledChat } from '../tables/ledger.ts'
import type { Settlement } from '../tables/settlement.ts'

/** Where there is nothing to wait for, there is no promise either. */
export type ChatLog = {
  /** The call may be made once this is done. Throws StoreUnavailable, or rejects with it. */
  begin(intent: Attempt): Promise<void> | undefined
  isUnderWay(attempt: string): boolean
  /** The caller may be answered once this is done. Of one that is under way. */
  settle(settlement: Settlement): Promise<void> | undefined
  /** Once this is done the ledger has what was settled of an account. */
  flush(accountId: string): Promise<void> | undefined
  close(): Promise<void>
}

/** Adds to the ledger what it does not have yet. */
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
