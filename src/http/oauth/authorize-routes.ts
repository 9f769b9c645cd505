// The page where a person decides whether a program may act for them. Nobody is redirected to the
// client's address before they have seen where it leads: anybody can register an address, so an
// automatic redirect would make this server an open redirector (RFC 9700, 4.11.2).
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import {
  type AuthorizationRequest,
  answerAddress,
  chosenScopes,
  readAuthorization,
  redirectUriOf,
} from '#auth/oauth/authorization.ts'
import type { Clients } from '#auth/oauth/clients.ts'
import type { Consents } from '#auth/oauth/consent.ts'
import { OAuthError } from '#auth/oauth/oauth-error.ts'
import { readParameters, requireParameter } from '#auth/oauth/parameters.ts'
import { oauthPaths } from '#auth/oauth/server-metadata.ts'
import type { AccountLimit } from '#auth/rate-limit.ts'
import { isSameOrigin } from '#auth/same-origin.ts'
import type { Session, Sessions } from '#auth/sessions.ts'
import { Failure } from '#core/errors.ts'
import type { Gate } from '../api-surface.ts'
import type { Page } from '../pages/page.ts'
import { sendPage } from '../pages/send-page.ts'
import { consentPage, refusalPage } from './consent-page.ts'
import { readUrlForm, urlFormType } from './url-form.ts'

export type AuthorizePage = {
  baseUrl: string
  resource: string
  clients: Clients
  consents: Consents
  sessions: Pick<Sessions, 'resolve'>
  /** Limits how many client documents are fetched for the people of an account. */
  documents: AccountLimit
  countAddress: Gate['countAddress']
}

export function mountAuthorizePage(app: FastifyInstance, deps: AuthorizePage) {
  app.get(oauthPaths.authorize, async (request, reply) => {
    const query = request.url.slice(request.url.indexOf('?') + 1)
    const session = await deps.sessions.resolve(request.headers.cookie)
    if (!session) {
      const refused = deps.countAddress(request.ip)
      if (refused) throw refused
      return goTo(reply, `/console/sign-in?${new URLSearchParams({ authorize: query })}`)
    }
    if (session.accountDisabled) throw new Failure('ACCOUNT_DISABLED')
    return show(deps, reply, session, new URLSearchParams(query))
  })
  app.post(oauthPaths.authorize, {
    config: { streams: [urlFormType] },
    handler: (request, reply) => decide(deps, request, reply),
  })
}

async function show(
  deps: AuthorizePage,
  reply: FastifyReply,
  session: Session,
  query: URLSearchParams,
) {
  const outcome = await examine(deps, session, query)
  if ('page' in outcome) return sendAlone(reply.code(400), outcome.page)
  return sendConsent(deps, reply, session, outcome.request)
}

function sendConsent(
  deps: AuthorizePage,
  reply: FastifyReply,
  session: Session,
  request: AuthorizationRequest,
  problem?: string,
) {
  const form = { sealed: deps.consents.seal(session, request), email: session.email, problem }
  return sendAlone(reply.code(problem ? 400 : 200), consentPage(request, form))
}

type Examined = { request: AuthorizationRequest } | { page: Page }

/** The request for the person to decide, or a page that says why it is not acceptable. */
async function examine(
  { clients, documents, resource, baseUrl }: AuthorizePage,
  session: Session,
  query: URLSearchParams,
): Promise<Examined> {
  let answerTo: { redirectUri: string; state: string | null } | null = null
  try {
    const parameters = readParameters(query)
    const clientId = requireParameter(parameters, 'client_id')
    const client = await clients.find(clientId, () => documents.admit(session.accountId))
    const redirectUri = redirectUriOf(client, parameters)
    answerTo = { redirectUri, state: parameters.state ?? null }
    const limits = { redirectUri, resource, role: session.role }
    return { request: readAuthorization(client, parameters, limits) }
  } catch (error) {
    if (!(error instanceof OAuthError)) throw error
    const answer = { error: error.code, error_description: error.message }
    const backTo = answerTo && answerAddress(answerTo, answer, baseUrl)
    return { page: refusalPage(error.message, backTo) }
  }
}

async function decide(deps: AuthorizePage, request: FastifyRequest, reply: FastifyReply) {
  const { baseUrl, consents } = deps
  const headers = request.headers as Record<string, string | undefined>
  if (!isSameOrigin(headers, baseUrl)) throw new Failure('ORIGIN_NOT_ALLOWED')
  const form = await readUrlForm(request)
  // Only now: a sender may take half a minute over the form, and be signed out meanwhile.
  const session = await deps.sessions.resolve(request.headers.cookie)
  const asked = session && consents.open(session, form.get('request') ?? '')
  if (!session || !asked) {
    const message = 'This page has expired. Go back to the app and connect again.'
    return sendAlone(reply.code(400), refusalPage(message, null))
  }
  if (session.accountDisabled) throw new Failure('ACCOUNT_DISABLED')
  if (form.get('decision') !== 'allow') {
    const denied = { error: 'access_denied', error_description: 'The person said no.' } as const
    return goTo(reply, answerAddress(asked, denied, baseUrl))
  }
  const scopes = chosenScopes(asked, form.getAll('scope'))
  if (scopes.length === 0) {
    return sendConsent(deps, reply, session, asked, 'Choose at least one permission.')
  }
  const code = await consents.grant(session, asked, scopes)
  return goTo(reply, answerAddress(asked, { code }, baseUrl))
}

const goTo = (reply: FastifyReply, address: string) =>
  reply.code(303).header('cache-control', 'no-store').header('location', address).send()

/**
 * Neither cached nor shown in a frame. The referrer policy lets the form show that it comes from
 * here, which `no-referrer` would hide (`Origin: null`), and reveals nothing to other sites.
 */
const sendAlone = (reply: FastifyReply, page: Page) =>
  sendPage(reply, page, {
    'cache-control': 'no-store',
    'referrer-policy': 'same-origin',
    'x-frame-options': 'DENY',
  })
