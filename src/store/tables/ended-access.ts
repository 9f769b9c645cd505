// What ends together. A person's access ends with their password and while they are disabled; what
// they made for others ends with the right to make it.
import type { Tx } from '../db.ts'
import { endOAuthGrantsOf } from './oauth-grants.ts'

/**
 * Ends the sessions, connected apps, access tokens, recovery links and unfinished two-step set-up
 * of a person. Whoever opened one of them may have known the old password.
 */
export async function endAccess(
  tx: Tx,
  { userId, nowMs, exceptSession = '' }: { userId: string; nowMs: number; exceptSession?: string },
): Promise<void> {
  // First, because this locks the row of the person: a sign-in under way has either begun its
  // session by now, or finds the changed row.
  await tx.write('update users set tokens_after = $2 where id = $1', [userId, nowMs])
  await tx.write('delete from sessions where user_id = $1 and token_hash <> $2', [
    userId,
    exceptSession,
  ])
  await endOAuthGrantsOf(tx, userId)
  await tx.write('delete from recovery_links where user_id = $1', [userId])
  await tx.write('delete from second_factors where user_id = $1 and confirmed_at is null', [userId])
}

/** Ends the invitations and recovery links that a person made. Only owners may make them. */
export async function endLinksMadeBy(
  tx: Tx,
  { accountId, userId }: { accountId: string; userId: string },
): Promise<void> {
  await tx.write('delete from invitations where account_id = $1 and invited_by = $2', [
    accountId,
    userId,
  ])
  await tx.write('delete from recovery_links where made_by = $1', [userId])
}

/** Revokes the keys that a person made, and returns how many. */
export async function revokeKeysMadeBy(
  tx: Tx,
  { accountId, userId, nowMs }: { accountId: string; userId: string; nowMs: number },
): Promise<number> {
  const rows = await tx.write(
    `update api_keys set revoked_at = $3
     where account_id = $1 and user_id = $2 and revoked_at is null returning id`,
    [accountId, userId, nowMs],
  )
  return rows.length
}
