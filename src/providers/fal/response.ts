import { isRecord } from '#core/record.ts'
import { type Json, parseJson, recordsOf, textOf } from '#providers/json-shape.ts'
import { fromDataUrl } from '#providers/media-encoding.ts'
import type {
  JobRef,
  Output,
  PollState,
  ProviderError,
  ProviderErrorKind,
} from '#providers/provider.ts'
import { endedError, protocolError, refusalError } from '#providers/refusal.ts'
import type { Answer, Upstream } from '#providers/upstream.ts'
import { isQueued, isQueueStatus } from './wire.ts'

const queuedPollMs = 2_000
const runningPollMs = 2_000

/** Every poll sends the key to these addresses, so only fal's and the configured one may pass. */
export function keyAllowed(address: string | undefined, baseOrigin: string): URL | undefined {
  const url = address === undefined ? null : URL.parse(address)
  if (url === null || url.username !== '' || url.password !== '') return undefined
  if (url.origin === baseOrigin) return url
  const own = url.hostname === 'fal.run' || url.hostname.endsWith('.fal.run')
  return own && url.protocol === 'https:' && url.port === '' ? url : undefined
}

export function readQueued(upstream: Upstream, answer: Answer, baseOrigin: string): JobRef {
  if (answer.status !== 200 && answer.status !== 201 && answer.status !== 202) {
    throw refusal(upstream, answer)
  }
  const json = parseJson(answer.body)
  if (!isQueued(json)) throw protocolError(upstream, answer, 'not a queued request')
  const urls = { status: json.status_url, response: json.response_url, cancel: json.cancel_url }
  if (!Object.values(urls).every((url) => keyAllowed(url, baseOrigin))) {
    throw protocolError(upstream, answer, "the job's address is not allowed to receive the API key")
  }
  return { v: 1, provider: upstream.name, id: json.request_id, urls }
}

/** `completed`: the result must be read from its own address. */
export function readStatus(upstream: Upstream, answer: Answer): PollState | 'completed' {
  if (answer.status !== 200 && answer.status !== 202) throw refusal(upstream, answer)
  const json = parseJson(answer.body)
  if (!isQueueStatus(json)) throw protocolError(upstream, answer, 'not a queue status')
  switch (json.status) {
    case 'IN_QUEUE':
      return { state: 'queued', nextMs: queuedPollMs }
    case 'IN_PROGRESS':
      return { state: 'running', nextMs: runningPollMs }
    case 'COMPLETED':
      return 'completed'
    default:
      return json.status satisfies never
  }
}

export function readResult(upstream: Upstream, answer: Answer): PollState {
  const json = parseJson(answer.body)
  if (answer.status !== 200) {
    // The result of a failed job is its error. Without an error from fal, only the poll failed.
    const failed = failureIn(json)
    if (failed === undefined || isOfPoll(answer, json)) throw refusal(upstream, answer)
    const kind = failed.kind ?? (answer.status < 500 ? 'invalid' : 'server')
    return { state: 'failed', error: endedError(upstream, kind, failed.message) }
  }
  if (!isRecord(json)) throw protocolError(upstream, answer, 'not a result')
  if (flagged(json)) {
    return { state: 'failed', error: endedError(upstream, 'content', 'the result was withheld') }
  }
  const outputs = outputsOf(json)
  if (outputs.length === 0) {
    return { state: 'failed', error: endedError(upstream, 'protocol', 'no media in the result') }
  }
  const units = Number(answer.headers['x-fal-billable-units'] ?? Number.NaN)
  const billed = Number.isFinite(units) && units >= 0 ? { billed: { units } } : {}
  return { state: 'succeeded', outputs, ...billed }
}

const pollRefusals: readonly number[] = [401, 402, 403, 404, 408, 429, 502, 503, 504]

/**
 * A refusal of the request for the result, such as too many requests, has a text only. The job may
 * have succeeded, and is billed then. What a model or its runner reports also has a type.
 */
const isOfPoll = ({ status }: Answer, json: unknown): boolean =>
  pollRefusals.includes(status) &&
  !(isRecord(json) && (json.error_type !== undefined || Array.isArray(json.detail)))

/** Pictures that the safety checker blacked out do not count as results. */
const flagged = (json: Json): boolean =>
  Array.isArray(json.has_nsfw_concepts) &&
  json.has_nsfw_concepts.length > 0 &&
  json.has_nsfw_concepts.every((mark) => mark === true)

function outputsOf(json: Json): Output[] {
  const files = [...recordsOf(json.images), ...recordsOf(json.videos)]
  for (const one of [json.image, json.video]) if (isRecord(one)) files.push(one)
  const outputs: Output[] = []
  for (const file of files) {
    const url = textOf(file.url)
    const mimeType = textOf(file.content_type)
    const inline = url === undefined ? undefined : fromDataUrl(url)
    if (inline) outputs.push(inline)
    else if (url && /^https?:\/\//.test(url))
      outputs.push({ url, ...(mimeType ? { mimeType } : {}) })
  }
  return outputs
}

export function readCancel(
  upstream: Upstream,
  answer: Answer,
): 'canceled' | 'requested' | 'too_late' {
  const json = parseJson(answer.body)
  const status = isRecord(json) ? json.status : undefined
  if (status === 'ALREADY_COMPLETED' || status === 'NOT_FOUND') return 'too_late'
  if (status === 'CANCELLATION_REQUESTED') return 'requested'
  if (answer.status === 200) return 'canceled'
  throw refusal(upstream, answer)
}

function refusal(upstream: Upstream, answer: Answer): ProviderError {
  return refusalError(upstream, answer, failureIn(parseJson(answer.body)) ?? {})
}

type Failure = { message: string | undefined; kind: ProviderErrorKind | undefined }

/** Models answer `{detail:[{msg,type}]}`, the platform `{detail:"…",error_type:"…"}`. */
function failureIn(json: unknown): Failure | undefined {
  if (!isRecord(json)) return undefined
  const first = recordsOf(json.detail)[0]
  if (first) return { message: textOf(first.msg), kind: kindOf(first.type) }
  const message = textOf(json.detail)
  const type = textOf(json.error_type)
  if (message === undefined && type === undefined) return undefined
  return { message: message ?? type, kind: kindOf(type) }
}

function kindOf(type: unknown): ProviderErrorKind | undefined {
  switch (type) {
    case 'content_policy_violation':
      return 'content'
    case 'generation_timeout':
    case 'request_timeout':
    case 'startup_timeout':
      return 'timeout'
    default:
      return undefined
  }
}
