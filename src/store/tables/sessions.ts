import type { Role } from '#core/roles.ts'
import type { Reader, Writer } from '../db.ts'
import { table, text, time, uuid } from '../table.ts'

/** A session joined with whom it speaks for. */
export type StoredSession = {
  tokenHash: string
  userId: string
  accountId: string
  role: Role
  email: string | null
  createdAtMs: number
  lastSeenAtMs: number
  accountDisabled: boolean
}

const whole = table({
  token_hash: text(),
  user_id: uuid,
  created_at: time,
  last_seen_at: time,
}).all
const withUser = whole.beside<{
  account_id: string
  role: Role
  email: string | null
  disabled_at: number | null
}>()

export async function insertSession(
  db: Writer,
  session: { tokenHash: string; userId: string; nowMs: number },
): Promise<void> {
  await db.write(
    'insert into sessions (token_hash, user_id, created_at, last_seen_at) values ($1, $2, $3, $3)',
    [session.tokenHash, session.userId, session.nowMs],
  )
}

/** Read anew for each request, so that a changed role or a removed person counts at once. */
export async function readSession(db: Reader, tokenHash: string): Promise<StoredSession | null> {
  const [row] = await withUser.query(
    db,
    `select ${withUser.of('s')}, u.account_id, u.role, u.email, a.disabled_at
     from sessions s join users u on u.id = s.user_id join accounts a on a.id = u.account_id
     where s.token_hash = $1 and u.removed_at is null and u.disabled_at is null`,
    [tokenHash],
  )
  if (!row) return null
  return {
    tokenHash: row.token_hash,
    userId: row.user_id,
    accountId: row.account_id,
    role: row.role,
    email: row.email,
    createdAtMs: row.created_at,
    lastSeenAtMs: row.last_seen_at,
    accountDisabled: row.disabled_at !== null,
  }
}

export async function touchSession(db: Writer, tokenHash: string, nowMs: number): Promise<void> {
  await db.write(
    'update sessions set last_seen_at = $2 where token_hash = $1 and last_seen_at < $2',
    [tokenHash, nowMs],
  )
}

export async function deleteSession(db: Writer, tokenHash: string): Promise<void> {
  await db.write('delete from sessions where token_hash = $1', [tokenHash])
}

export async function deleteOtherSessions(
  db: Writer,
  userId: string,
  keepTokenHash: string,
): Promise<void> {
  await db.write('delete from sessions where user_id = $1 and token_hash <> $2', [
    userId,
    keepTokenHash,
  ])
}

/** Sessions unseen since then are dead whatever their age. */
export async function deleteSessionsUnseenSince(db: Writer, sinceMs: number): Promise<void> {
  await db.write('delete from sessions where last_seen_at < $1', [sinceMs])
}
