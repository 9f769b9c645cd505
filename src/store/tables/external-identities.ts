import type { Db, Reader } from '../db.ts'
import {
  type AccountStanding,
  insertAccount,
  type StandingRow,
  standingColumns,
  toStanding,
} from './accounts.ts'

export type ExternalIdentity = { issuer: string; subject: string }

export async function findExternalAccount(
  db: Reader,
  identity: ExternalIdentity,
): Promise<AccountStanding | null> {
  const [row] = await db.query<StandingRow>(
    `select e.account_id, a.disabled_at, ${standingColumns}
     from external_identities e join accounts a on a.id = e.account_id where e.issuer = $1 and e.subject = $2`,
    [identity.issuer, identity.subject],
  )
  return row ? toStanding(row) : null
}

/** Creates the account of an identity seen for the first time: one, however many ask at once. */
export async function provisionExternalAccount(
  db: Db,
  identity: ExternalIdentity & { accountId: string; accountName: string; nowMs: number },
): Promise<AccountStanding> {
  return db.transaction(async (tx) => {
    await insertAccount(tx, {
      id: identity.accountId,
      name: identity.accountName,
      nowMs: identity.nowMs,
    })
    const won = await tx.write(
      `insert into external_identities (issuer, subject, account_id, created_at)
       values ($1, $2, $3, $4) on conflict (issuer, subject) do nothing returning account_id`,
      [identity.issuer, identity.subject, identity.accountId, identity.nowMs],
    )
    if (won.length === 1) {
      return { accountId: identity.accountId, disabled: false, spendLimitMicros: null }
    }
    await tx.write('delete from accounts where id = $1', [identity.accountId])
    const first = await findExternalAccount(tx, identity)
    if (!first) throw new Error('an external identity vanished while it was read')
    return first
  })
}
