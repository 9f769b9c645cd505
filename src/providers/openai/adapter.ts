// Text, images, embeddings and audio of OpenAI and of every server that speaks its older protocol;
// videos only of those servers, because OpenAI has closed its own. OpenAI's text goes through the
// Responses API, because chat completions refuses functions while a model reasons. Promises one
// HTTP exchange per call and an honest outcome when it fails. Never retries, never waits, never
// sends the key anywhere but to the configured address.
import type { Dispatcher } from 'undici'
import { type Endpoint, mediaAnswerMaxBytes, openEndpoint } from '#providers/http-call.ts'
import { isPathId, textOf } from '#providers/json-shape.ts'
import { toForm } from '#providers/media-encoding.ts'
import type { Provider } from '#providers/provider.ts'
import { badReference, unsendable } from '#providers/refusal.ts'
import { streamOf } from '#providers/streamed-text.ts'
import { refuseSearch } from '#providers/text-options.ts'
import type { Answer } from '#providers/upstream.ts'
import { audioCalls } from './audio.ts'
import { openAiBatches } from './batches.ts'
import { embeddingsBody, readEmbeddings } from './embeddings.ts'
import {
  chatBody,
  type Dialect,
  imageBody,
  imageEditForm,
  streamedChatBody,
  videoForm,
} from './request.ts'
import { readChat, readImages, readVideoRef, readVideoState } from './response.ts'
import { readResponse } from './responses-answer.ts'
import { responsesBody } from './responses-request.ts'
import { responseStream } from './responses-stream.ts'
import { chatStream, refusedStream } from './stream.ts'
import type { ChatBody } from './wire.ts'

type OpenAiOptions = {
  name: string
  /** Empty for a server that requires none. */
  apiKey: string
  /** With its version, as in https://api.openai.com/v1 */
  baseUrl: string
  dialect: Dialect
  /** In place of the key as a bearer. */
  headers?: Record<string, string>
  pathOf?(at: string, model: string | undefined): string
  dispatcher?: Dispatcher
}

type Texts = Pick<Provider, 'generateText' | 'streamText' | 'batches'>

function responses(endpoint: Endpoint): Texts {
  const at = '/responses'
  const method = 'POST'
  return {
    batches: openAiBatches(endpoint, {
      path: '/v1/responses',
      body: (request) => responsesBody(endpoint, request),
      read: (answer) => readResponse(endpoint, answer),
    }),
    async generateText(request, { signal }) {
      const body = JSON.stringify(responsesBody(endpoint, request))
      const { model } = request
      return readResponse(endpoint, await endpoint.call({ method, at, body, model, signal }))
    },
    streamText(request, { signal }) {
      const body = JSON.stringify({ ...responsesBody(endpoint, request), stream: true })
      const call = { method, at, body, model: request.model, signal } as const
      return streamOf(endpoint, call, {
        ...refusals(endpoint),
        open: (answer) => responseStream(endpoint, answer),
      })
    },
  }
}

function completions(endpoint: Endpoint, dialect: Dialect): Texts {
  const at = '/chat/completions'
  const method = 'POST'
  const written = dialect === 'azure' ? withNewLimit : (body: ChatBody) => body
  return {
    batches: openAiBatches(endpoint, {
      path: '/v1/chat/completions',
      body(request) {
        refuseSearch(endpoint, request)
        return chatBody(request)
      },
      read: (answer) => readChat(endpoint, answer),
    }),
    async generateText(request, { signal }) {
      refuseSearch(endpoint, request)
      const body = JSON.stringify(written(chatBody(request)))
      const { model } = request
      return readChat(endpoint, await endpoint.call({ method, at, body, model, signal }))
    },
    streamText(request, { signal }) {
      refuseSearch(endpoint, request)
      const body = JSON.stringify(written(streamedChatBody(request)))
      const call = { method, at, body, model: request.model, signal } as const
      return streamOf(endpoint, call, {
        ...refusals(endpoint),
        open: (answer) => chatStream(endpoint, answer),
      })
    },
  }
}

/** Models of OpenAI that reason refuse the older name. */
const withNewLimit = ({ max_tokens, ...body }: ChatBody) => ({
  ...body,
  ...(max_tokens === undefined ? {} : { max_completion_tokens: max_tokens }),
})

const refusals = (endpoint: Endpoint) => ({
  requestId: ({ headers }: Answer) => textOf(headers['x-request-id']) ?? null,
  refused: (answer: Answer) => refusedStream(endpoint, answer),
})

export function createOpenAiProvider(options: OpenAiOptions): Provider {
  const { name, apiKey, baseUrl, dialect, pathOf, dispatcher } = options
  const bearer: Record<string, string> = apiKey ? { authorization: `Bearer ${apiKey}` } : {}
  const headers = options.headers ?? bearer
  const endpoint = openEndpoint({
    name,
    baseUrl,
    headers,
    secrets: [apiKey],
    ...(pathOf ? { pathOf } : {}),
    ...(dispatcher ? { dispatcher } : {}),
  })
  return {
    name,
    learnt: endpoint.learnt,
    ...(dialect === 'openai' ? responses(endpoint) : completions(endpoint, dialect)),
    ...audioCalls(endpoint),
    async embed(request, { signal }) {
      const body = JSON.stringify(embeddingsBody(request))
      const sent = {
        method: 'POST',
        at: '/embeddings',
        body,
        model: request.model,
        maxBytes: mediaAnswerMaxBytes,
      } as const
      return readEmbeddings(endpoint, await endpoint.call({ ...sent, signal }), request)
    },
    async submit(request, { signal }) {
      if (request.kind === 'VIDEO') {
        if (dialect !== 'compatible') throw unsendable(endpoint, 'no longer generates videos')
        const form = toForm(videoForm(request))
        const call = { method: 'POST', at: '/videos', ...form, signal } as const
        return { ref: readVideoRef(endpoint, await endpoint.call(call)) }
      }
      const sent = request.image
        ? { at: '/images/edits', ...toForm(imageEditForm(request)) }
        : { at: '/images/generations', body: JSON.stringify(imageBody(request)) }
      const { model } = request
      const maxBytes = mediaAnswerMaxBytes
      return readImages(
        endpoint,
        await endpoint.call({ method: 'POST', ...sent, model, maxBytes, signal }),
      )
    },
    async poll(ref, { signal }) {
      if (!isPathId(ref.id)) throw badReference(endpoint)
      const at = `/videos/${ref.id}`
      const answer = await endpoint.call({ method: 'GET', at, signal })
      return readVideoState(endpoint, answer, { url: `${endpoint.base}${at}/content`, headers })
    },
    close: endpoint.close,
  }
}
