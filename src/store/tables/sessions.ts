import type { Role } from '#core/roles.ts'
import type { Reader, Tx, Writer } from '../db.ts'
import { integer, orNull, table, text, time, uuid } from '../table.ts'

/** A session, together with the user it belongs to. */
export type StoredSession = {
  tokenHash: string
  userId: string
  accountId: string
  role: Role
  email: string | null
  createdAtMs: number
  lastSeenAtMs: number
  accountDisabled: boolean
  /** Tries that failed between the sign-in before this one and this one. */
  failedBefore: FailedSignIns | null
}

export type FailedSignIns = { count: number; lastAtMs: number; lastFrom: string | null }

const whole = table({
  token_hash: text(),
  user_id: uuid,
  created_at: time,
  last_seen_at: time,
  failed_before: integer,
  failed_before_at: orNull(time),
  failed_before_from: orNull(text()),
}).all
const withUser = whole.beside<{
  account_id: string
  role: Role
  email: string | null
  disabled_at: number | null
}>()

/** Where a session was started, for its user to recognise it. */
export type Device = { ipAddress: string | null; userAgent: string | null }

/** The person, and the hash that their password was checked against, if it was. */
export type Entrant = { userId: string; passwordHash?: string }

/**
 * False if the person was removed or disabled, or has changed the password, since it was checked.
 * Their row is locked first: a change of it under way is either seen here, or ends the session.
 */
export async function insertSession(
  db: Writer,
  session: Device & Entrant & { tokenHash: string; nowMs: number },
): Promise<boolean> {
  const { tokenHash, userId, passwordHash, nowMs, ipAddress, userAgent } = session
  const admitted = await db.write(
    `update users set last_seen_at = $2
     where id = $1 and removed_at is null and disabled_at is null
       ${passwordHash === undefined ? '' : 'and password_hash = $3'} returning id`,
    passwordHash === undefined ? [userId, nowMs] : [userId, nowMs, passwordHash],
  )
  if (admitted.length === 0) return false
  await db.write(
    `insert into sessions
       (token_hash, user_id, created_at, last_seen_at, ip_address, user_agent,
        failed_before, failed_before_at, failed_before_from)
     select $1, id, $3, $3, $4, $5, failed_sign_ins, failed_sign_in_at, failed_sign_in_from
     from users where id = $2`,
    [tokenHash, userId, nowMs, ipAddress, userAgent],
  )
  await db.write('update users set failed_sign_ins = 0 where id = $1 and failed_sign_ins > 0', [
    userId,
  ])
  return true
}

/**
 * Keeps the session from ending before this transaction does; false if it has ended. What its
 * person makes with it is then either seen by the change that ends their access, or never made.
 */
export async function holdSession(
  tx: Tx,
  { tokenHash, userId }: { tokenHash: string; userId: string },
): Promise<boolean> {
  // In the order in which that change takes them, so that neither waits for the other.
  await tx.write('update users set last_seen_at = last_seen_at where id = $1', [userId])
  const rows = await tx.write(
    'update sessions set last_seen_at = last_seen_at where token_hash = $1 returning user_id',
    [tokenHash],
  )
  return rows.length === 1
}

const seeUser = (db: Writer, userId: string, nowMs: number) =>
  db.write('update users set last_seen_at = $2 where id = $1', [userId, nowMs])

/** Read for each request, so that changing a role or removing a person takes effect at once. */
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
    failedBefore:
      row.failed_before === 0
        ? null
        : {
            count: row.failed_before,
            lastAtMs: row.failed_before_at ?? row.created_at,
            lastFrom: row.failed_before_from,
          },
  }
}

export async function touchSession(
  db: Writer,
  { tokenHash, userId }: { tokenHash: string; userId: string },
  nowMs: number,
): Promise<void> {
  await db.write(
    'update sessions set last_seen_at = $2 where token_hash = $1 and last_seen_at < $2',
    [tokenHash, nowMs],
  )
  await seeUser(db, userId, nowMs)
}

/** What a person sees of a session. Its id, the beginning of a hash, does not reveal the token. */
export type ListedSession = Device & { id: string; createdAtMs: number; lastSeenAtMs: number }

const idLength = 16
export const sessionId = (tokenHash: string): string => tokenHash.slice(0, idLength)

const listed = table({
  token_hash: text(),
  created_at: time,
  last_seen_at: time,
  ip_address: orNull(text()),
  user_agent: orNull(text()),
}).all

/** Most recently used first. */
export async function listSessions(
  db: Reader,
  userId: string,
  alive: { seenAfterMs: number; createdAfterMs: number },
): Promise<ListedSession[]> {
  const rows = await listed.query(
    db,
    `select ${listed.columns} from sessions
     where user_id = $1 and last_seen_at > $2 and created_at > $3
     order by last_seen_at desc, token_hash`,
    [userId, alive.seenAfterMs, alive.createdAfterMs],
  )
  return rows.map((row) => ({
    id: sessionId(row.token_hash),
    createdAtMs: row.created_at,
    lastSeenAtMs: row.last_seen_at,
    ipAddress: row.ip_address,
    userAgent: row.user_agent,
  }))
}

/** False if the user has no such session. */
export async function deleteSessionById(db: Writer, userId: string, id: string): Promise<boolean> {
  const rows = await db.write(
    `delete from sessions where user_id = $1 and substr(token_hash, 1, ${idLength}) = $2
     returning user_id`,
    [userId, id],
  )
  return rows.length > 0
}

export async function deleteSession(db: Writer, tokenHash: string): Promise<void> {
  await db.write('delete from sessions where token_hash = $1', [tokenHash])
}

export async function deleteOtherSessions(
  db: Writer,
  userId: string,
  keepTokenHash: string,
): Promise<void> {
  await db.write('delete from sessions where user_id = $1 and token_hash <> $2 returning user_id', [
    userId,
    keepTokenHash,
  ])
}

/** Sessions not seen since then have expired, whatever their age. */
export async function deleteSessionsUnseenSince(db: Writer, sinceMs: number): Promise<void> {
  await db.write('delete from sessions where last_seen_at < $1', [sinceMs])
}
