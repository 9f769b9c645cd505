import type { Reader, Tx, Writer } from '../db.ts'

/** Also deletes links that have expired. */
export async function insertSetupLink(
  tx: Tx,
  link: { tokenHash: string; userId: string; expiresAtMs: number; nowMs: number },
): Promise<void> {
  await tx.write('delete from setup_links where expires_at <= $1', [link.nowMs])
  await tx.write('insert into setup_links (token_hash, user_id, expires_at) values ($1, $2, $3)', [
    link.tokenHash,
    link.userId,
    link.expiresAtMs,
  ])
}

/** The user that a link sets up, if it can still be used. */
export async function findSetupLink(
  db: Reader,
  tokenHash: string,
  nowMs: number,
): Promise<string | null> {
  const rows = await db.query<{ user_id: string }>(
    'select user_id from setup_links where token_hash = $1 and used_at is null and expires_at > $2',
    [tokenHash, nowMs],
  )
  return rows[0]?.user_id ?? null
}

/** Returns its user to the one caller that used it. */
export async function useSetupLink(
  tx: Writer,
  tokenHash: string,
  nowMs: number,
): Promise<string | null> {
  const [row] = await tx.write<{ user_id: string }>(
    `update setup_links set used_at = $2
     where token_hash = $1 and used_at is null and expires_at > $2 returning user_id`,
    [tokenHash, nowMs],
  )
  return row?.user_id ?? null
}
