import type { Reader, Tx, Writer } from '../db.ts'

export type RecoveryLink = {
  tokenHash: string
  userId: string
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
    `insert into recovery_links (token_hash, user_id, resets_two_step, expires_at)
     values ($1, $2, $3, $4)`,
    [link.tokenHash, link.userId, link.resetsTwoStep ? 1 : 0, link.expiresAtMs],
  )
}

export async function isRecoveryLink(
  db: Reader,
  tokenHash: string,
  nowMs: number,
): Promise<boolean> {
  const rows = await db.query(
    'select user_id from recovery_links where token_hash = $1 and expires_at > $2',
    [tokenHash, nowMs],
  )
  return rows.length === 1
}

/** Null for everyone but the one caller that used it. */
export async function useRecoveryLink(
  tx: Tx,
  tokenHash: string,
  nowMs: number,
): Promise<{ userId: string; resetsTwoStep: boolean } | null> {
  const [row] = await tx.write<{ user_id: string; resets_two_step: number }>(
    `delete from recovery_links where token_hash = $1 and expires_at > $2
     returning user_id, resets_two_step`,
    [tokenHash, nowMs],
  )
  return row ? { userId: row.user_id, resetsTwoStep: Number(row.resets_two_step) === 1 } : null
}
