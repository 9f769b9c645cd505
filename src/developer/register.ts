import { ownerFact } from '#auth/owner.ts'
import { Failure, invalid } from '#core/errors.ts'
import { uuidV7 } from '#core/ids.ts'
import { type Tx, UniqueViolation } from '#store/db.ts'
import { insertAccount } from '#store/tables/accounts.ts'
import { readFact } from '#store/tables/server-facts.ts'
import { completeUser, insertUser, readUser, type SignInMeans } from '#store/tables/users.ts'
import type { DeveloperServices } from './context.ts'

export const signUpClosed = () =>
  new Failure('ROUTE_NOT_FOUND', { message: 'This server does not take new users.' })

const emailTaken = () =>
  invalid(
    'INVALID_REQUEST',
    [{ path: '/email', rule: 'unique', message: 'is taken' }],
    'This e-mail is taken.',
  )

/**
 * `first-user`: the first person to sign up becomes the owner, as with the set-up link. After that,
 * sign-up is closed.
 */
export async function isSignUpOpen({ db, signUp }: DeveloperServices): Promise<boolean> {
  if (signUp !== 'first-user') return signUp === 'open'
  const ownerId = await readFact(db, ownerFact)
  const owner = ownerId === null ? null : await readUser(db, ownerId)
  return owner !== null && owner.passwordHash === null && owner.oidc === null
}

/** Creates a user if the policy allows it and passes it to `then`, in one transaction. */
export async function registerUser<T>(
  services: DeveloperServices,
  means: SignInMeans,
  then: (tx: Tx, user: { id: string; accountId: string }) => Promise<T>,
): Promise<T> {
  const { db, signUp } = services
  return withEmailCheck(() =>
    db.transaction(async (tx) => {
      if (signUp === 'closed') throw signUpClosed()
      const user =
        signUp === 'open'
          ? await insertWithAccount(tx, means, services)
          : await becomeOwner(tx, means)
      if (!user) throw signUpClosed()
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

async function becomeOwner(tx: Tx, means: SignInMeans) {
  const ownerId = await readFact(tx, ownerFact)
  return ownerId === null ? null : completeUser(tx, ownerId, means)
}

async function insertWithAccount(tx: Tx, means: SignInMeans, { clock }: DeveloperServices) {
  const nowMs = clock.nowMs()
  const user = { id: uuidV7(nowMs), accountId: uuidV7(nowMs) }
  await insertAccount(tx, { id: user.accountId, name: means.email ?? 'Account', nowMs })
  await insertUser(tx, { ...means, ...user, role: 'owner', nowMs })
  return user
}
