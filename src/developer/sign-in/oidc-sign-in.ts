import type { OidcAttempt, OidcClient, OidcPerson } from '#auth/oidc.ts'
import { Failure } from '#core/errors.ts'
import { type Static, Type } from '#core/schema.ts'
import type { Answer } from '#operations/operation.ts'
import { StoreUnavailable, UniqueViolation } from '#store/db.ts'
import { readAccount } from '#store/tables/accounts.ts'
import { findUserByEmail, findUserByOidc } from '#store/tables/users.ts'
import { type DeveloperServices, defineDeveloper } from '../context.ts'
import { registerUser } from '../register.ts'
import { Authorize, entrance, openAttempt, sealAttempt } from './oidc-attempt.ts'

/** Shown by the console's sign-in page: the browser is redirected, so no JSON can be returned. */
type Problem = 'unavailable' | 'denied' | 'expired' | 'refused' | 'sign-up-closed' | 'disabled'

const redirect = (location: string, cookie?: string): Answer => ({
  status: 303,
  headers: { location, 'cache-control': 'no-store', ...(cookie && { 'set-cookie': cookie }) },
  body: undefined,
})

const backToSignIn = ({ baseUrl }: DeveloperServices, problem: Problem): Answer =>
  redirect(`${baseUrl}/console/sign-in?error=${problem}`)

function requireOidc({ oidc }: DeveloperServices): OidcClient {
  if (oidc) return oidc
  throw new Failure('ROUTE_NOT_FOUND', { message: 'No OpenID provider is configured.' })
}

const redirected = {
  303: {
    description: 'Continue at the address in Location.',
    headers: { Location: { schema: Type.String(), description: 'Where to continue.' } },
  },
}

export const startOidc = defineDeveloper({
  id: 'startOidcSignIn',
  route: 'GET /oidc/start',
  summary: 'Sends the browser to the OpenID provider',
  access: 'public',
  query: Type.Object({ authorize: Authorize }),
  success: redirected,
  errors: ['ROUTE_NOT_FOUND'],
  repeatable: true,
  async handle({ services }, { query: { authorize } }) {
    const begun = await requireOidc(services)
      .begin()
      .catch(() => null)
    if (!begun) return backToSignIn(services, 'unavailable')
    return redirect(begun.url, sealAttempt(services, { ...begun.attempt, authorize }))
  },
})

const word = Type.Optional(Type.String({ maxLength: 4096 }))
const CallbackQuery = Type.Object({ code: word, state: word, error: word })

export const finishOidc = defineDeveloper({
  id: 'finishOidcSignIn',
  route: 'GET /oidc/callback',
  summary: 'Receives the browser back from the OpenID provider',
  access: 'public',
  query: CallbackQuery,
  success: redirected,
  errors: ['ROUTE_NOT_FOUND'],
  repeatable: false,
  async handle({ services, headerValues }, { query }) {
    const oidc = requireOidc(services)
    const attempt = openAttempt(services, headerValues('cookie').join('; '))
    const outcome = await identify(oidc, attempt, query)
    if (typeof outcome === 'string') return backToSignIn(services, outcome)
    return enter(services, outcome, entrance(services, attempt?.authorize))
  },
})

async function identify(
  oidc: OidcClient,
  attempt: OidcAttempt | null,
  { code, state, error }: Static<typeof CallbackQuery>,
): Promise<OidcPerson | Problem> {
  // Without this check, the answer could belong to someone else's sign-in.
  if (!attempt || attempt.state !== state) return 'expired'
  if (error !== undefined || code === undefined) return 'denied'
  try {
    return await oidc.finish(code, attempt)
  } catch (failure) {
    if (failure instanceof StoreUnavailable) throw failure
    return 'refused'
  }
}

async function enter(
  services: DeveloperServices,
  person: OidcPerson,
  location: string,
): Promise<Answer> {
  const { db, sessions } = services
  const user = await findUserByOidc(db, person)
  if (!user) return register(services, person, location)
  const account = await readAccount(db, user.accountId)
  if (account?.disabledAtMs !== null || user.disabledAtMs !== null)
    return backToSignIn(services, 'disabled')
  return redirect(location, await db.transaction((tx) => sessions.start(tx, user.id)))
}

async function register(
  services: DeveloperServices,
  person: OidcPerson,
  location: string,
): Promise<Answer> {
  const { db, sessions } = services
  const { issuer, subject, verifiedEmail } = person
  // An e-mail is no proof of identity here: matching users by e-mail would let a provider take
  // over an account.
  const isTaken = verifiedEmail !== null && (await findUserByEmail(db, verifiedEmail)) !== null
  const means = {
    email: isTaken ? null : verifiedEmail,
    passwordHash: null,
    oidc: { issuer, subject },
  }
  try {
    return await registerUser(services, means, async (tx, user) =>
      redirect(location, await sessions.start(tx, user.id)),
    )
  } catch (failure) {
    // The same person has signed in from another window in the meantime.
    if (failure instanceof UniqueViolation) return enter(services, person, location)
    if (!(failure instanceof Failure)) throw failure
    return backToSignIn(services, failure.status === 404 ? 'sign-up-closed' : 'refused')
  }
}
