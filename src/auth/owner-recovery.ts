// How an owner who is locked out regains access: with a link or a new key that somebody on the
// server's machine asked for (`atelier reset-owner`, `atelier owner-key`).

import type { AuditAction } from '#core/audit-actions.ts'
import { scopes } from '#core/scopes.ts'
import type { Reader, Tx } from '#store/db.ts'
import { insertApiKey, revokeApiKeysNamed } from '#store/tables/api-keys.ts'
import { insertAuditEntry } from '#store/tables/audit-entries.ts'
import { findFirstOwner } from '#store/tables/members.ts'
import { putRecoveryLink } from '#store/tables/recovery-links.ts'
import { readFact } from '#store/tables/server-facts.ts'
import { insertSetupLink } from '#store/tables/setup-links.ts'
import { readUser, type User } from '#store/tables/users.ts'
import { ownerFact, ownerKeyName } from './owner.ts'

export const recoveryLinkMs = 3_600_000

// A fragment appears in no server log and in no Referer header.
export const recoveryLinkOf = (baseUrl: string, token: string): string =>
  `${baseUrl}/console/recover#token=${token}`

/** A request made on the server's machine. It holds only hashes, which are useless to a reader. */
export type OwnerRequest =
  | { kind: 'reset'; userId: string; tokenHash: string; expiresAtMs: number }
  | { kind: 'set-up'; userId: string; tokenHash: string; expiresAtMs: number }
  | { kind: 'key'; userId: string; keyId: string; keyHash: string; display: string }

/**
 * The owner of the installation; if they left the team, the owner who has been in its account the
 * longest. Null before the first start.
 */
export async function findOwner(db: Reader): Promise<User | null> {
  const firstId = await readFact(db, ownerFact)
  const first = firstId === null ? null : await readUser(db, firstId)
  if (!first) return null
  const ownerId = await findFirstOwner(db, { accountId: first.accountId, preferredId: first.id })
  return ownerId === null ? null : readUser(db, ownerId)
}

/** Returns false if the request has expired or its user is no longer an owner. */
export async function fulfilOwnerRequest(
  tx: Tx,
  request: OwnerRequest,
  nowMs: number,
): Promise<boolean> {
  const user = await readUser(tx, request.userId)
  if (user?.role !== 'owner' || user.removedAtMs !== null || user.disabledAtMs !== null)
    return false
  if (request.kind === 'key') {
    const { keyId: id, keyHash, display } = request
    const owned = { accountId: user.accountId, userId: user.id, name: ownerKeyName, nowMs }
    await revokeApiKeysNamed(tx, owned)
    const limits = { limits: {}, expiresAtMs: null }
    await insertApiKey(tx, { id, ...owned, keyHash, display, scopes, ...limits })
    await recordHere(tx, user, { action: 'key.created', target: ownerKeyName, nowMs })
    return true
  }
  const { userId, tokenHash, expiresAtMs } = request
  if (expiresAtMs <= nowMs) return false
  const link = { userId, tokenHash, expiresAtMs, nowMs }
  if (request.kind === 'set-up') await insertSetupLink(tx, link)
  else {
    // Whoever can use the machine owns the server, so a lost authenticator must not stop them.
    await putRecoveryLink(tx, { ...link, madeBy: null, resetsTwoStep: true })
    await recordHere(tx, user, { action: 'recovery-link.created', target: userId, nowMs })
  }
  return true
}

type Recorded = { action: AuditAction; target: string; nowMs: number }

/** Recorded without a user, because nobody signed in for this. */
const recordHere = (tx: Tx, { accountId }: User, entry: Recorded): Promise<void> =>
  insertAuditEntry(tx, { ...entry, accountId, userId: null, keyId: null, ipAddress: null })
