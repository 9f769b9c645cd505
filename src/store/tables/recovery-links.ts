import type { Reader, Tx, Writer } from '../db.ts'

export type RecoveryLink = {
  tokenHash: string
  userId: string
  /** The owner who made it; null if it was made on the server's machine. */
  madeBy: string | null
  /** Using it also turns two-step sign-in off. */
  resetsTwoStep: boolean
  expiresAtMs: number
}

/** A new link for the same person replaces the previous one. */
export async function putRecoveryLink(
  tx: Writer,
  link: RecoveryLink & { nowMs: number },
): Promise<void> {
  await tx.write('delete from recovery_links where user_id = $1 or expires_at <= $2', [
    link.userId,
    link.nowMs,
  ])
  await tx.write(
    `insert into recovery_links (token_hash, user_id, resets_two_step, expires_at, made_by)
     values ($1, $2, $3, $4, $5)`,
    [link.tokenHash, link.userId, link.resetsTwoStep ? 1 : 0, link.expiresAtMs, link.madeBy],
  )
}

/** The person whose password a link sets, if it can still be used. */
export async function findRecoveryLink(
  db: Reader,
  tokenHash: string,
  nowMs: number,
): Promise<string | null> {
  const rows = await db.query<{ user_id: string }>(
    'select user_id from recovery_links where token_hash = $1 and expires_at > $2',
    [tokenHash, nowMs],
  )
  return rows[0]?.user_id ?? null
}

/** Null for everyone but the one caller that used it. */
export async function useRecoveryLink(
  tx: Tx,
  tokenHash: string,
  nowMs: number,
): Promise<Pick<RecoveryLink, 'userId' | 'madeBy' | 'resetsTwoStep'> | null> {
  const [row] = await tx.write<{
    user_id: string
    made_by: string | null
    resets_two_step: number
  }>(
    `delete from recovery_links where token_hash = $1 and expires_at > $2
     returning user_id, made_by, resets_two_step`,
    [tokenHash, nowMs],
  )
  if (!row) return null
  const resetsTwoStep = Number(row.resets_two_step) === 1
  return { userId: row.user_id, madeBy: row.made_by, resetsTwoStep }
}
