import { hashToken } from '#auth/token-hash.ts'
import { Type } from '#core/schema.ts'
import { answer } from '#operations/operation.ts'
import { Closed } from '#operations/schemas.ts'
import { findSetupLink, useSetupLink } from '#store/tables/setup-links.ts'
import { completeUser } from '#store/tables/users.ts'
import { defineDeveloper, signInRefused } from '../context.ts'
import { cookieHeader, Email, NewPassword, SignedIn, toStoredEmail } from '../fields.ts'
import { withEmailCheck } from '../register.ts'

const linkRefused = () => signInRefused('This link was used or has expired.')

export const setUp = defineDeveloper({
  id: 'setUp',
  route: 'POST /set-up',
  summary: 'Sets the e-mail and password of the owner with the one-time link, and signs in',
  access: 'public',
  body: Closed({
    token: Type.String({ minLength: 1, maxLength: 100, description: 'From the link.' }),
    email: Email,
    password: NewPassword,
  }),
  success: { 200: { description: 'Signed in.', data: SignedIn, headers: cookieHeader } },
  errors: ['INVALID_CREDENTIAL'],
  repeatable: false,
  async handle({ services, ipAddress }, { body }) {
    const { db, clock, passwords, sessions } = services
    services.signInLimits.admit(ipAddress)
    const tokenHash = hashToken(body.token)
    const userId = await findSetupLink(db, tokenHash, clock.nowMs())
    if (userId === null) throw linkRefused()
    const email = toStoredEmail(body.email)
    const passwordHash = await passwords.hash(body.password)
    return withEmailCheck(() =>
      db.transaction(async (tx) => {
        if (!(await useSetupLink(tx, tokenHash, clock.nowMs()))) throw linkRefused()
        // Another link or a sign-up may have been faster.
        const user = await completeUser(tx, userId, { email, passwordHash, oidc: null })
        if (!user) throw linkRefused()
        return answer(
          { user: { id: userId, email }, account: { id: user.accountId }, role: user.role },
          { headers: { 'set-cookie': await sessions.start(tx, userId) } },
        )
      }),
    )
  },
})
