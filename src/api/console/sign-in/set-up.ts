import { hashToken } from '#auth/token-hash.ts'
import type { Tx } from '#store/db.ts'
import { insertAuditOfUser } from '#store/tables/audit-entries.ts'
import { findSetupLink, useSetupLink } from '#store/tables/setup-links.ts'
import { completeUser, type SignInMeans, type User } from '#store/tables/users.ts'
import { type Answer, answer, type CallContext } from '../../operation.ts'
import { Closed } from '../../schemas.ts'
import { type ConsoleContext, defineConsole, signInRefused } from '../context.ts'
import { cookieHeader, Email, LinkToken, NewPassword, SignedIn, toStoredEmail } from '../fields.ts'
import { withEmailCheck } from '../register.ts'
import type { LinkUse } from '../team/join.ts'
import { deviceOf } from './device.ts'

const linkRefused = () => signInRefused('This link was used or has expired.')

/** Uses up the link and gives its user the means to sign in. */
export async function setUpOwner(
  tx: Tx,
  { tokenHash, nowMs, ipAddress }: LinkUse,
  means: SignInMeans,
): Promise<User> {
  const userId = await useSetupLink(tx, tokenHash, nowMs)
  // Another set-up link may have been used first.
  const user = userId === null ? null : await completeUser(tx, userId, means)
  if (!user) throw linkRefused()
  const target = `owner ${user.email ?? user.name ?? 'with OpenID'}`
  const entry = { userId: user.id, ipAddress, nowMs, target }
  await insertAuditOfUser(tx, { ...entry, action: 'account.set-up' })
  return user
}

export const setUp = defineConsole({
  id: 'setUp',
  route: 'POST /set-up',
  summary: 'Sets the e-mail and password of the owner with the one-time link, and signs in',
  access: 'public',
  body: Closed({
    token: LinkToken,
    email: Email,
    password: NewPassword,
  }),
  success: { 200: { description: 'Signed in.', data: SignedIn, headers: cookieHeader } },
  errors: ['INVALID_CREDENTIAL'],
  audit: { byItself: ['account.set-up', 'sign-in'] },
  repeatable: false,
  handle(context, { body }) {
    const { signInLimits } = context.services
    return signInLimits.attempt({ address: context.ipAddress }, () => beOwner(context, body))
  },
})

type Given = { token: string; email: string; password: string }

async function beOwner(context: ConsoleContext & CallContext, body: Given): Promise<Answer> {
  const { db, clock, passwords, sessions } = context.services
  const tokenHash = hashToken(body.token)
  // Checked before the expensive hash; using the link checks again.
  if ((await findSetupLink(db, tokenHash, clock.nowMs())) === null) throw linkRefused()
  const email = toStoredEmail(body.email)
  const passwordHash = await passwords.hash(body.password)
  return withEmailCheck(() =>
    db.transaction(async (tx) => {
      const link = { tokenHash, nowMs: clock.nowMs(), ipAddress: context.ipAddress }
      const user = await setUpOwner(tx, link, { email, passwordHash, oidc: null })
      return answer(
        { user: { id: user.id, email }, account: { id: user.accountId }, role: user.role },
        {
          headers: {
            'set-cookie': await sessions.start(tx, { userId: user.id }, deviceOf(context)),
          },
        },
      )
    }),
  )
}
