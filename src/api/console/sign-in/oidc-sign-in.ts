import type { OidcAttempt, OidcClient } from '#auth/oidc.ts'
import type { OidcPerson } from '#auth/oidc-person.ts'
import { hashToken } from '#auth/token-hash.ts'
import { Failure } from '#core/errors.ts'
import { type Static, Type } from '#core/schema.ts'
import { StoreUnavailable, type Tx, UniqueViolation } from '#store/db.ts'
import { readAccount } from '#store/tables/accounts.ts'
import type { Device } from '#store/tables/sessions.ts'
import { findUserByOidc } from '#store/tables/users.ts'
import { type Answer, answer } from '../../operation.ts'
import { Closed, OneOf } from '../../schemas.ts'
import { type ConsoleServices, defineConsole } from '../context.ts'
import { cookieHeader, LinkToken } from '../fields.ts'
import { registerUser } from '../register.ts'
import { deviceOf } from './device.ts'
import { Authorize, landingUrl, type OidcLink, openAttempt, sealAttempt } from './oidc-attempt.ts'
import { keepProfile, meansOf, redeemLink } from './oidc-profile.ts'

/** Shown by the console's sign-in page: the browser is redirected, so no JSON can be returned. */
type Problem = 'unavailable' | 'denied' | 'expired' | 'refused' | 'sign-up-closed' | 'disabled'

const redirect = (location: string, cookie?: string): Answer => ({
  status: 303,
  headers: { location, 'cache-control': 'no-store', ...(cookie && { 'set-cookie': cookie }) },
  body: undefined,
})

const backToSignIn = ({ baseUrl }: ConsoleServices, problem: Problem): Answer =>
  redirect(`${baseUrl}/console/sign-in?error=${problem}`)

function requireOidc({ oidc }: ConsoleServices): OidcClient {
  if (oidc) return oidc
  throw new Failure('ROUTE_NOT_FOUND', { message: 'No OpenID provider is configured.' })
}

const redirected = {
  303: {
    description: 'Continue at the address in Location.',
    headers: { Location: { schema: Type.String(), description: 'Where to continue.' } },
  },
}

export const startOidc = defineConsole({
  id: 'startOidcSignIn',
  route: 'GET /oidc/start',
  summary: 'Sends the browser to the OpenID provider',
  access: 'public',
  query: Type.Object({ authorize: Authorize }),
  success: redirected,
  errors: ['ROUTE_NOT_FOUND'],
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

export const finishOidc = defineConsole({
  id: 'finishOidcSignIn',
  route: 'GET /oidc/callback',
  summary: 'Receives the browser back from the OpenID provider',
  access: 'public',
  query: CallbackQuery,
  success: redirected,
  errors: ['ROUTE_NOT_FOUND'],
  repeatable: false,
  async handle(context, { query }) {
    const { services, headerValues } = context
    const oidc = requireOidc(services)
    const attempt = openAttempt(services, headerValues('cookie').join('; '))
    const person = await identify(oidc, attempt, query)
    if (typeof person === 'string') return backToSignIn(services, person)
    const location = landingUrl(services, attempt?.authorize)
    return enter(services, person, {
      location,
      link: attempt?.link,
      device: deviceOf(context),
      ipAddress: context.ipAddress,
    })
  },
})

export const startOidcWithLink = defineConsole({
  id: 'startOidcWithLink',
  route: 'POST /oidc/link',
  summary: 'Begins to use a set-up link or an invitation with the OpenID provider',
  access: 'public',
  body: Closed({ kind: OneOf(['set-up', 'invitation']), token: LinkToken }),
  success: {
    200: {
      description: 'Where to send the browser.',
      data: Closed({ address: Type.String() }),
      headers: cookieHeader,
    },
  },
  errors: ['ROUTE_NOT_FOUND', 'SERVICE_UNAVAILABLE'],
  audit: { none: 'Changes nothing; the sign-in that follows is recorded.' },
  repeatable: true,
  async handle({ services }, { body: { kind, token } }) {
    const { url, attempt } = await requireOidc(services)
      .begin()
      .catch((cause) => {
        if (cause instanceof Failure) throw cause
        const message = 'The OpenID provider cannot be reached right now.'
        throw new Failure('SERVICE_UNAVAILABLE', { message, cause })
      })
    const link = { kind, tokenHash: hashToken(token) }
    const cookie = sealAttempt(services, { ...attempt, link })
    return answer({ address: url }, { headers: { 'set-cookie': cookie } })
  },
})

/** The link and device that the person came with, and where they are sent after signing in. */
type Arrival = { location: string; link: OidcLink | undefined; device: Device; ipAddress: string }

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
  services: ConsoleServices,
  person: OidcPerson,
  arrival: Arrival,
): Promise<Answer> {
  const { db, sessions } = services
  const user = await findUserByOidc(db, person)
  if (!user) return register(services, person, arrival)
  const account = await readAccount(db, user.accountId)
  if (account?.disabledAtMs !== null || user.disabledAtMs !== null)
    return backToSignIn(services, 'disabled')
  try {
    const cookie = await db.transaction(async (tx) => {
      await keepProfile(tx, user, person)
      return sessions.start(tx, { userId: user.id }, arrival.device)
    })
    return redirect(arrival.location, cookie)
  } catch (failure) {
    // Somebody else has taken the e-mail in the meantime.
    if (failure instanceof UniqueViolation) return enter(services, person, arrival)
    if (!(failure instanceof Failure && failure.code === 'INVALID_CREDENTIAL')) throw failure
    return backToSignIn(services, 'disabled')
  }
}

async function register(
  services: ConsoleServices,
  person: OidcPerson,
  arrival: Arrival,
): Promise<Answer> {
  const { db, clock, sessions } = services
  const { ipAddress } = arrival
  const begin = async (tx: Tx, user: { id: string }) =>
    redirect(arrival.location, await sessions.start(tx, { userId: user.id }, arrival.device))
  try {
    if (!arrival.link) {
      return await registerUser({ services, ipAddress }, await meansOf(db, person), begin)
    }
    const link = { ...arrival.link, nowMs: clock.nowMs(), ipAddress }
    return await db.transaction(async (tx) => begin(tx, await redeemLink(tx, link, person)))
  } catch (failure) {
    // The same person has signed in from another window, or somebody took the e-mail, meanwhile.
    if (failure instanceof UniqueViolation) return enter(services, person, arrival)
    if (!(failure instanceof Failure)) throw failure
    return backToSignIn(services, failure.status === 404 ? 'sign-up-closed' : 'refused')
  }
}
