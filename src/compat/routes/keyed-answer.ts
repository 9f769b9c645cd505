// Answers in a vendor's format to requests that name an Idempotency-Key. A stream is kept once its
// last event is there, also if its reader has left meanwhile.
import { hash } from 'node:crypto'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { ClaimedKey, KeptAnswer, KeptAnswers } from '#api/kept-answers.ts'
import type { Principal } from '#core/principal.ts'
import { jsonType, keyedRequest, replayedHeader } from '#http/answer-once.ts'
import { toFailure } from '#http/failure-reply.ts'
import type { FormFields } from '#http/form-body.ts'
import type { CompatAnswer } from '../compat-api.ts'
import { piecesOf } from './send-pieces.ts'
import type { VendorForm } from './vendor-form.ts'

type Keyed = {
  request: FastifyRequest
  reply: FastifyReply
  form: VendorForm
  headersOf(answered: CompatAnswer): Record<string, string>
  handle(): Promise<CompatAnswer> | CompatAnswer
}

/** Undefined if the answer was there; it is sent already. */
export async function answerKeyed(
  kept: KeptAnswers,
  { request, reply, form, headersOf, handle }: Keyed,
): Promise<CompatAnswer | undefined> {
  const { principal } = request.admitted as { principal: Principal }
  const body = isForm(request.body) ? withDigests(request.body) : request.body
  const claim = await kept.claim(keyedRequest(request, principal.accountId, body))
  if ('replay' in claim) {
    const { status, headers, body: text } = claim.replay
    void reply
      .code(status)
      .headers({ ...headers, ...replayedHeader })
      .send(text)
    return undefined
  }
  const { claimed } = claim
  try {
    const answered = await handle()
    const headers = headersOf(answered)
    if (isWhole(answered)) {
      await claimed.keep({ status: 200, headers, body: Buffer.from(wholeText(answered)) })
      return answered
    }
    return 'events' in answered
      ? { ...answered, events: keptPieces(answered.events, claimed, headers) }
      : { ...answered, bytes: keptPieces(answered.bytes, claimed, headers) }
  } catch (error) {
    await endFailed(claimed, form, request, error)
    throw error
  }
}

export type Whole = Extract<CompatAnswer, { body: object } | { text: string }>

export const isWhole = (answered: CompatAnswer): answered is Whole =>
  'body' in answered || 'text' in answered

export const wholeText = (answered: Whole): string =>
  'body' in answered ? JSON.stringify(answered.body) : answered.text

export function contentTypeOf(answered: CompatAnswer): string {
  if ('body' in answered) return jsonType
  return 'text' in answered ? answered.contentType : piecesOf(answered).contentType
}

const isForm = (body: unknown): body is FormFields =>
  Array.isArray((body as Partial<FormFields> | null)?.files) &&
  (body as FormFields).files.every(({ bytes }) => bytes instanceof Uint8Array)

const withDigests = ({ files, ...fields }: FormFields) => ({
  ...fields,
  files: files.map(({ name, bytes }) => ({ name, sha256: hash('sha256', bytes) })),
})

async function endFailed(
  claimed: ClaimedKey,
  { statusOf, headersOf, bodyOf }: VendorForm,
  request: FastifyRequest,
  error: unknown,
) {
  const failure = toFailure(error, request.operation ?? { repeatable: false })
  if (failure.startedNothing) return claimed.release()
  const answer: KeptAnswer = {
    status: statusOf(failure),
    headers: { ...failure.headers, ...headersOf(failure), 'content-type': jsonType },
    body: Buffer.from(JSON.stringify(bodyOf(failure, request.id))),
  }
  return claimed.keep(answer)
}

/** The same pieces. They are read to their end whatever their reader does, and then kept. */
async function* keptPieces<Piece extends string | Uint8Array>(
  pieces: AsyncIterable<Piece>,
  claimed: ClaimedKey,
  headers: Record<string, string>,
): AsyncGenerator<Piece, void, undefined> {
  const source = pieces[Symbol.asyncIterator]()
  const read: Uint8Array[] = []
  const next = async (): Promise<IteratorResult<Piece>> => {
    const one = await source.next()
    if (one.done) await claimed.keep({ status: 200, headers, body: Buffer.concat(read) })
    else read.push(typeof one.value === 'string' ? Buffer.from(one.value) : one.value)
    return one
  }
  const readOn = async () => {
    while (!(await next()).done);
  }
  let isRead = false
  try {
    for (let one = await next(); !one.done; one = await next()) yield one.value
    isRead = true
  } catch (error) {
    isRead = true
    await claimed.keep(null)
    throw error
  } finally {
    if (!isRead) void readOn().catch(() => claimed.keep(null))
  }
}
