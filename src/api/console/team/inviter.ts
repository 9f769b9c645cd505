import { Failure } from '#core/errors.ts'
import type { Tx } from '#store/db.ts'
import { lockAccount } from '#store/tables/accounts.ts'
import { readUserStanding } from '#store/tables/users.ts'

type Maker = { accountId: string; userId: string }

/** Whether a person may make links for others now: an enabled owner of an enabled account. */
export async function mayMakeLinks(tx: Tx, { accountId, userId }: Maker): Promise<boolean> {
  const standing = await readUserStanding(tx, userId, accountId)
  return standing?.role === 'owner' && !standing.account.disabled
}

/**
 * Locks the account, then checks the caller again. Their role was read with the session: without
 * this, a link stored while they are being removed would not be among those that end, and they
 * could make somebody else an owner.
 */
export async function lockAsOwner(tx: Tx, maker: Maker): Promise<void> {
  await lockAccount(tx, maker.accountId)
  if (!(await mayMakeLinks(tx, maker))) {
    throw new Failure('INSUFFICIENT_ROLE', { details: { role: 'owner' } })
  }
}
