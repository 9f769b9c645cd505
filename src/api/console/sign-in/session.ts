import { toRfc3339 } from '#core/clock.ts'
import { Type } from '#core/schema.ts'
import { answer } from '../../operation.ts'
import { Closed, Nullable, Timestamp } from '../../schemas.ts'
import { defineConsole, requireSession } from '../context.ts'
import { SignedIn } from '../fields.ts'
import { isOperatedBy } from '../operator/operator-account.ts'
import { isSignUpOpen } from '../register.ts'

const FailedSignIns = Closed(
  {
    count: Type.Integer({ minimum: 1 }),
    lastAt: Timestamp,
    ipAddress: Nullable(Type.String({ description: 'Where the last one came from.' })),
  },
  { description: 'Failed tries to sign in as this person before this session began.' },
)

export const getSession = defineConsole({
  id: 'getSession',
  route: 'GET /session',
  summary: 'Shows who is signed in and the ways to sign in',
  access: 'public',
  success: {
    200: {
      description: 'The session, or null, and the ways to sign in.',
      data: Closed({
        session: Nullable(
          Closed({ ...SignedIn.properties, failedSignIns: Nullable(FailedSignIns) }),
        ),
        operator: Type.Boolean({ description: 'True for those who may manage all accounts.' }),
        signUpOpen: Type.Boolean(),
        oidc: Type.Boolean({ description: 'True if an OpenID provider is configured.' }),
      }),
    },
  },
  errors: ['ACCOUNT_DISABLED'],
  async handle(context) {
    const { services } = context
    const session = context.session && requireSession(context)
    return answer({
      session: session && {
        user: { id: session.userId, email: session.email },
        account: { id: session.accountId },
        role: session.role,
        failedSignIns: session.failedBefore && {
          count: session.failedBefore.count,
          lastAt: toRfc3339(session.failedBefore.lastAtMs),
          ipAddress: session.failedBefore.lastFrom,
        },
      },
      operator: session?.role === 'owner' && (await isOperatedBy(services.db, session.accountId)),
      signUpOpen: isSignUpOpen(services),
      oidc: services.oidc !== null,
    })
  },
})
