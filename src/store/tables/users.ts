import type { Role } from '#core/roles.ts'
import type { Reader, Tx } from '../db.ts'
import { orNull, type Row, table, text, time, uuid } from '../table.ts'
import { type AccountStanding, type StandingRow, standingColumns, toStanding } from './accounts.ts'

export type OidcIdentity = { issuer: string; subject: string }

export type User = {
  id: string
  accountId: string
  role: Role
  email: string | null
  /** What the OpenID provider calls them. Null for those who sign in with a password only. */
  name: string | null
  disabledAtMs: number | null
  removedAtMs: number | null
  passwordHash: string | null
  oidc: OidcIdentity | null
}

const whole = table({
  id: uuid,
  account_id: uuid,
  role: text<Role>(),
  email: orNull(text()),
  name: orNull(text()),
  disabled_at: orNull(time),
  removed_at: orNull(time),
  password_hash: orNull(text()),
  oidc_issuer: orNull(text()),
  oidc_subject: orNull(text()),
}).all
const { columns } = whole

/** What a person signs in with. An e-mail address alone is only displayed. */
export type SignInMeans = {
  email: string | null
  name?: string
  passwordHash: string | null
  oidc: OidcIdentity | null
}

export async function insertUser(
  tx: Tx,
  user: SignInMeans & { id: string; accountId: string; role: Role; nowMs: number },
): Promise<void> {
  await tx.write(
    `insert into users
       (id, account_id, role, email, name, password_hash, oidc_issuer, oidc_subject, created_at)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9)`,
    [
      user.id,
      user.accountId,
      user.role,
      user.email,
      user.name ?? null,
      user.passwordHash,
      user.oidc?.issuer ?? null,
      user.oidc?.subject ?? null,
      user.nowMs,
    ],
  )
}

/**
 * Gives a user who cannot sign in yet the means to do so; null if another caller was first, or the
 * user was removed.
 */
export async function completeUser(
  tx: Tx,
  userId: string,
  means: SignInMeans,
): Promise<User | null> {
  const rows = await whole.write(
    tx,
    `update users set email = $2, password_hash = $3, oidc_issuer = $4, oidc_subject = $5, name = $6
     where id = $1 and password_hash is null and oidc_subject is null
       and removed_at is null and disabled_at is null returning ${columns}`,
    [
      userId,
      means.email,
      means.passwordHash,
      means.oidc?.issuer ?? null,
      means.oidc?.subject ?? null,
      means.name ?? null,
    ],
  )
  return rows[0] ? toUser(rows[0]) : null
}

export async function readUser(db: Reader, userId: string): Promise<User | null> {
  const rows = await whole.query(db, `select ${columns} from users where id = $1`, [userId])
  return rows[0] ? toUser(rows[0]) : null
}

export async function findUserByEmail(db: Reader, email: string): Promise<User | null> {
  const rows = await whole.query(db, `select ${columns} from users where email = $1`, [email])
  return rows[0] ? toUser(rows[0]) : null
}

export async function findUserByOidc(db: Reader, oidc: OidcIdentity): Promise<User | null> {
  const rows = await whole.query(
    db,
    `select ${columns} from users where oidc_issuer = $1 and oidc_subject = $2`,
    [oidc.issuer, oidc.subject],
  )
  return rows[0] ? toUser(rows[0]) : null
}

export async function updateProfile(
  tx: Tx,
  userId: string,
  { email, name }: { email: string | null; name: string | null },
): Promise<void> {
  await tx.write('update users set email = $2, name = $3 where id = $1 and removed_at is null', [
    userId,
    email,
    name,
  ])
}

/** Replaces the password that was checked; false if it has changed since. */
export async function replacePassword(
  tx: Tx,
  userId: string,
  hashes: { from: string; to: string },
): Promise<boolean> {
  const rows = await tx.write(
    'update users set password_hash = $3 where id = $1 and password_hash = $2 returning id',
    [userId, hashes.from, hashes.to],
  )
  return rows.length === 1
}

/** Sets the password whatever it was before; null if the user was removed or is disabled. */
export async function setPassword(
  tx: Tx,
  userId: string,
  passwordHash: string,
): Promise<User | null> {
  const rows = await whole.write(
    tx,
    `update users set password_hash = $2
     where id = $1 and removed_at is null and disabled_at is null returning ${columns}`,
    [userId, passwordHash],
  )
  return rows[0] ? toUser(rows[0]) : null
}

const toUser = (row: Row<typeof whole>): User => ({
  id: row.id,
  accountId: row.account_id,
  role: row.role,
  email: row.email,
  name: row.name,
  disabledAtMs: row.disabled_at,
  removedAtMs: row.removed_at,
  passwordHash: row.password_hash,
  oidc:
    row.oidc_issuer !== null && row.oidc_subject !== null
      ? { issuer: row.oidc_issuer, subject: row.oidc_subject }
      : null,
})

/** Somebody of the account who can sign in; null if there is no such person any more. */
export async function readPerson(
  db: Reader,
  accountId: string,
  userId: string,
): Promise<{ userId: string; email: string | null; role: Role } | null> {
  const [row] = await db.query<{ email: string | null; role: Role }>(
    `select email, role from users
     where id = $1 and account_id = $2 and removed_at is null and disabled_at is null`,
    [userId, accountId],
  )
  return row ? { userId, email: row.email, role: row.role } : null
}

/**
 * The standing of the account, and the user's role in it; null if they are not in it. Access tokens
 * made until `tokensAfterMs` are refused.
 */
export type UserStanding = { account: AccountStanding; role: Role; tokensAfterMs: number }

export async function readUserStanding(
  db: Reader,
  userId: string,
  accountId: string,
): Promise<UserStanding | null> {
  const [row] = await db.query<StandingRow & { role: Role; tokens_after: number }>(
    `select u.account_id, u.role, u.tokens_after, coalesce(a.disabled_at, u.disabled_at) as disabled_at,
       ${standingColumns}
     from users u join accounts a on a.id = u.account_id
     where u.id = $1 and u.account_id = $2 and u.removed_at is null`,
    [userId, accountId],
  )
  if (!row) return null
  return { account: toStanding(row), role: row.role, tokensAfterMs: Number(row.tokens_after) }
}
