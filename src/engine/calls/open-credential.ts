import type { Clock } from '#core/clock.ts'
import { NodeFailure } from '#graph/node/node-failure.ts'
import type { Credentials, OpenedCredential, WhichCredential } from '#store/engine-store.ts'

export type CredentialDeps = { credentials: Credentials; clock: Clock }

/** The time of the last use is stored with this precision, which saves a write per request. */
const usedEveryMs = 60_000

/** Throws a NodeFailure if the account has no such credential. */
export async function openExisting(
  { credentials }: CredentialDeps,
  accountId: string,
  which: WhichCredential,
): Promise<OpenedCredential> {
  const credential = await credentials.open(accountId, which)
  if (!credential) throw new NodeFailure('CREDENTIAL_NOT_FOUND', missing(which))
  return credential
}

export const missing = (which: WhichCredential): string =>
  'name' in which
    ? `There is no credential "${which.name}" in this account: create it, or choose another.`
    : 'The credential that this task was ordered with was deleted.'

export async function noteUse(
  { credentials, clock }: CredentialDeps,
  accountId: string,
  { id, last_used_at }: Pick<OpenedCredential, 'id' | 'last_used_at'>,
): Promise<void> {
  const nowMs = clock.nowMs()
  if ((last_used_at ?? 0) > nowMs - usedEveryMs) return
  await credentials.recordUse(accountId, id, nowMs)
}
