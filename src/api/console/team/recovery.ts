import { recoveryLinkMs, recoveryLinkOf } from '#auth/owner-recovery.ts'
import { randomToken } from '#auth/random.ts'
import { hashToken } from '#auth/token-hash.ts'
import { toRfc3339 } from '#core/clock.ts'
import { Failure } from '#core/errors.ts'
import { Type } from '#core/schema.ts'
import type { Tx } from '#store/db.ts'
import { lockAccount } from '#store/tables/accounts.ts'
import { insertAuditOfUser } from '#store/tables/audit-entries.ts'
import { endAccess, revokeKeysMadeBy } from '#store/tables/ended-access.ts'
import { readMember } from '#store/tables/members.ts'
import { findRecoveryLink, putRecoveryLink, useRecoveryLink } from '#store/tables/recovery-links.ts'
import { deleteSecondFactor } from '#store/tables/second-factors.ts'
import { readUser, setPassword } from '#store/tables/users.ts'
import { type Answer, answer } from '../../operation.ts'
import { Closed, Nullable, Timestamp, Uuid } from '../../schemas.ts'
import { type ConsoleContext, defineConsole, requireSession, signInRefused } from '../context.ts'
import { keysText, LinkToken, NewPassword, RevokedKeys, RevokeKeys } from '../fields.ts'
import { lockAsOwner, mayMakeLinks } from './inviter.ts'
import { noSuchMember } from './members.ts'

export const createRecoveryLink = defineConsole({
  id: 'createRecoveryLink',
  route: 'POST /recovery-links',
  summary: 'Makes a link with which a member sets a new password, and shows it once',
  description:
    'The link works once, for an hour, and a new one replaces it. It ends when their password is changed, and with your right to make it. Their second step stays on.',
  access: 'owner',
  body: Closed({ userId: Uuid('The member.') }),
  success: {
    200: {
      description: 'The link.',
      data: Closed({
        link: Type.String({ description: 'To be passed on; shown only once.' }),
        expiresAt: Timestamp,
      }),
    },
  },
  errors: ['RECORD_NOT_FOUND', 'INVALID_REQUEST'],
  audit: { action: 'recovery-link.created', target: ({ body }) => body.userId },
  repeatable: false,
  ifUnknown: 'Create another link: it replaces the one you were not shown.',
  async handle(context, { body: { userId } }) {
    const maker = requireSession(context)
    const { db, clock, random, baseUrl } = context.services
    const nowMs = clock.nowMs()
    const member = await readMember(db, { accountId: maker.accountId, userId, nowMs })
    if (!member) throw noSuchMember()
    if (member.email === null) {
      throw new Failure('INVALID_REQUEST', {
        message: 'This member has no e-mail to sign in with a password. They use OpenID.',
      })
    }
    const token = randomToken(random)
    const expiresAtMs = nowMs + recoveryLinkMs
    const made = { madeBy: maker.userId, resetsTwoStep: false, expiresAtMs, nowMs }
    await db.transaction(async (tx) => {
      await lockAsOwner(tx, maker)
      await putRecoveryLink(tx, { ...made, tokenHash: hashToken(token), userId })
      context.describe?.(`for ${member.email}`)
    })
    return answer({ link: recoveryLinkOf(baseUrl, token), expiresAt: toRfc3339(expiresAtMs) })
  },
})

const refused = () =>
  signInRefused('This link was used, was replaced or has expired. Ask for a new one.')

export const recover = defineConsole({
  id: 'recover',
  route: 'POST /recover',
  summary: 'Sets a new password with a recovery link, ends all sessions and disconnects all apps',
  access: 'public',
  body: Closed({ token: LinkToken, password: NewPassword, revokeKeys: RevokeKeys }),
  success: {
    200: {
      description: 'Changed. Sign in with the new password.',
      data: Closed({ email: Nullable(Type.String()), revokedKeys: RevokedKeys }),
    },
  },
  errors: ['INVALID_CREDENTIAL'],
  audit: { byItself: ['password.changed'] },
  repeatable: false,
  ifUnknown: 'Try to sign in with the new password.',
  handle(context, { body }) {
    const { services, ipAddress } = context
    return services.signInLimits.attempt({ address: ipAddress }, () => setNew(context, body))
  },
})

type Given = { token: string; password: string; revokeKeys?: boolean }

async function setNew({ services, ipAddress }: ConsoleContext, body: Given): Promise<Answer> {
  const { db, clock, passwords, verifier } = services
  const tokenHash = hashToken(body.token)
  // Checked before the expensive hash; using the link checks again.
  const userId = await findRecoveryLink(db, tokenHash, clock.nowMs())
  if (userId === null) throw refused()
  const passwordHash = await passwords.hash(body.password)
  const { user, revokedKeys } = await db.transaction(async (tx) => {
    const redeemed = { tokenHash, userId, passwordHash, nowMs: clock.nowMs() }
    const { link, user } = await redeem(tx, redeemed)
    // Only now: a token that was made while this waited for the row of the person must end, too.
    const nowMs = clock.nowMs()
    await endAccess(tx, { userId, nowMs })
    if (link.resetsTwoStep) await deleteSecondFactor(tx, userId)
    const { accountId } = user
    const revokedKeys = body.revokeKeys
      ? await revokeKeysMadeBy(tx, { accountId, userId, nowMs })
      : 0
    const entry = {
      userId,
      ipAddress,
      nowMs,
      target: keysText('with a recovery link', revokedKeys),
    }
    await insertAuditOfUser(tx, { ...entry, action: 'password.changed' })
    return { user, revokedKeys }
  })
  verifier.forgetAccount(user.accountId)
  return answer({ email: user.email, revokedKeys })
}

type Redeemed = { tokenHash: string; userId: string; passwordHash: string; nowMs: number }

/** Uses the link and sets the password, if whoever made the link may still make one. */
async function redeem(tx: Tx, { tokenHash, userId, passwordHash, nowMs }: Redeemed) {
  const accountId = (await readUser(tx, userId))?.accountId
  if (accountId === undefined) throw refused()
  // Before the link is deleted: whoever changes its maker locks in this order, too.
  await lockAccount(tx, accountId)
  const link = await useRecoveryLink(tx, tokenHash, nowMs)
  if (!link) throw refused()
  const { madeBy } = link
  if (madeBy !== null && !(await mayMakeLinks(tx, { accountId, userId: madeBy }))) throw refused()
  const user = await setPassword(tx, userId, passwordHash)
  if (!user) throw refused()
  return { link, user }
}
