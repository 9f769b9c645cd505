import { isScope, type Scope } from '#core/scopes.ts'
import type { Tx, Writer } from '../db.ts'
import { json, table, text, uuid } from '../table.ts'

/** What a person agreed to: which program may do what for them, and where its codes are sent. */
export type Consent = {
  accountId: string
  userId: string
  clientId: string
  clientName: string
  redirectUri: string
  scopes: Scope[]
}

const consent = table({
  account_id: uuid,
  user_id: uuid,
  client_id: text(),
  client_name: text(),
  redirect_uri: text(),
  scopes: json<readonly string[]>(),
}).all

export async function insertOAuthCode(
  tx: Tx,
  code: Consent & { codeHash: string; codeChallenge: string; expiresAtMs: number },
): Promise<void> {
  await tx.write(
    `insert into oauth_codes (code_hash, account_id, user_id, client_id, client_name, redirect_uri,
       scopes, code_challenge, expires_at)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9)`,
    [
      code.codeHash,
      code.accountId,
      code.userId,
      code.clientId,
      code.clientName,
      code.redirectUri,
      JSON.stringify(code.scopes),
      code.codeChallenge,
      code.expiresAtMs,
    ],
  )
}

export type CodeProof = {
  codeHash: string
  clientId: string
  redirectUri: string
  /** Derived from the verifier. */
  codeChallenge: string
}

/** Uses the code for this grant. Null if any of the proof is wrong, or it was used or expired. */
export async function useOAuthCode(
  tx: Tx,
  proof: CodeProof,
  { grantId, nowMs }: { grantId: string; nowMs: number },
): Promise<Consent | null> {
  const [row] = await consent.write(
    tx,
    `update oauth_codes set grant_id = $5
     where code_hash = $1 and client_id = $2 and redirect_uri = $3 and code_challenge = $4
       and grant_id is null and expires_at > $6
     returning ${consent.columns}`,
    [proof.codeHash, proof.clientId, proof.redirectUri, proof.codeChallenge, grantId, nowMs],
  )
  if (!row) return null
  return {
    accountId: row.account_id,
    userId: row.user_id,
    clientId: row.client_id,
    clientName: row.client_name,
    redirectUri: row.redirect_uri,
    scopes: row.scopes.filter(isScope),
  }
}

/** The grant that this code was exchanged for; null if it was not, or is no longer known. */
export async function findGrantOfOAuthCode(
  tx: Tx,
  codeHash: string,
): Promise<{ accountId: string; grantId: string } | null> {
  const [row] = await tx.query<{ account_id: string; grant_id: string | null }>(
    'select account_id, grant_id from oauth_codes where code_hash = $1',
    [codeHash],
  )
  if (!row || row.grant_id === null) return null
  return { accountId: row.account_id, grantId: row.grant_id }
}

export async function deleteOAuthCodesBefore(db: Writer, beforeMs: number): Promise<void> {
  await db.write('delete from oauth_codes where expires_at < $1', [beforeMs])
}
