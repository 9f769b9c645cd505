import { answer } from '../../operation.ts'
import { Closed } from '../../schemas.ts'
import { defineConsole } from '../context.ts'
import { cookieHeader, Email, NewPassword, SignedIn, toStoredEmail } from '../fields.ts'
import { isSignUpOpen, registerUser, signUpClosed } from '../register.ts'
import { deviceOf } from './device.ts'

export const signUp = defineConsole({
  id: 'signUp',
  route: 'POST /sign-up',
  summary: 'Creates a user and signs in',
  access: 'public',
  body: Closed({ email: Email, password: NewPassword }),
  success: { 200: { description: 'Signed in.', data: SignedIn, headers: cookieHeader } },
  errors: ['ROUTE_NOT_FOUND'],
  audit: { byItself: ['account.created', 'sign-in'] },
  repeatable: false,
  async handle(context, { body }) {
    const { services } = context
    const refused = services.signUps.count(context.ipAddress)
    if (refused) throw refused
    // Checked before the expensive hash; the write itself checks again.
    if (!isSignUpOpen(services)) throw signUpClosed()
    const email = toStoredEmail(body.email)
    const passwordHash = await services.passwords.hash(body.password)
    return registerUser(context, { email, passwordHash, oidc: null }, async (tx, user) => {
      const cookie = await services.sessions.start(tx, { userId: user.id }, deviceOf(context))
      return answer(
        { user: { id: user.id, email }, account: { id: user.accountId }, role: 'owner' },
        { headers: { 'set-cookie': cookie } },
      )
    })
  },
})
