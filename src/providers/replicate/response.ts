import { isRecord } from '#core/record.ts'
import { parseJson, textOf } from '#providers/json-shape.ts'
import { fromDataUrl } from '#providers/media-encoding.ts'
import type {
  JobRef,
  MediaRequest,
  Output,
  PollState,
  ProviderError,
  ProviderErrorKind,
} from '#providers/provider.ts'
import { endedError, protocolError, refusalError } from '#providers/refusal.ts'
import type { Answer, Upstream } from '#providers/upstream.ts'
import { isPrediction, isPredictionPage, type Prediction } from './wire.ts'

const pollMs = 2_000

export function readCreated(upstream: Upstream, answer: Answer): { ref: JobRef; state: PollState } {
  const ref: JobRef = { v: 1, provider: upstream.name, id: prediction(upstream, answer).id }
  return { ref, state: readPrediction(upstream, answer) }
}

export function readPrediction(upstream: Upstream, answer: Answer): PollState {
  const { status, output, error } = prediction(upstream, answer)
  switch (status) {
    case 'starting':
      return { state: 'queued', nextMs: pollMs }
    case 'processing':
      return { state: 'running', nextMs: pollMs }
    case 'succeeded': {
      const outputs = outputsIn(output)
      if (outputs.length > 0) return { state: 'succeeded', outputs }
      return { state: 'failed', error: endedError(upstream, 'protocol', 'no media in the result') }
    }
    case 'failed': {
      const message = textOf(error)
      return { state: 'failed', error: endedError(upstream, kindOf(message), message) }
    }
    case 'canceled':
    case 'aborted':
      return { state: 'canceled', error: endedError(upstream, 'canceled', `the job was ${status}`) }
    default:
      return status satisfies never
  }
}

/** A model may answer with one address, or with a list or an object of addresses. */
function outputsIn(output: unknown): Output[] {
  if (Array.isArray(output)) return output.flatMap(outputsIn)
  if (isRecord(output)) return Object.values(output).flatMap(outputsIn)
  if (typeof output !== 'string') return []
  const inline = fromDataUrl(output)
  if (inline) return [inline]
  return /^https?:\/\//.test(output) ? [{ url: output }] : []
}

/** Only the text shows a refusal: "flagged as sensitive. (E005)", "NSFW content detected". */
function kindOf(message = ''): ProviderErrorKind {
  return /nsfw|flagged as sensitive|\bE005\b|content polic|safety/i.test(message)
    ? 'content'
    : 'server'
}

export function readCanceled(
  upstream: Upstream,
  answer: Answer,
): 'canceled' | 'requested' | 'too_late' {
  // If the prediction has already ended, the answer shows how.
  const { status } = prediction(upstream, answer)
  if (status === 'canceled' || status === 'aborted') return 'canceled'
  return status === 'succeeded' || status === 'failed' ? 'too_late' : 'requested'
}

export type Page = { found: Prediction[]; next: string | undefined }

/** The predictions of a page that carry this request's mark. */
export function readMarked(
  upstream: Upstream,
  answer: Answer,
  { request, mark }: { request: MediaRequest; mark: number },
): Page {
  if (answer.status !== 200) throw refusal(upstream, answer)
  const json = parseJson(answer.body)
  if (!isPredictionPage(json)) throw protocolError(upstream, answer, 'not a list of predictions')
  const found = json.results
    .filter(isPrediction)
    .filter(
      ({ model, input }) =>
        model === request.model &&
        isRecord(input) &&
        input.seed === mark &&
        input.prompt === request.prompt,
    )
  return { found, next: textOf(json.next) }
}

function prediction(upstream: Upstream, answer: Answer): Prediction {
  if (answer.status !== 200 && answer.status !== 201 && answer.status !== 202) {
    throw refusal(upstream, answer)
  }
  const json = parseJson(answer.body)
  if (!isPrediction(json)) throw protocolError(upstream, answer, 'not a prediction')
  return json
}

function refusal(upstream: Upstream, answer: Answer): ProviderError {
  const json = parseJson(answer.body)
  const message = isRecord(json) ? (textOf(json.detail) ?? textOf(json.title)) : undefined
  const seconds = /resets in ~?(?<seconds>\d+)s/.exec(message ?? '')?.groups?.seconds
  return refusalError(upstream, answer, {
    message,
    retryAfterMs: seconds === undefined ? undefined : Number(seconds) * 1000,
  })
}
