import { answer } from '#operations/operation.ts'
import { Closed } from '#operations/schemas.ts'
import { deleteOtherSessions } from '#store/tables/sessions.ts'
import { readUser, replacePassword } from '#store/tables/users.ts'
import { defineDeveloper, requireSession, signInRefused } from '../context.ts'
import { GivenPassword, NewPassword } from '../fields.ts'

const wrong = () => signInRefused('The current password is wrong.')

export const changePassword = defineDeveloper({
  id: 'changePassword',
  route: 'POST /password',
  summary: 'Changes the password and ends all other sessions',
  access: 'viewer',
  body: Closed({ currentPassword: GivenPassword, newPassword: NewPassword }),
  success: { 200: { description: 'Changed.', data: Closed({}) } },
  errors: ['INVALID_CREDENTIAL'],
  audit: { action: 'password.changed' },
  repeatable: false,
  async handle(context, { body }) {
    const { db, passwords, signInLimits } = context.services
    const { userId, email, tokenHash } = requireSession(context)
    // Rate-limited, so that a stolen session cannot be used to guess the password.
    signInLimits.admit(context.ipAddress, email ?? userId)
    const from = (await readUser(db, userId))?.passwordHash ?? null
    const isRight = await passwords.verify(body.currentPassword, from)
    if (from === null || !isRight) throw wrong()
    const to = await passwords.hash(body.newPassword)
    await db.transaction(async (tx) => {
      if (!(await replacePassword(tx, userId, { from, to }))) throw wrong()
      await deleteOtherSessions(tx, userId, tokenHash)
    })
    return answer({})
  },
})
