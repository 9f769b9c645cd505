// Chat, images and videos of OpenAI and of every server that speaks its protocol. Promises one
// HTTP exchange per call and an honest outcome when it fails. Never retries, never waits, never
// sends the key anywhere but to the configured address.
import type { Dispatcher } from 'undici'
import { mediaAnswerMaxBytes, openEndpoint } from '#providers/http-call.ts'
import { isPathId, textOf } from '#providers/json-shape.ts'
import { toForm } from '#providers/media-encoding.ts'
import type { Provider } from '#providers/provider.ts'
import { badReference } from '#providers/refusal.ts'
import { streamOf } from '#providers/streamed-text.ts'
import {
  chatBody,
  type Dialect,
  imageBody,
  imageEditForm,
  streamedChatBody,
  videoForm,
} from './request.ts'
import { readChat, readImages, readVideoRef, readVideoState } from './response.ts'
import { chatStream, refusedStream } from './stream.ts'

type OpenAiOptions = {
  name: string
  /** Empty for a server that asks for none. */
  apiKey: string
  /** With its version, as in https://api.openai.com/v1 */
  baseUrl: string
  dialect: Dialect
  dispatcher?: Dispatcher
}

export function createOpenAiProvider(options: OpenAiOptions): Provider {
  const { name, apiKey, baseUrl, dialect, dispatcher } = options
  const headers: Record<string, string> = apiKey ? { authorization: `Bearer ${apiKey}` } : {}
  const endpoint = openEndpoint({
    name,
    baseUrl,
    headers,
    secrets: [apiKey],
    ...(dispatcher ? { dispatcher } : {}),
  })
  return {
    name,
    async generateText(request, { signal }) {
      const body = JSON.stringify(chatBody(request, dialect))
      const at = '/chat/completions'
      return readChat(endpoint, await endpoint.call({ method: 'POST', at, body, signal }))
    },
    streamText(request, { signal }) {
      const body = JSON.stringify(streamedChatBody(request, dialect))
      return streamOf(
        endpoint,
        { method: 'POST', at: '/chat/completions', body, signal },
        {
          requestId: ({ headers }) => textOf(headers['x-request-id']) ?? null,
          refused: (answer) => refusedStream(endpoint, answer),
          open: (answer) => chatStream(endpoint, answer),
        },
      )
    },
    async submit(request, { signal }) {
      if (request.kind === 'VIDEO') {
        const form = toForm(videoForm(request))
        const call = { method: 'POST', at: '/videos', ...form, signal } as const
        return { ref: readVideoRef(endpoint, await endpoint.call(call)) }
      }
      const sent = request.image
        ? { at: '/images/edits', ...toForm(imageEditForm(request, dialect)) }
        : { at: '/images/generations', body: JSON.stringify(imageBody(request, dialect)) }
      const maxBytes = mediaAnswerMaxBytes
      return readImages(
        endpoint,
        await endpoint.call({ method: 'POST', ...sent, maxBytes, signal }),
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
