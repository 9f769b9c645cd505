// Anthropic's Message Batches: requests in one body, results line by line. A batch carries no mark of
// ours, so one whose submission was lost is recognised by the ids of its calls, once it has ended.
import { isRecord } from '#core/record.ts'
import type { LostBatch } from '#providers/batch-contract.ts'
import { clockMarginMs, readLines, readResult } from '#providers/batches.ts'
import type { Call, Endpoint } from '#providers/http-call.ts'
import {
  countOf,
  isPathId,
  type Json,
  parseJson,
  recordsOf,
  textOf,
} from '#providers/json-shape.ts'
import { type Batches, type BatchResult, ProviderError } from '#providers/provider.ts'
import { protocolError } from '#providers/refusal.ts'
import type { Answer } from '#providers/upstream.ts'
import { messagesBody } from './request.ts'
import { readMessage, refusal } from './response.ts'

const at = '/v1/messages/batches'
const pageSize = 100
const mostPages = 50

export function anthropicBatches(endpoint: Endpoint): Batches {
  const ask = async (call: Call): Promise<Json> => {
    const answer = await endpoint.call(call)
    if (answer.status !== 200) throw refusedJob(endpoint, answer)
    const json = parseJson(answer.body)
    if (!isRecord(json)) throw protocolError(endpoint, answer, 'not an object')
    return json
  }
  const linesOf = (ref: string, signal: Call['signal']) =>
    readLines(endpoint, { method: 'GET', at: `${at}/${ref}/results`, signal }, (answer) =>
      refusal(endpoint, answer),
    )
  const isOurs = async (ref: string, { callIds }: LostBatch, signal: Call['signal']) => {
    for await (const line of linesOf(ref, signal))
      return isRecord(line) && callIds.has(String(line.custom_id))
    return false
  }
  return {
    poolOf: () => at,
    bodyOf: (request) => JSON.stringify(messagesBody(endpoint, request)),
    async submit({ calls }, { signal, confirm }) {
      const requests = calls.map(
        ({ id, body }) => `{"custom_id":${JSON.stringify(id)},"params":${body}}`,
      )
      const body = `{"requests":[${requests.join(',')}]}`
      await confirm()
      const batch = await ask({ method: 'POST', at, body, signal })
      if (isPathId(batch.id)) return batch.id
      const message = `${endpoint.name}: a batch without an id`
      throw new ProviderError('protocol', { outcome: 'unknown', message })
    },
    async find(lost, { signal }) {
      let after = ''
      let isUndecided = false
      for (let page = 0; page < mostPages; page++) {
        const next = after === '' ? '' : `&after_id=${after}`
        const list = await ask({ method: 'GET', at: `${at}?limit=${pageSize}${next}`, signal })
        const batches = recordsOf(list.data)
        for (const batch of batches) {
          if (!mayBe(batch, lost) || !isPathId(batch.id)) continue
          if (batch.processing_status !== 'ended') isUndecided = true
          else if (await isOurs(batch.id, lost, signal)) return batch.id
        }
        const last = batches.at(-1)
        if (!last || createdAtMs(last) < earliestMs(lost) || list.has_more !== true)
          return isUndecided ? 'unknown' : null
        if (!isPathId(last.id)) return 'unknown'
        after = last.id
      }
      return 'unknown'
    },
    async poll(ref, { signal }) {
      const { processing_status: status } = await ask({ method: 'GET', at: `${at}/${ref}`, signal })
      return status === 'ended' ? { state: 'ended', rest: 'unknown' } : { state: 'running' }
    },
    async *results(ref, { signal }) {
      for await (const line of linesOf(ref, signal)) {
        const result = resultIn(endpoint, line)
        if (result) yield result
      }
    },
    async cancel(ref, { signal }) {
      await ask({ method: 'POST', at: `${at}/${ref}/cancel`, signal })
    },
  }
}

/** A batch may exist although its submission was answered with an error of the server. */
function refusedJob(endpoint: Endpoint, answer: Answer): ProviderError {
  const error = refusal(endpoint, answer)
  const { kind, message, status, retryAfterMs } = error
  const outcome = answer.status >= 500 ? 'unknown' : error.outcome
  return new ProviderError(kind, {
    ...{ outcome, message, cause: error },
    ...(status === undefined ? {} : { status }),
    ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
  })
}

const createdAtMs = ({ created_at }: Json): number => Date.parse(String(created_at))

const earliestMs = ({ submittedAtMs }: LostBatch): number => submittedAtMs - clockMarginMs

function mayBe(batch: Json, lost: LostBatch): boolean {
  const counts = isRecord(batch.request_counts) ? batch.request_counts : {}
  const size = Object.values(counts).reduce<number>((sum, count) => sum + countOf(count), 0)
  return (
    size === lost.callIds.size &&
    !lost.otherRefs.has(String(batch.id)) &&
    createdAtMs(batch) >= earliestMs(lost) &&
    createdAtMs(batch) <= lost.submittedUntilMs + clockMarginMs
  )
}

function resultIn(endpoint: Endpoint, line: unknown): BatchResult | null {
  if (!isRecord(line) || !isRecord(line.result)) return null
  const id = textOf(line.custom_id)
  if (id === undefined) return null
  const { type, message, error } = line.result
  if (type === 'succeeded') {
    const body = Buffer.from(JSON.stringify(message ?? null))
    return readResult(id, () => readMessage(endpoint, { status: 200, headers: {}, body }))
  }
  // Only requests that the vendor considers invalid are no use when sent again; none is billed.
  const isInvalid =
    type === 'errored' &&
    isRecord(error) &&
    isRecord(error.error) &&
    error.error.type === 'invalid_request_error'
  if (!isInvalid) return { id, unprocessed: true }
  const body = Buffer.from(JSON.stringify(error))
  return { id, error: refusal(endpoint, { status: 400, headers: {}, body }) }
}
