import { isScope, type Scope } from '#core/scopes.ts'
import type { Reader, Tx, Writer } from '../db.ts'
import { json, type Row, table, text, time, uuid } from '../table.ts'
import type { Consent } from './oauth-codes.ts'

/** A program that a person has connected. */
export type OAuthGrant = {
  id: string
  accountId: string
  userId: string
  clientId: string
  clientName: string
  redirectUri: string
  scopes: Scope[]
  createdAtMs: number
  lastUsedAtMs: number
}

/** The stored form of a refresh token: hashes of its two halves. */
export type RefreshHashes = { familyHash: string; refreshHash: string }

const whole = table({
  id: uuid,
  account_id: uuid,
  user_id: uuid,
  client_id: text(),
  client_name: text(),
  redirect_uri: text(),
  scopes: json<readonly string[]>(),
  created_at: time,
  last_used_at: time,
}).all
const { columns } = whole

/** Ends this person's least recently used grants beyond `maxPerUser`. */
export async function insertOAuthGrant(
  tx: Tx,
  grant: Consent & RefreshHashes & { id: string; nowMs: number; expiresAtMs: number },
  { maxPerUser }: { maxPerUser: number },
): Promise<void> {
  await tx.write(
    `insert into oauth_grants (id, account_id, user_id, client_id, client_name, redirect_uri,
       scopes, family_hash, refresh_hash, created_at, last_used_at, expires_at)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $10, $11)`,
    [
      grant.id,
      grant.accountId,
      grant.userId,
      grant.clientId,
      grant.clientName,
      grant.redirectUri,
      JSON.stringify(grant.scopes),
      grant.familyHash,
      grant.refreshHash,
      grant.nowMs,
      grant.expiresAtMs,
    ],
  )
  await tx.write(
    `delete from oauth_grants where id in (
       select id from oauth_grants where user_id = $1
       order by last_used_at desc, id desc limit 100 offset ${maxPerUser})`,
    [grant.userId],
  )
}

/** Replaces the second half of the refresh token; null unless it is the current one. */
export async function rotateOAuthGrant(
  tx: Tx,
  token: RefreshHashes & { clientId: string },
  next: { refreshHash: string; nowMs: number; expiresAtMs: number },
): Promise<OAuthGrant | null> {
  const [row] = await whole.write(
    tx,
    `update oauth_grants set refresh_hash = $4, last_used_at = $5, expires_at = $6
     where family_hash = $1 and refresh_hash = $2 and client_id = $3 and expires_at > $5
     returning ${columns}`,
    [
      token.familyHash,
      token.refreshHash,
      token.clientId,
      next.refreshHash,
      next.nowMs,
      next.expiresAtMs,
    ],
  )
  return row ? toGrant(row) : null
}

/** The grant if this is its current refresh token and it has just been given out. */
export async function findRotatedOAuthGrant(
  tx: Tx,
  token: RefreshHashes & { clientId: string; sinceMs: number; nowMs: number },
): Promise<OAuthGrant | null> {
  const [row] = await whole.query(
    tx,
    `select ${columns} from oauth_grants
     where family_hash = $1 and refresh_hash = $2 and client_id = $3
       and last_used_at > $4 and expires_at > $5`,
    [token.familyHash, token.refreshHash, token.clientId, token.sinceMs, token.nowMs],
  )
  return row ? toGrant(row) : null
}

/** Ends the grant of a refresh token that is not the current one, and returns it. */
export async function endReusedOAuthGrant(
  tx: Tx,
  token: RefreshHashes,
): Promise<OAuthGrant | null> {
  const [row] = await whole.write(
    tx,
    `delete from oauth_grants where family_hash = $1 and refresh_hash <> $2 returning ${columns}`,
    [token.familyHash, token.refreshHash],
  )
  return row ? toGrant(row) : null
}

/** For the client itself, which holds one of the grant's tokens. Returns the account. */
export async function endOAuthGrantOfClient(
  db: Writer,
  by: { familyHash: string } | { grantId: string },
  clientId: string,
): Promise<string | null> {
  const [column, value] = 'grantId' in by ? ['id', by.grantId] : ['family_hash', by.familyHash]
  const rows = await db.write<{ account_id: string }>(
    `delete from oauth_grants where ${column} = $1 and client_id = $2 returning account_id`,
    [value, clientId],
  )
  return rows[0]?.account_id ?? null
}

export async function endOAuthGrant(
  tx: Writer,
  { accountId, grantId }: { accountId: string; grantId: string },
): Promise<void> {
  await tx.write('delete from oauth_grants where id = $2 and account_id = $1', [accountId, grantId])
}

/** Disconnects every app of a person, even one that has a code but no token yet. */
export async function endOAuthGrantsOf(tx: Tx, userId: string): Promise<void> {
  // First, because this waits for a code that is being exchanged, whose grant is then seen below.
  await tx.write('delete from oauth_codes where user_id = $1', [userId])
  await tx.write('delete from oauth_grants where user_id = $1', [userId])
}

type Person = { accountId: string; userId: string }

export async function listOAuthGrants(
  db: Reader,
  { accountId, userId, nowMs }: Person & { nowMs: number },
): Promise<OAuthGrant[]> {
  const rows = await whole.query(
    db,
    `select ${columns} from oauth_grants
     where account_id = $1 and user_id = $2 and expires_at > $3
     order by last_used_at desc, id desc`,
    [accountId, userId, nowMs],
  )
  return rows.map(toGrant)
}

/** Null if this person has no such grant. */
export async function endOwnOAuthGrant(
  db: Writer,
  { accountId, userId }: Person,
  grantId: string,
): Promise<OAuthGrant | null> {
  const [row] = await whole.write(
    db,
    `delete from oauth_grants where id = $3 and account_id = $1 and user_id = $2
     returning ${columns}`,
    [accountId, userId, grantId],
  )
  return row ? toGrant(row) : null
}

/** Whether access tokens of this grant are still accepted. */
export async function isOAuthGrantLive(
  db: Reader,
  { accountId, userId }: Person,
  grantId: string,
): Promise<boolean> {
  const rows = await db.query(
    'select id from oauth_grants where id = $3 and account_id = $1 and user_id = $2',
    [accountId, userId, grantId],
  )
  return rows.length === 1
}

export async function deleteOAuthGrantsBefore(db: Writer, beforeMs: number): Promise<void> {
  await db.write('delete from oauth_grants where expires_at < $1', [beforeMs])
}

const toGrant = (row: Row<typeof whole>): OAuthGrant => ({
  id: row.id,
  accountId: row.account_id,
  userId: row.user_id,
  clientId: row.client_id,
  clientName: row.client_name,
  redirectUri: row.redirect_uri,
  scopes: row.scopes.filter(isScope),
  createdAtMs: row.created_at,
  lastUsedAtMs: row.last_used_at,
})
