// Requests that may name an Idempotency-Key: with the same key and body they are carried out once.
// A caller who leaves does not stop such a request, because a lost connection looks the same and
// the answer is kept for whoever asks again.
import type { FastifyRequest } from 'fastify'
import type { KeptAnswer, KeptAnswers } from '#api/kept-answers.ts'
import type { Answer, Operation } from '#api/operation.ts'
import { fingerprintOf, readKey } from '#api/public/runs/idempotency.ts'
import { tagHeaderName } from '#core/budgets.ts'
import type { Failure } from '#core/errors.ts'
import { failureBody, toFailure } from './failure-reply.ts'

export const replayedHeader = { 'Idempotent-Replayed': 'true' }

export const jsonType = 'application/json; charset=utf-8'

/** Whether requests may name a key, but need not. */
export const takesKey = ({ requestHeaders }: Pick<Operation<never>, 'requestHeaders'>): boolean =>
  requestHeaders?.['Idempotency-Key']?.required === false

export const hasKey = ({ headers }: FastifyRequest): boolean =>
  headers['idempotency-key'] !== undefined

/** `body` is what was asked for, without what differs between two equal requests. */
export const keyedRequest = (
  request: FastifyRequest,
  accountId: string,
  body: unknown,
): Parameters<KeptAnswers['claim']>[0] => {
  const { operation, params, query } = request
  const { alt } = query as { alt?: unknown }
  const tag = request.headers[tagHeaderName]
  const content = { operation: operation?.id, params, alt, body, tag }
  return { accountId, key: keyOf(request), fingerprint: fingerprintOf(content) }
}

/** Throws if it is no acceptable key. */
export const keyOf = ({ raw }: FastifyRequest): string =>
  readKey((name) => headerValues(raw.rawHeaders, name))

export function headerValues(rawHeaders: readonly string[], name: string): string[] {
  const values: string[] = []
  for (let i = 0; i < rawHeaders.length; i += 2) {
    if (rawHeaders[i]?.toLowerCase() === name) values.push(rawHeaders[i + 1] ?? '')
  }
  return values
}

type Once = { request: FastifyRequest; accountId: string; body: unknown }

export async function answerOnce(
  kept: KeptAnswers,
  { request, accountId, body }: Once,
  make: () => Promise<Answer> | Answer,
): Promise<Answer> {
  const claim = await kept.claim(keyedRequest(request, accountId, body))
  if ('replay' in claim) {
    const { status, headers, body } = claim.replay
    return { status, headers: { ...headers, ...replayedHeader }, body }
  }
  try {
    const answer = await make()
    await claim.claimed.keep(keptForm(answer))
    return answer
  } catch (error) {
    const failure = toFailure(error, request.operation ?? { repeatable: false })
    if (failure.startedNothing) await claim.claimed.release()
    else await claim.claimed.keep(failureForm(failure, request.id))
    throw failure
  }
}

const keptForm = ({ status, headers, body }: Answer): KeptAnswer => ({
  status,
  headers: { 'Content-Type': jsonType, ...headers },
  body: Buffer.from(typeof body === 'string' ? body : JSON.stringify(body)),
})

const failureForm = (failure: Failure, requestId: string): KeptAnswer => ({
  status: failure.status,
  headers: { ...failure.headers, 'Content-Type': jsonType },
  body: Buffer.from(JSON.stringify(failureBody(failure, requestId))),
})
