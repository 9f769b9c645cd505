// Images and videos of the official models on Replicate. Promises one submission per call and an
// honest outcome when it fails. Can find a submission whose answer was lost if the model's input
// can carry a mark. Never retries, never waits by itself (quick models are asked to answer when
// they are done), never sends the token to another address.
import type { Dispatcher } from 'undici'
import type { StopSignal } from '#core/stop.ts'
import { type Endpoint, mediaAnswerMaxBytes, openEndpoint } from '#providers/http-call.ts'
import { isPathId } from '#providers/json-shape.ts'
import type { JobRef, LostSubmission, Provider } from '#providers/provider.ts'
import { badReference, refuseMask } from '#providers/refusal.ts'
import { markOf, predictionInput, predictionPath, waitHeaders } from './request.ts'
import { readCanceled, readCreated, readMarked, readPrediction } from './response.ts'

type ReplicateOptions = {
  name: string
  apiKey: string
  /** Without a version, as in https://api.replicate.com */
  baseUrl: string
  dispatcher?: Dispatcher
}

/** Clocks may differ, and a page of the listing has a hundred entries. */
const clockSkewMs = 5 * 60_000
const maxPages = 10

export function createReplicateProvider(options: ReplicateOptions): Provider {
  const { name, apiKey, baseUrl, dispatcher } = options
  const endpoint = openEndpoint({
    name,
    baseUrl,
    headers: { authorization: `Bearer ${apiKey}` },
    secrets: [apiKey],
    ...(dispatcher ? { dispatcher } : {}),
  })
  const pathOf = ({ id }: JobRef): string => {
    if (!isPathId(id)) throw badReference(endpoint)
    return `/v1/predictions/${id}`
  }
  return {
    name,
    async submit(request, { signal, taskId }) {
      refuseMask(endpoint, request)
      const at = predictionPath(request.model)
      const body = JSON.stringify({ input: predictionInput(request, taskId) })
      const headers = waitHeaders(request)
      const call = { method: 'POST', at, body, maxBytes: mediaAnswerMaxBytes, signal } as const
      return readCreated(endpoint, await endpoint.call(headers ? { ...call, headers } : call))
    },
    async poll(ref, { signal }) {
      const call = {
        method: 'GET',
        at: pathOf(ref),
        maxBytes: mediaAnswerMaxBytes,
        signal,
      } as const
      return readPrediction(endpoint, await endpoint.call(call))
    },
    async cancel(ref, { signal }) {
      const at = `${pathOf(ref)}/cancel`
      return readCanceled(endpoint, await endpoint.call({ method: 'POST', at, signal }))
    },
    find: (lost, { signal }) => findMarked(endpoint, lost, signal),
    close: endpoint.close,
  }
}

/**
 * Conclusive only if it finds one prediction. Replicate promises neither that its listing shows a
 * prediction at once nor that a request it still holds will not become one, so none found means
 * 'unknown', never `null`. Two found, or a model without a seed for the mark, mean the same.
 */
async function findMarked(
  endpoint: Endpoint,
  { request, submittedAtMs, taskId }: LostSubmission,
  signal: StopSignal,
): Promise<JobRef | 'unknown'> {
  const mark = markOf(request, taskId)
  if (mark === undefined) return 'unknown'
  const since = new Date(submittedAtMs - clockSkewMs).toISOString()
  const maxBytes = mediaAnswerMaxBytes
  const ids = new Set<string>()
  let at: string | URL = `/v1/predictions?created_after=${encodeURIComponent(since)}`
  for (let page = 0; page < maxPages; page++) {
    const answer = await endpoint.call({ method: 'GET', at, maxBytes, signal })
    const { found, next } = readMarked(endpoint, answer, { request, mark })
    for (const { id } of found) ids.add(id)
    const following: URL | null = next === undefined ? null : URL.parse(next)
    if (following === null || following.origin !== endpoint.origin) break
    at = following
  }
  const [id] = ids
  return id !== undefined && ids.size === 1 ? { v: 1, provider: endpoint.name, id } : 'unknown'
}
