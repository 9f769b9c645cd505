import { Type } from '#core/schema.ts'
import { answer } from '#operations/operation.ts'
import { Closed, Nullable } from '#operations/schemas.ts'
import { defineDeveloper, requireSession } from '../context.ts'
import { SignedIn } from '../fields.ts'
import { isOperatedBy } from '../operator/operator-account.ts'
import { isSignUpOpen } from '../register.ts'

export const getSession = defineDeveloper({
  id: 'getSession',
  route: 'GET /session',
  summary: 'Shows who is signed in and the ways to sign in',
  access: 'public',
  success: {
    200: {
      description: 'The session, or null, and the ways to sign in.',
      data: Closed({
        session: Nullable(SignedIn),
        operator: Type.Boolean({ description: 'True for those who may manage all accounts.' }),
        signUpOpen: Type.Boolean(),
        oidc: Type.Boolean({ description: 'True if an OpenID provider is configured.' }),
      }),
    },
  },
  errors: ['ACCOUNT_DISABLED'],
  repeatable: true,
  async handle(context) {
    const { services } = context
    const session = context.session && requireSession(context)
    return answer({
      session: session && {
        user: { id: session.userId, email: session.email },
        account: { id: session.accountId },
        role: session.role,
      },
      operator: session?.role === 'owner' && (await isOperatedBy(services.db, session.accountId)),
      signUpOpen: isSignUpOpen(services),
      oidc: services.oidc !== null,
    })
  },
})
