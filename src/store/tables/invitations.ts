import type { Role } from '#core/roles.ts'
import type { Reader, Tx, Writer } from '../db.ts'
import { type Row, table, text, time, uuid } from '../table.ts'

export type Invitation = {
  id: string
  accountId: string
  email: string
  role: Role
  invitedBy: string
  createdAtMs: number
  expiresAtMs: number
}

const whole = table({
  id: uuid,
  account_id: uuid,
  email: text(),
  role: text<Role>(),
  invited_by: uuid,
  created_at: time,
  expires_at: time,
}).all
const { columns } = whole

/**
 * Replaces an earlier invitation of the same person, and its link. False if the account has
 * `maxOpen` others. Call it after `lockAccount`: two that count at once would both see room.
 */
export async function putInvitation(
  tx: Tx,
  invitation: Invitation & { tokenHash: string },
  { maxOpen }: { maxOpen: number },
): Promise<boolean> {
  const { accountId, createdAtMs, email } = invitation
  await tx.write(
    'delete from invitations where account_id = $1 and (expires_at <= $2 or email = $3)',
    [accountId, createdAtMs, email],
  )
  const [row] = await tx.query<{ open: number }>(
    'select count(*) as open from invitations where account_id = $1',
    [accountId],
  )
  if (Number(row?.open ?? 0) >= maxOpen) return false
  await tx.write(
    `insert into invitations
       (id, account_id, email, role, token_hash, invited_by, created_at, expires_at)
     values ($1, $2, $3, $4, $5, $6, $7, $8)`,
    [
      invitation.id,
      accountId,
      email,
      invitation.role,
      invitation.tokenHash,
      invitation.invitedBy,
      createdAtMs,
      invitation.expiresAtMs,
    ],
  )
  return true
}

/** The open ones, newest first. */
export async function listInvitations(
  db: Reader,
  accountId: string,
  nowMs: number,
): Promise<Invitation[]> {
  const rows = await whole.query(
    db,
    `select ${columns} from invitations where account_id = $1 and expires_at > $2
     order by created_at desc, id desc`,
    [accountId, nowMs],
  )
  return rows.map(toInvitation)
}

/** Returns whom it invited; null if the account has no such invitation. */
export async function deleteInvitation(
  db: Writer,
  accountId: string,
  invitationId: string,
): Promise<{ email: string; role: Role } | null> {
  const [row] = await db.write<{ email: string; role: Role }>(
    'delete from invitations where account_id = $1 and id = $2 returning email, role',
    [accountId, invitationId],
  )
  return row ?? null
}

export async function findInvitation(
  db: Reader,
  tokenHash: string,
  nowMs: number,
): Promise<Invitation | null> {
  const rows = await whole.query(
    db,
    `select ${columns} from invitations where token_hash = $1 and expires_at > $2`,
    [tokenHash, nowMs],
  )
  return rows[0] ? toInvitation(rows[0]) : null
}

/** Returned only to the one caller that used it. */
export async function useInvitation(
  tx: Tx,
  tokenHash: string,
  nowMs: number,
): Promise<Invitation | null> {
  const rows = await whole.write(
    tx,
    `delete from invitations where token_hash = $1 and expires_at > $2 returning ${columns}`,
    [tokenHash, nowMs],
  )
  return rows[0] ? toInvitation(rows[0]) : null
}

const toInvitation = (row: Row<typeof whole>): Invitation => ({
  id: row.id,
  accountId: row.account_id,
  email: row.email,
  role: row.role,
  invitedBy: row.invited_by,
  createdAtMs: row.created_at,
  expiresAtMs: row.expires_at,
})
