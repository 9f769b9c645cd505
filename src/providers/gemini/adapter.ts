// Text, images and speech of Gemini, and videos of Omni and Veo. Promises one HTTP exchange per
// call and an honest outcome when it fails. Never retries, never waits, never puts the key into an
// address, and sends it only to the configured host and, if that is Google's, to other hosts of
// the same API.
import type { Dispatcher } from 'undici'
import { type Endpoint, mediaAnswerMaxBytes, openEndpoint } from '#providers/http-call.ts'
import type { Output, Provider } from '#providers/provider.ts'
import { refuseMask } from '#providers/refusal.ts'
import { streamOf } from '#providers/streamed-text.ts'
import { embeddingsBody, readEmbeddings } from './embeddings.ts'
import { imageBody, textBody } from './request.ts'
import { readImages, readText } from './response.ts'
import { readSpeech, speechBody } from './speech.ts'
import { contentStream, refusedStream } from './stream.ts'
import { geminiVideos } from './videos.ts'

type GeminiOptions = {
  name: string
  apiKey: string
  /** Without a version, as in https://generativelanguage.googleapis.com */
  baseUrl: string
  dispatcher?: Dispatcher
}

/**
 * Hosts of this API, which redirect downloads to each other. Google's storage hosts do not match,
 * because anyone can keep files there.
 */
const isGoogleApiHost = ({ origin }: Endpoint, { protocol, host }: URL): boolean =>
  origin === googleOrigin &&
  protocol === 'https:' &&
  /^(?:[a-z0-9-]+[.-])?generativelanguage\.googleapis\.com$/.test(host)

const googleOrigin = 'https://generativelanguage.googleapis.com'

export function createGeminiProvider(options: GeminiOptions): Provider {
  const { name, apiKey, baseUrl, dispatcher } = options
  const headers = { 'x-goog-api-key': apiKey }
  const endpoint = openEndpoint({
    name,
    baseUrl,
    headers,
    secrets: [apiKey],
    ...(dispatcher ? { dispatcher } : {}),
  })
  const method = 'POST'
  const pathOf = (model: string, verb: string) =>
    `/v1beta/models/${encodeURIComponent(model)}:${verb}`
  const mayHaveKey = (url: URL) => url.origin === endpoint.origin || isGoogleApiHost(endpoint, url)
  const outputAt = (uri: string): Output | undefined => {
    const url = URL.parse(uri)
    if (url === null || !/^https?:$/.test(url.protocol)) return undefined
    const mimeType = 'video/mp4'
    if (!mayHaveKey(url)) return { url: uri, mimeType }
    return { url: uri, headers, mayHaveHeaders: mayHaveKey, mimeType }
  }
  const videos = geminiVideos(endpoint, outputAt)
  return {
    name,
    async generateText(request, { signal }) {
      const at = pathOf(request.model, 'generateContent')
      const body = JSON.stringify(textBody(request))
      return readText(endpoint, await endpoint.call({ method, at, body, signal }))
    },
    streamText(request, { signal }) {
      const at = `${pathOf(request.model, 'streamGenerateContent')}?alt=sse`
      const body = JSON.stringify(textBody(request))
      return streamOf(
        endpoint,
        { method, at, body, signal },
        {
          requestId: () => null,
          refused: (answer) => refusedStream(endpoint, answer),
          open: () => contentStream(endpoint),
        },
      )
    },
    async embed(request, { signal }) {
      const at = pathOf(request.model, 'batchEmbedContents')
      const body = JSON.stringify(embeddingsBody(endpoint, request))
      const sent = { method, at, body, maxBytes: mediaAnswerMaxBytes, signal } as const
      return readEmbeddings(endpoint, await endpoint.call(sent), request)
    },
    async speak(request, { signal }) {
      const at = `${pathOf(request.model, 'streamGenerateContent')}?alt=sse`
      const body = JSON.stringify(speechBody(endpoint, request))
      const opened = await endpoint.stream({ method, at, body, signal })
      return readSpeech(endpoint, opened, request)
    },
    async submit(request, { signal }) {
      if (request.kind === 'VIDEO') return videos.submitVideo(request, { signal })
      refuseMask(endpoint, request)
      const at = pathOf(request.model, 'generateContent')
      const body = JSON.stringify(imageBody(request))
      const maxBytes = mediaAnswerMaxBytes
      return readImages(endpoint, await endpoint.call({ method, at, body, maxBytes, signal }))
    },
    poll: videos.poll,
    cancel: videos.cancel,
    close: endpoint.close,
  }
}
