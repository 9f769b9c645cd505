import type { KeyLimits } from '#core/principal.ts'
import { keyScopesOf, type Role } from '#core/roles.ts'
import { isKeyScope, type KeyScope } from '#core/scopes.ts'
import type { Db, Reader, Tx, Writer } from '../db.ts'
import { json, orNull, type Row, table, text, time, uuid } from '../table.ts'
import {
  type AccountStanding,
  lockAccount,
  type StandingRow,
  standingColumns,
  toStanding,
} from './accounts.ts'

export type ApiKey = {
  id: string
  /** Who created it; null if no person did. */
  userId: string | null
  name: string
  display: string
  scopes: KeyScope[]
  limits: KeyLimits
  createdAtMs: number
  expiresAtMs: number | null
  lastUsedAtMs: number | null
  revokedAtMs: number | null
}

/** What verification needs, in one read. */
export type KeyStanding = {
  id: string
  userId: string | null
  /** The role of the person who created it; null if no person did. */
  role: Role | null
  scopes: KeyScope[]
  limits: KeyLimits
  expiresAtMs: number | null
  revoked: boolean
  account: AccountStanding
}

export type NewApiKey = {
  id: string
  accountId: string
  userId: string | null
  name: string
  keyHash: string
  display: string
  scopes: readonly KeyScope[]
  limits: KeyLimits
  expiresAtMs: number | null
  nowMs: number
}

const keyTable = table({
  id: uuid,
  account_id: uuid,
  user_id: orNull(uuid),
  name: text(),
  display: text(),
  /** May include scopes that only a later version knows. */
  scopes: json<readonly string[]>(),
  limits: json<KeyLimits>(),
  created_at: time,
  expires_at: orNull(time),
  last_used_at: orNull(time),
  revoked_at: orNull(time),
})
const listed = keyTable.without('account_id')
const verified = keyTable
  .select('id', 'account_id', 'user_id', 'scopes', 'limits', 'expires_at', 'revoked_at')
  .beside<StandingRow & { role: Role | null; removed_at: number | null }>()
const { columns } = listed
const maxListed = 200

export async function insertApiKey(tx: Writer, key: NewApiKey): Promise<void> {
  await tx.write(
    `insert into api_keys
       (id, account_id, user_id, name, key_hash, display, scopes, limits, created_at, expires_at)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)`,
    [
      key.id,
      key.accountId,
      key.userId,
      key.name,
      key.keyHash,
      key.display,
      JSON.stringify(key.scopes),
      JSON.stringify(key.limits),
      key.nowMs,
      key.expiresAtMs,
    ],
  )
}

/**
 * False if the account already has `maxLive` keys that are neither revoked nor expired. `admit` may
 * refuse in the same transaction.
 */
export async function insertApiKeyWithin(
  db: Db,
  key: NewApiKey,
  { maxLive, admit }: { maxLive: number; admit?: (tx: Tx) => Promise<void> },
): Promise<boolean> {
  const insert = async (tx: Tx) => {
    // Two requests that count at once would both see room.
    await lockAccount(tx, key.accountId)
    await admit?.(tx)
    if ((await countLive(tx, key.accountId, key.nowMs)) >= maxLive) return false
    await insertApiKey(tx, key)
    return true
  }
  return db.transaction(insert, {
    isStored: async (reader, hadRoom) =>
      !hadRoom || (await findKeyByHash(reader, key.keyHash)) !== null,
  })
}

async function countLive(tx: Tx, accountId: string, nowMs: number): Promise<number> {
  const [row] = await tx.query<{ live: number }>(
    `select count(*) as live from api_keys
     where account_id = $1 and revoked_at is null and (expires_at is null or expires_at > $2)`,
    [accountId, nowMs],
  )
  return Number(row?.live ?? 0)
}

/**
 * Live ones first, then expired ones, each group newest first; beyond 200 the oldest revoked are not
 * shown, nor the oldest expired, of which there may be any number.
 */
export async function listApiKeys(db: Reader, accountId: string, nowMs: number): Promise<ApiKey[]> {
  const rows = await listed.query(
    db,
    `select ${columns} from api_keys where account_id = $1
     order by case when revoked_at is not null then 2 when expires_at <= $2 then 1 else 0 end,
       created_at desc, id desc
     limit ${maxListed}`,
    [accountId, nowMs],
  )
  return rows.map(toApiKey)
}

export async function readApiKey(db: Reader, accountId: string, keyId: string) {
  const rows = await listed.query(
    db,
    `select ${columns} from api_keys where id = $2 and account_id = $1`,
    [accountId, keyId],
  )
  return rows[0] ? toApiKey(rows[0]) : null
}

export type KeySettings = Readonly<Pick<ApiKey, 'name' | 'limits' | 'expiresAtMs'>> & {
  scopes: readonly KeyScope[]
}

/**
 * Null if the account has no such key, or has revoked it; 'too-many' if the key had expired and
 * the account already has `maxLive` others that are neither revoked nor expired. `onChange` is
 * called in the transaction.
 */
export async function updateApiKeyWithin(
  db: Db,
  { accountId, keyId, nowMs }: { accountId: string; keyId: string; nowMs: number },
  settings: KeySettings,
  { maxLive, onChange }: { maxLive: number; onChange(before: ApiKey, after: ApiKey): void },
): Promise<ApiKey | 'too-many' | null> {
  return db.transaction(async (tx) => {
    await lockAccount(tx, accountId)
    const known = await readApiKey(tx, accountId, keyId)
    if (!known || known.revokedAtMs !== null) return null
    const wasLive = known.expiresAtMs === null || known.expiresAtMs > nowMs
    if (!wasLive && (await countLive(tx, accountId, nowMs)) >= maxLive) return 'too-many'
    const rows = await listed.write(
      tx,
      `update api_keys set name = $3, scopes = $4, limits = $5, expires_at = $6
       where id = $2 and account_id = $1 returning ${columns}`,
      [
        accountId,
        keyId,
        settings.name,
        JSON.stringify(settings.scopes),
        JSON.stringify(settings.limits),
        settings.expiresAtMs,
      ],
    )
    if (!rows[0]) return null
    const changed = toApiKey(rows[0])
    onChange(known, changed)
    return changed
  })
}

/** Nothing else of the key changes. The caller holds the lock of the account. */
export async function setKeySpendLimit(
  tx: Tx,
  accountId: string,
  keyId: string,
  micros: number | null,
): Promise<void> {
  const known = await readApiKey(tx, accountId, keyId)
  if (!known) return
  const { spendPerMonthMicros: _, ...others } = known.limits
  const limits = micros === null ? others : { ...others, spendPerMonthMicros: micros }
  await tx.write('update api_keys set limits = $3 where id = $2 and account_id = $1', [
    ...[accountId, keyId, JSON.stringify(limits)],
  ])
}

/** Null if the account has no such key. Revoking again changes nothing. */
export async function revokeApiKey(
  db: Writer,
  accountId: string,
  keyId: string,
  nowMs: number,
): Promise<ApiKey | null> {
  const rows = await listed.write(
    db,
    `update api_keys set revoked_at = coalesce(revoked_at, $3) where id = $2 and account_id = $1
     returning ${columns}`,
    [accountId, keyId, nowMs],
  )
  return rows[0] ? toApiKey(rows[0]) : null
}

/** Revokes all keys with this name that the user created. */
export async function revokeApiKeysNamed(
  tx: Tx,
  of: { accountId: string; userId: string; name: string; nowMs: number },
): Promise<void> {
  await tx.write(
    `update api_keys set revoked_at = $4
     where account_id = $1 and user_id = $2 and name = $3 and revoked_at is null`,
    [of.accountId, of.userId, of.name, of.nowMs],
  )
}

/** A key may do no more than the person who created it may do today. */
export const findKeyByHash = (db: Reader, keyHash: string): Promise<KeyStanding | null> =>
  readStanding(db, 'k.key_hash = $1', [keyHash])

/** The same for a key that nobody presents now: what it made acts on its behalf. */
export const findKeyById = (db: Reader, accountId: string, keyId: string) =>
  readStanding(db, 'k.account_id = $1 and k.id = $2', [accountId, keyId])

async function readStanding(
  db: Reader,
  condition: string,
  params: readonly string[],
): Promise<KeyStanding | null> {
  const [row] = await verified.query(
    db,
    `select ${verified.of('k')}, u.role, u.removed_at, coalesce(a.disabled_at, u.disabled_at) as disabled_at,
       ${standingColumns}
     from api_keys k join accounts a on a.id = k.account_id
     left join users u on u.id = k.user_id where ${condition}`,
    params,
  )
  if (!row) return null
  return {
    id: row.id,
    userId: row.user_id,
    role: row.role,
    scopes: row.role === null ? toScopes(row.scopes) : scopesWithin(row.scopes, row.role),
    limits: row.limits,
    expiresAtMs: row.expires_at,
    // A key that was stored while its maker was being removed was not among those revoked.
    revoked: row.revoked_at !== null || row.removed_at !== null,
    account: toStanding(row),
  }
}

/** The time never moves back, although processes flush in any order. */
export async function recordKeyUse(db: Writer, keyId: string, usedAtMs: number): Promise<void> {
  await db.write(
    'update api_keys set last_used_at = $2 where id = $1 and (last_used_at is null or last_used_at < $2)',
    [keyId, usedAtMs],
  )
}

const scopesWithin = (scopes: readonly string[], role: Role): KeyScope[] =>
  keyScopesOf(role).filter((scope) => scopes.includes(scope))

// A scope that a later version knows and this one does not grants nothing here.
const toScopes = (scopes: readonly string[]): KeyScope[] => scopes.filter(isKeyScope)

const toApiKey = (row: Row<typeof listed>): ApiKey => ({
  id: row.id,
  userId: row.user_id,
  name: row.name,
  display: row.display,
  scopes: toScopes(row.scopes),
  limits: row.limits,
  createdAtMs: row.created_at,
  expiresAtMs: row.expires_at,
  lastUsedAtMs: row.last_used_at,
  revokedAtMs: row.revoked_at,
})
