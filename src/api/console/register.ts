import { Failure, invalid } from '#core/errors.ts'
import { uuidV7 } from '#core/ids.ts'
import { type Tx, UniqueViolation } from '#store/db.ts'
import { insertAccount } from '#store/tables/accounts.ts'
import { insertAuditOfUser } from '#store/tables/audit-entries.ts'
import { insertUser, type SignInMeans } from '#store/tables/users.ts'
import type { ConsoleContext, ConsoleServices } from './context.ts'

export const signUpClosed = () =>
  new Failure('ROUTE_NOT_FOUND', { message: 'This server does not accept new users.' })

const emailTaken = () =>
  invalid(
    'INVALID_REQUEST',
    [{ path: '/email', rule: 'unique', message: 'is taken' }],
    'This e-mail is taken.',
  )

/**
 * Only `open` lets strangers sign up. With `first-user` the first person is the owner, who needs
 * the set-up link: whoever merely finds the server first must not become its owner.
 */
export const isSignUpOpen = ({ signUp }: ConsoleServices): boolean => signUp === 'open'

/** Creates a user with a new account and passes the user to `then`, in one transaction. */
export async function registerUser<T>(
  { services, ipAddress }: Pick<ConsoleContext, 'services' | 'ipAddress'>,
  means: SignInMeans,
  then: (tx: Tx, user: { id: string; accountId: string }) => Promise<T>,
): Promise<T> {
  if (!isSignUpOpen(services)) throw signUpClosed()
  return withEmailCheck(() =>
    services.db.transaction(async (tx) => {
      const nowMs = services.clock.nowMs()
      const called = means.email ?? means.name
      const user = { id: uuidV7(nowMs), accountId: uuidV7(nowMs) }
      await insertAccount(tx, { id: user.accountId, name: called ?? 'Account', nowMs })
      await insertUser(tx, { ...means, ...user, role: 'owner', nowMs })
      const target = `owner ${called ?? 'with OpenID'}`
      const entry = { userId: user.id, ipAddress, nowMs, target }
      await insertAuditOfUser(tx, { ...entry, action: 'account.created' })
      return then(tx, user)
    }),
  )
}

/** Relies on the unique index, because another user may take the e-mail at any time. */
export async function withEmailCheck<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (error instanceof UniqueViolation && error.constraint.includes('email')) throw emailTaken()
    throw error
  }
}
