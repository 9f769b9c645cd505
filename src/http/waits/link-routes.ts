// The page /w/<token>, where somebody without an account approves or rejects. Reading it never
// decides anything: mail scanners open every link. Only its own form does, once.
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import {
  answerByLink,
  type LinkedWait,
  readLinked,
  readSubject,
} from '#api/public/waits/by-link.ts'
import { latenessRead } from '#api/public/waits/known-waits.ts'
import { isSameOrigin } from '#auth/same-origin.ts'
import { Failure } from '#core/errors.ts'
import type { Lateness } from '#core/wait-answers.ts'
import type { WaitAnswer } from '#core/wait-facts.ts'
import { readUrlForm, urlFormType } from '../oauth/url-form.ts'
import type { Page } from '../pages/page.ts'
import { sendPage } from '../pages/send-page.ts'
import type { KnownPath } from '../path-table.ts'
import { type WaitRoutes, waitOf } from './callback-route.ts'
import { readFormFields } from './form-fields.ts'
import { type ClosedState, closedPage, openPage } from './link-page.ts'

export const linkPath: KnownPath = {
  path: '/w/{token}',
  methods: ['GET', 'HEAD', 'POST'],
  isPublic: false,
}

export function mountLinkPage(app: FastifyInstance, deps: WaitRoutes) {
  app.get('/w/:token', (request, reply) => served(reply, () => show(deps, request, reply)))
  app.post('/w/:token', {
    config: { streams: [urlFormType] },
    handler: (request, reply) => served(reply, () => decide(deps, request, reply)),
  })
}

/** What is late or unknown is a page too, not an error of an API. */
async function served(reply: FastifyReply, work: () => Promise<FastifyReply>) {
  try {
    return await work()
  } catch (error) {
    const state = error instanceof Failure ? closedBy[error.code] : undefined
    if (!state) throw error
    return sendAlone(reply.code(state === 'unknown' ? 404 : 410), closedPage(state))
  }
}

const closedBy: Partial<Record<string, ClosedState>> = {
  WAIT_NOT_FOUND: 'unknown',
  WAIT_ALREADY_ANSWERED: 'answered',
  WAIT_EXPIRED: 'expired',
  WAIT_CANCELLED: 'cancelled',
} satisfies Partial<Record<Lateness | 'WAIT_NOT_FOUND', ClosedState>>

async function show(deps: WaitRoutes, request: FastifyRequest, reply: FastifyReply) {
  const wait = await linked(deps, request)
  assertOpen(wait)
  return sendOpen(deps, reply, wait)
}

function assertOpen(wait: LinkedWait) {
  const late = latenessRead(wait)
  if (late) throw new Failure(late)
}

async function linked(deps: WaitRoutes, request: FastifyRequest): Promise<LinkedWait> {
  const wait = await readLinked(deps.services, waitOf(deps, 'link', request))
  if (!wait) throw new Failure('WAIT_NOT_FOUND')
  return wait
}

async function sendOpen(
  { services }: WaitRoutes,
  reply: FastifyReply,
  wait: LinkedWait,
  again: { problem?: string; given?: URLSearchParams } = {},
) {
  const value = await readSubject(services, wait)
  const nonce = services.waits.tokens.nonceOf(wait.id)
  const { baseUrl } = services
  return sendAlone(reply, openPage({ wait, value, baseUrl, nonce, ...again }))
}

async function decide(deps: WaitRoutes, request: FastifyRequest, reply: FastifyReply) {
  const { services } = deps
  const headers = request.headers as Record<string, string | undefined>
  if (!isFromOwnPage(headers, services.baseUrl)) throw new Failure('ORIGIN_NOT_ALLOWED')
  const wait = await linked(deps, request)
  const given = await readUrlForm(request)
  if (!services.waits.tokens.isNonce(wait.id, given.get('nonce') ?? '')) {
    throw new Failure('ORIGIN_NOT_ALLOWED', { message: 'Open the link again and decide there.' })
  }
  const answer = readAnswer(wait, given)
  if (!answer) assertOpen(wait)
  if (!answer) return sendOpen(deps, reply.code(422), wait, { problem: 'Choose a button.', given })
  try {
    await answerByLink(services, wait, answer, request.ip)
  } catch (error) {
    if (!(error instanceof Failure) || error.code !== 'ANSWER_INVALID') throw error
    return sendOpen(deps, reply.code(422), wait, { problem: problemOf(error), given })
  }
  return sendAlone(reply, closedPage('sent'))
}

/** The first field that does not fit, by its name and not by its path. */
const problemOf = ({ message }: Failure): string => message.replace(/^\/response\/?/, '')

function readAnswer({ details: { form } }: LinkedWait, given: URLSearchParams): WaitAnswer | null {
  const decision = given.get('decision')
  if (decision === 'reject') return { decision }
  if (decision !== 'approve') return null
  return form ? { decision, response: readFormFields(form, given) } : { decision }
}

/**
 * A page without a referrer sends `Origin: null` with its form; that it is ours is then said by
 * Sec-Fetch-Site, which no page can set.
 */
function isFromOwnPage(headers: Record<string, string | undefined>, baseUrl: string): boolean {
  const { origin, 'sec-fetch-site': site } = headers
  if (origin === 'null') return site === 'same-origin'
  return isSameOrigin(headers, baseUrl)
}

const sendAlone = (reply: FastifyReply, page: Page) =>
  sendPage(reply, page, {
    'cache-control': 'no-store',
    'referrer-policy': 'no-referrer',
    'x-frame-options': 'DENY',
    'x-robots-tag': 'noindex, nofollow',
  })
