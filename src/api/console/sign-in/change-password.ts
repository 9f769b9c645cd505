import { endAccess, revokeKeysMadeBy } from '#store/tables/ended-access.ts'
import { readUser, replacePassword } from '#store/tables/users.ts'
import { type Answer, answer } from '../../operation.ts'
import { Closed } from '../../schemas.ts'
import { type ConsoleContext, defineConsole, requireSession, signInRefused } from '../context.ts'
import { GivenPassword, keysText, NewPassword, RevokedKeys, RevokeKeys } from '../fields.ts'
import { limitedProof } from './failed-sign-in.ts'

const wrong = () => signInRefused('The current password is wrong.')

export const changePassword = defineConsole({
  id: 'changePassword',
  route: 'POST /password',
  summary: 'Changes the password, ends all other sessions and disconnects all apps',
  description:
    'Also ends your access tokens, recovery links for you and an unfinished two-step set-up. Your API keys stay, unless you ask to revoke them.',
  access: 'viewer',
  body: Closed({
    currentPassword: GivenPassword,
    newPassword: NewPassword,
    revokeKeys: RevokeKeys,
  }),
  success: { 200: { description: 'Changed.', data: Closed({ revokedKeys: RevokedKeys }) } },
  errors: ['INVALID_CREDENTIAL'],
  audit: { action: 'password.changed', target: () => 'with the current password' },
  repeatable: false,
  handle(context, { body }) {
    // Limited, so that a stolen session cannot be used to guess the password.
    return limitedProof(context, () => change(context, body))
  },
})

type Given = { currentPassword: string; newPassword: string; revokeKeys?: boolean }

async function change(context: ConsoleContext, given: Given): Promise<Answer> {
  const { db, clock, passwords, verifier } = context.services
  const { accountId, userId, tokenHash } = requireSession(context)
  const from = (await readUser(db, userId))?.passwordHash ?? null
  const isRight = await passwords.verify(given.currentPassword, from)
  if (from === null || !isRight) throw wrong()
  const to = await passwords.hash(given.newPassword)
  const revokedKeys = await db.transaction(async (tx) => {
    if (!(await replacePassword(tx, userId, { from, to }))) throw wrong()
    // Only now: a token that was made while this waited for the row of the person must end, too.
    const nowMs = clock.nowMs()
    await endAccess(tx, { userId, nowMs, exceptSession: tokenHash })
    const revoked = given.revokeKeys ? await revokeKeysMadeBy(tx, { accountId, userId, nowMs }) : 0
    context.describe?.(keysText('with the current password', revoked))
    return revoked
  })
  verifier.forgetAccount(accountId)
  return answer({ revokedKeys })
}
