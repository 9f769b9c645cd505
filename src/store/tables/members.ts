// The people of an account. Every change to one of them locks the account first, so that two
// owners who step down at the same time cannot leave it without one.
import type { Role } from '#core/roles.ts'
import type { Reader, Tx } from '../db.ts'
import { orNull, type Row, table, text, time, uuid } from '../table.ts'
import { endAccess, endLinksMadeBy, revokeKeysMadeBy } from './ended-access.ts'
import { deleteSecondFactor } from './second-factors.ts'

export type Member = {
  userId: string
  email: string | null
  /** What the OpenID provider calls them. */
  name: string | null
  role: Role
  createdAtMs: number
  lastSeenAtMs: number | null
  disabledAtMs: number | null
  /** False for somebody who signs in only with OpenID, or cannot sign in yet. */
  hasPassword: boolean
  hasTwoStep: boolean
  liveKeys: number
}

const columns = table({
  id: uuid,
  email: orNull(text()),
  name: orNull(text()),
  role: text<Role>(),
  created_at: time,
  last_seen_at: orNull(time),
  disabled_at: orNull(time),
}).all.beside<{ has_password: number; has_two_step: number; live_keys: number }>()

const selected = `select ${columns.of('u')},
    case when u.password_hash is null then 0 else 1 end as has_password,
    (select count(*) from second_factors f
     where f.user_id = u.id and f.confirmed_at is not null) as has_two_step,
    (select count(*) from api_keys k
     where k.user_id = u.id and k.revoked_at is null
       and (k.expires_at is null or k.expires_at > $2)) as live_keys
  from users u`

type At = { accountId: string; nowMs: number }

/** In the order in which they joined. */
export async function listMembers(db: Reader, { accountId, nowMs }: At): Promise<Member[]> {
  const rows = await columns.query(
    db,
    `${selected} where u.account_id = $1 and u.removed_at is null order by u.created_at, u.id`,
    [accountId, nowMs],
  )
  return rows.map(toMember)
}

export async function readMember(
  db: Reader,
  { accountId, nowMs, userId }: At & { userId: string },
): Promise<Member | null> {
  const [row] = await columns.query(
    db,
    `${selected} where u.account_id = $1 and u.id = $3 and u.removed_at is null`,
    [accountId, nowMs, userId],
  )
  return row ? toMember(row) : null
}

/** Owners besides this person who can sign in. Call it after `lockAccount`. */
export async function countOtherOwners(
  tx: Tx,
  { accountId, userId }: { accountId: string; userId: string },
): Promise<number> {
  const [row] = await tx.query<{ owners: number }>(
    `select count(*) as owners from users
     where account_id = $1 and id <> $2 and role = 'owner' and removed_at is null
       and disabled_at is null and (password_hash is not null or oidc_subject is not null)`,
    [accountId, userId],
  )
  return Number(row?.owners ?? 0)
}

/** The preferred owner, otherwise the one who joined first. */
export async function findFirstOwner(
  db: Reader,
  { accountId, preferredId }: { accountId: string; preferredId: string },
): Promise<string | null> {
  const [row] = await db.query<{ id: string }>(
    `select id from users
     where account_id = $1 and role = 'owner' and removed_at is null and disabled_at is null
     order by case when id = $2 then 0 else 1 end, created_at, id limit 1`,
    [accountId, preferredId],
  )
  return row?.id ?? null
}

export async function updateMember(
  tx: Tx,
  { accountId, userId }: { accountId: string; userId: string },
  { role, disabledAtMs }: { role: Role; disabledAtMs: number | null },
): Promise<void> {
  await tx.write('update users set role = $3, disabled_at = $4 where id = $2 and account_id = $1', [
    accountId,
    userId,
    role,
    disabledAtMs,
  ])
  if (disabledAtMs !== null) await endAccess(tx, { userId, nowMs: disabledAtMs })
  if (disabledAtMs !== null || role !== 'owner') await endLinksMadeBy(tx, { accountId, userId })
}

/** Ends everything that would let the person back in, or anybody in for them. */
export async function removeMember(
  tx: Tx,
  { accountId, userId, nowMs }: { accountId: string; userId: string; nowMs: number },
): Promise<void> {
  await tx.write(
    `update users set removed_at = $3, former_email = email, email = null, password_hash = null,
       oidc_issuer = null, oidc_subject = null
     where id = $2 and account_id = $1`,
    [accountId, userId, nowMs],
  )
  await endAccess(tx, { userId, nowMs })
  await revokeKeysMadeBy(tx, { accountId, userId, nowMs })
  await endLinksMadeBy(tx, { accountId, userId })
  await deleteSecondFactor(tx, userId)
  await tx.write('delete from setup_links where user_id = $1', [userId])
}

const toMember = (row: Row<typeof columns>): Member => ({
  userId: row.id,
  email: row.email,
  name: row.name,
  role: row.role,
  createdAtMs: row.created_at,
  lastSeenAtMs: row.last_seen_at,
  disabledAtMs: row.disabled_at,
  hasPassword: Number(row.has_password) === 1,
  hasTwoStep: Number(row.has_two_step) === 1,
  liveKeys: Number(row.live_keys),
})
