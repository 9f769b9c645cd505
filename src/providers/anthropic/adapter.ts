// Text from Anthropic's messages API. Promises one HTTP exchange per call and an honest outcome
// when it fails. Never retries, never waits.
import type { Dispatcher } from 'undici'
import { openEndpoint } from '#providers/http-call.ts'
import { textOf } from '#providers/json-shape.ts'
import type { Provider } from '#providers/provider.ts'
import { streamOf } from '#providers/streamed-text.ts'
import { anthropicBatches } from './batches.ts'
import { messagesBody } from './request.ts'
import { readMessage } from './response.ts'
import { messageStream, refusedStream } from './stream.ts'

type AnthropicOptions = {
  name: string
  apiKey: string
  /** Without a version, as in https://api.anthropic.com */
  baseUrl: string
  dispatcher?: Dispatcher
}

/** As sent by the official SDK since October 2026. This version has no temperature and no top_p. */
const apiVersion = '2026-10-21'

export function createAnthropicProvider(options: AnthropicOptions): Provider {
  const { name, apiKey, baseUrl, dispatcher } = options
  const endpoint = openEndpoint({
    name,
    baseUrl,
    headers: { authorization: `Bearer ${apiKey}`, 'anthropic-version': apiVersion },
    secrets: [apiKey],
    ...(dispatcher ? { dispatcher } : {}),
  })
  return {
    name,
    learnt: endpoint.learnt,
    async generateText(request, { signal }) {
      const body = JSON.stringify(messagesBody(endpoint, request))
      const { model } = request
      const call = { method: 'POST', at: '/v1/messages', body, model, signal } as const
      return readMessage(endpoint, await endpoint.call(call))
    },
    streamText(request, { signal }) {
      const body = JSON.stringify({ ...messagesBody(endpoint, request), stream: true })
      return streamOf(
        endpoint,
        { method: 'POST', at: '/v1/messages', body, model: request.model, signal },
        {
          requestId: ({ headers }) => textOf(headers['request-id']) ?? null,
          refused: (answer) => refusedStream(endpoint, answer),
          open: (answer) => messageStream(endpoint, answer),
        },
      )
    },
    batches: anthropicBatches(endpoint),
    close: endpoint.close,
  }
}
