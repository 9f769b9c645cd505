import { Failure } from '#core/errors.ts'
import { Type } from '#core/schema.ts'
import { readAccount } from '#store/tables/accounts.ts'
import { deleteSession } from '#store/tables/sessions.ts'
import { findUserByEmail } from '#store/tables/users.ts'
import { type Answer, answer, type CallContext } from '../../operation.ts'
import { Closed } from '../../schemas.ts'
import { type ConsoleContext, defineConsole, signInRefused } from '../context.ts'
import {
  cookieHeader,
  Email,
  GivenPassword,
  SignedIn,
  SignInCode,
  toStoredEmail,
} from '../fields.ts'
import { passSecondStep } from '../security/second-step.ts'
import { deviceOf } from './device.ts'
import { limitedSignIn, recordFailure } from './failed-sign-in.ts'

const userDisabled = () =>
  new Failure('ACCOUNT_DISABLED', {
    message: 'You may not use this account at present. Ask one of its owners.',
  })

export const signIn = defineConsole({
  id: 'signIn',
  route: 'POST /sign-in',
  summary: 'Signs in with e-mail and password',
  access: 'public',
  description:
    'Whoever has two-step sign-in on is answered with 401 `CODE_REQUIRED`, and sends the same again with a `code`.',
  body: Closed({ email: Email, password: GivenPassword, code: Type.Optional(SignInCode) }),
  success: { 200: { description: 'Signed in.', data: SignedIn, headers: cookieHeader } },
  errors: ['INVALID_CREDENTIAL', 'CODE_REQUIRED', 'ACCOUNT_DISABLED'],
  audit: { byItself: ['sign-in', 'sign-in.failed', 'sign-in.limited'] },
  repeatable: false,
  handle(context, { body }) {
    const email = toStoredEmail(body.email)
    return limitedSignIn(context, email, () => enter(context, { ...body, email }))
  },
})

type Entering = { email: string; password: string; code?: string }

async function enter(
  context: ConsoleContext & CallContext,
  { email, password, code }: Entering,
): Promise<Answer> {
  const { services, session } = context
  const { db, passwords, sessions } = services
  const user = await findUserByEmail(db, email)
  const isRight = await passwords.verify(password, user?.passwordHash ?? null)
  // Not awaited: the answer must take as long as for an unknown e-mail.
  if (user && !isRight) void recordFailure(context, user.id, 'password')
  if (!user || !isRight) throw signInRefused('The e-mail or the password is wrong.')
  const account = await readAccount(db, user.accountId)
  if (account?.disabledAtMs !== null) throw new Failure('ACCOUNT_DISABLED')
  if (user.disabledAtMs !== null) throw userDisabled()
  const verified = { userId: user.id, passwordHash: user.passwordHash ?? '' }
  const entered = db.transaction(async (tx) => {
    await passSecondStep(tx, services, user.id, code)
    // The cookie is about to be replaced, and then nobody could end the old session.
    if (session) await deleteSession(tx, session.tokenHash)
    return sessions.start(tx, verified, deviceOf(context))
  })
  const cookie = await entered.catch(async (error) => {
    // The password was right, so somebody who knows it may be guessing the code.
    if (error instanceof Failure && error.code === 'INVALID_CREDENTIAL')
      await recordFailure(context, user.id, 'code')
    throw error
  })
  return answer(
    {
      user: { id: user.id, email: user.email },
      account: { id: user.accountId },
      role: user.role,
    },
    { headers: { 'set-cookie': cookie } },
  )
}

export const signOut = defineConsole({
  id: 'signOut',
  route: 'POST /sign-out',
  summary: 'Ends the session',
  access: 'public',
  success: { 200: { description: 'Signed out.', data: Closed({}), headers: cookieHeader } },
  audit: { byItself: ['sign-out'] },
  repeatable: true,
  async handle({ services, session, ipAddress }) {
    const cookie = await services.sessions.end(session, ipAddress)
    return answer({}, { headers: { 'set-cookie': cookie } })
  },
})
