import { Failure } from '#core/errors.ts'
import { answer } from '#operations/operation.ts'
import { Closed } from '#operations/schemas.ts'
import { readAccount } from '#store/tables/accounts.ts'
import { deleteSession } from '#store/tables/sessions.ts'
import { findUserByEmail } from '#store/tables/users.ts'
import { defineDeveloper, signInRefused } from '../context.ts'
import { cookieHeader, Email, GivenPassword, SignedIn, toStoredEmail } from '../fields.ts'

const userDisabled = () =>
  new Failure('ACCOUNT_DISABLED', {
    message: 'You may not use this account at present. Ask one of its owners.',
  })

export const signIn = defineDeveloper({
  id: 'signIn',
  route: 'POST /sign-in',
  summary: 'Signs in with e-mail and password',
  access: 'public',
  body: Closed({ email: Email, password: GivenPassword }),
  success: { 200: { description: 'Signed in.', data: SignedIn, headers: cookieHeader } },
  errors: ['INVALID_CREDENTIAL', 'ACCOUNT_DISABLED'],
  repeatable: false,
  async handle({ services, session, ipAddress }, { body }) {
    const { db, passwords, sessions } = services
    const email = toStoredEmail(body.email)
    services.signInLimits.admit(ipAddress, email)
    const user = await findUserByEmail(db, email)
    const isRight = await passwords.verify(body.password, user?.passwordHash ?? null)
    if (!user || !isRight) throw signInRefused('The e-mail or the password is not right.')
    const account = await readAccount(db, user.accountId)
    if (account?.disabledAtMs !== null) throw new Failure('ACCOUNT_DISABLED')
    if (user.disabledAtMs !== null) throw userDisabled()
    const cookie = await db.transaction(async (tx) => {
      // The cookie is about to be replaced, and then nobody could end the old session.
      if (session) await deleteSession(tx, session.tokenHash)
      return sessions.start(tx, user.id)
    })
    return answer(
      {
        user: { id: user.id, email: user.email },
        account: { id: user.accountId },
        role: user.role,
      },
      { headers: { 'set-cookie': cookie } },
    )
  },
})

export const signOut = defineDeveloper({
  id: 'signOut',
  route: 'POST /sign-out',
  summary: 'Ends the session',
  access: 'public',
  success: { 200: { description: 'Signed out.', data: Closed({}), headers: cookieHeader } },
  errors: [],
  repeatable: true,
  async handle({ services, session }) {
    return answer({}, { headers: { 'set-cookie': await services.sessions.end(session) } })
  },
})
