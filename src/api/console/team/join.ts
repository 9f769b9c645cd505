import { hashToken } from '#auth/token-hash.ts'
import { toRfc3339 } from '#core/clock.ts'
import { Failure } from '#core/errors.ts'
import { uuidV7 } from '#core/ids.ts'
import { roles } from '#core/roles.ts'
import { Type } from '#core/schema.ts'
import type { Reader, Tx } from '#store/db.ts'
import { lockAccount, readAccount } from '#store/tables/accounts.ts'
import { insertAuditOfUser } from '#store/tables/audit-entries.ts'
import { findInvitation, type Invitation, useInvitation } from '#store/tables/invitations.ts'
import { insertUser, readUser, type SignInMeans } from '#store/tables/users.ts'
import { type Answer, answer, type CallContext } from '../../operation.ts'
import { Closed, OneOf, Timestamp } from '../../schemas.ts'
import { type ConsoleContext, defineConsole, signInRefused } from '../context.ts'
import { cookieHeader, LinkToken, NewPassword, SignedIn } from '../fields.ts'
import { withEmailCheck } from '../register.ts'
import { deviceOf } from '../sign-in/device.ts'
import { mayMakeLinks } from './inviter.ts'

const refused = () =>
  signInRefused('This invitation was used, was withdrawn or has expired. Ask for a new one.')

/** The account that a person is invited to. */
async function openAccount(db: Reader, { accountId }: Invitation) {
  const account = await readAccount(db, accountId)
  if (!account) throw refused()
  if (account.disabledAtMs !== null) throw new Failure('ACCOUNT_DISABLED')
  return account
}

/** A link that somebody uses, and from where. */
export type LinkUse = { tokenHash: string; nowMs: number; ipAddress: string | null }

/**
 * Uses up the invitation and creates its user; `means` may depend on the invitation. Whoever made
 * it must still be an owner: the lock orders this against a change of theirs, and is taken before
 * the invitation is deleted, as that change does.
 */
export async function joinAccount(
  tx: Tx,
  { tokenHash, nowMs, ipAddress }: LinkUse,
  means: (invitation: Invitation) => SignInMeans | Promise<SignInMeans>,
) {
  const found = await findInvitation(tx, tokenHash, nowMs)
  if (!found) throw refused()
  await lockAccount(tx, found.accountId)
  const invitation = await useInvitation(tx, tokenHash, nowMs)
  if (!invitation) throw refused()
  await openAccount(tx, invitation)
  const { accountId, role, invitedBy } = invitation
  if (!(await mayMakeLinks(tx, { accountId, userId: invitedBy }))) throw refused()
  const user = { ...(await means(invitation)), id: uuidV7(nowMs), accountId, role }
  await insertUser(tx, { ...user, nowMs })
  const inviter = await readUser(tx, invitedBy)
  await insertAuditOfUser(tx, {
    ...{ userId: user.id, action: 'member.joined', ipAddress, nowMs },
    target: `${user.email ?? user.name ?? invitation.email} ${role}, invited by ${inviter?.email ?? inviter?.name ?? invitedBy}`,
  })
  return user
}

export const showInvitation = defineConsole({
  id: 'showInvitation',
  route: 'POST /invitations/show',
  summary: 'Tells the holder of an invitation what it is for',
  description: 'A POST, so that the token does not appear in any log.',
  access: 'public',
  isReadOnly: true,
  body: Closed({ token: LinkToken }),
  success: {
    200: {
      description: 'The invitation.',
      data: Closed({
        email: Type.String(),
        role: OneOf(roles),
        accountName: Type.String(),
        expiresAt: Timestamp,
      }),
    },
  },
  errors: ['INVALID_CREDENTIAL', 'ACCOUNT_DISABLED'],
  repeatable: true,
  async handle({ services, ipAddress }, { body }) {
    const { db, clock, signInLimits } = services
    const invitation = await signInLimits.attempt({ address: ipAddress }, async () => {
      const found = await findInvitation(db, hashToken(body.token), clock.nowMs())
      if (!found) throw refused()
      return found
    })
    const { name: accountName } = await openAccount(db, invitation)
    const { email, role, expiresAtMs } = invitation
    return answer({ email, role, accountName, expiresAt: toRfc3339(expiresAtMs) })
  },
})

export const acceptInvitation = defineConsole({
  id: 'acceptInvitation',
  route: 'POST /invitations/accept',
  summary: 'Joins the account of an invitation with a password, and signs in',
  access: 'public',
  body: Closed({ token: LinkToken, password: NewPassword }),
  success: { 200: { description: 'Signed in.', data: SignedIn, headers: cookieHeader } },
  errors: ['INVALID_CREDENTIAL', 'ACCOUNT_DISABLED'],
  audit: { byItself: ['member.joined', 'sign-in'] },
  repeatable: false,
  ifUnknown: 'Try to sign in with the password you chose.',
  handle(context, { body }) {
    const { signInLimits } = context.services
    return signInLimits.attempt({ address: context.ipAddress }, () => accept(context, body))
  },
})

type Given = { token: string; password: string }

async function accept(context: ConsoleContext & CallContext, body: Given): Promise<Answer> {
  const { db, clock, passwords, sessions } = context.services
  const tokenHash = hashToken(body.token)
  // Checked before the expensive hash; using the invitation checks again.
  if (!(await findInvitation(db, tokenHash, clock.nowMs()))) throw refused()
  const passwordHash = await passwords.hash(body.password)
  return withEmailCheck(() =>
    db.transaction(async (tx) => {
      const link = { tokenHash, nowMs: clock.nowMs(), ipAddress: context.ipAddress }
      const user = await joinAccount(tx, link, ({ email }) => ({
        email,
        passwordHash,
        oidc: null,
      }))
      const { id, email, accountId, role } = user
      return answer(
        { user: { id, email }, account: { id: accountId }, role },
        {
          headers: { 'set-cookie': await sessions.start(tx, { userId: id }, deviceOf(context)) },
        },
      )
    }),
  )
}
