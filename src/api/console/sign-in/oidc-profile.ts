import type { OidcPerson } from '#auth/oidc-person.ts'
import type { Reader, Tx } from '#store/db.ts'
import { findUserByEmail, type SignInMeans, type User, updateProfile } from '#store/tables/users.ts'
import { joinAccount, type LinkUse } from '../team/join.ts'
import type { OidcLink } from './oidc-attempt.ts'
import { setUpOwner } from './set-up.ts'

/**
 * The first of these that nobody has. An e-mail is no proof of identity here: matching users by
 * e-mail would let a provider take over an account.
 */
async function firstFree(db: Reader, emails: (string | null)[]): Promise<string | null> {
  for (const email of emails) {
    if (email !== null && (await findUserByEmail(db, email)) === null) return email
  }
  return null
}

/** What a new person is stored with; the e-mail they were invited by is better than none. */
export async function meansOf(
  db: Reader,
  person: OidcPerson,
  invitedEmail: string | null = null,
): Promise<SignInMeans & { name: string }> {
  const { issuer, subject, name, fallbackName } = person
  return {
    email: await firstFree(db, [person.email, invitedEmail]),
    // Whoever has nothing else can be found at the provider by their subject.
    name: name ?? fallbackName ?? invitedEmail ?? subject.slice(0, 100),
    passwordHash: null,
    oidc: { issuer, subject },
  }
}

/** Takes over a new name, and an e-mail if the person has none. */
export async function keepProfile(tx: Tx, user: User, person: OidcPerson): Promise<void> {
  const email = user.email ?? (await firstFree(tx, [person.email]))
  const name = person.name ?? user.name
  if (email !== user.email || name !== user.name) await updateProfile(tx, user.id, { email, name })
}

export const redeemLink = async (tx: Tx, link: OidcLink & LinkUse, person: OidcPerson) =>
  link.kind === 'set-up'
    ? setUpOwner(tx, link, await meansOf(tx, person))
    : joinAccount(tx, link, ({ email }) => meansOf(tx, person, email))
