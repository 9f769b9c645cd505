// Images and videos from the models that fal hosts, through its queue. Promises one submission per
// call and an honest outcome when it fails. Never retries, never waits, and sends the key only to
// fal's addresses and the configured one, whatever an answer says.
import type { Dispatcher } from 'undici'
import { openEndpoint } from '#providers/http-call.ts'
import type { JobRef, Provider } from '#providers/provider.ts'
import { badReference, refuseMask } from '#providers/refusal.ts'
import { queueCall } from './request.ts'
import { keyAllowed, readCancel, readQueued, readResult, readStatus } from './response.ts'

type FalOptions = {
  name: string
  apiKey: string
  /** As in https://queue.fal.run */
  baseUrl: string
  dispatcher?: Dispatcher
}

export function createFalProvider(options: FalOptions): Provider {
  const { name, apiKey, baseUrl, dispatcher } = options
  const endpoint = openEndpoint({
    name,
    baseUrl,
    headers: { authorization: `Key ${apiKey}` },
    // A fal key is "id:secret"; the secret alone must not appear either.
    secrets: [apiKey, apiKey.split(':')[1] ?? ''],
    ...(dispatcher ? { dispatcher } : {}),
  })
  const urlOf = (ref: JobRef, which: 'status' | 'response' | 'cancel'): URL => {
    const url = keyAllowed(ref.urls?.[which], endpoint.origin)
    if (url === undefined) throw badReference(endpoint)
    return url
  }
  return {
    name,
    async submit(request, { signal }) {
      refuseMask(endpoint, request)
      const { path, input } = queueCall(request)
      const body = JSON.stringify(input)
      const answer = await endpoint.call({ method: 'POST', at: path, body, signal })
      return { ref: readQueued(endpoint, answer, endpoint.origin) }
    },
    async poll(ref, { signal }) {
      const at = urlOf(ref, 'status')
      const state = readStatus(endpoint, await endpoint.call({ method: 'GET', at, signal }))
      if (state !== 'completed') return state
      const result = urlOf(ref, 'response')
      return readResult(endpoint, await endpoint.call({ method: 'GET', at: result, signal }))
    },
    async cancel(ref, { signal }) {
      const at = urlOf(ref, 'cancel')
      return readCancel(endpoint, await endpoint.call({ method: 'PUT', at, signal }))
    },
    close: endpoint.close,
  }
}
