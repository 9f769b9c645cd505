import type { Job, JobState } from './behaviour.ts'
import { mp4, png } from './media.ts'
import {
  isAudioPath,
  speak,
  speakInEvents,
  transcribe,
  transcribeInEvents,
} from './openai-audio.ts'
import { isForResponses, respond, respondInEvents } from './openai-responses.ts'
import { asks, at, dataEvent, echo, inPieces, type Reply, type Wire } from './wire.ts'

export const openAiWire: Wire = {
  basePath: '/v1',
  openRoutes: [],
  keyOf: (headers) => /^Bearer (.+)$/.exec(String(headers.authorization))?.[1],
  classify(method, path, body) {
    const isText = path === '/v1/chat/completions' || path === '/v1/responses'
    if (method === 'POST' && isText) return { route: 'chat' }
    if (method === 'POST' && (path === '/v1/embeddings' || isAudioPath(path))) {
      return { route: 'call' }
    }
    const model = String(at(body, 'model') ?? '')
    if (method === 'POST' && /^\/v1\/images\/(generations|edits)$/.test(path)) {
      return { route: 'submit', kind: 'IMAGE', model }
    }
    if (method === 'POST' && path === '/v1/videos') return { route: 'submit', kind: 'VIDEO', model }
    const video = /^\/v1\/videos\/(?<id>\w+)(?<content>\/content)?$/.exec(path)?.groups
    if (method !== 'GET' || video?.id === undefined) return undefined
    return { route: video.content ? 'file' : 'poll', id: video.id }
  },
  refuse: (status, message) => ({
    error: { message, type: status < 500 ? 'invalid_request_error' : 'server_error', code: null },
  }),
  chat: (body) => {
    if (isForResponses(body)) return respond(body)
    const { content, call } = replyTo(body)
    const calls = call && [{ id: 'call_double', type: 'function', function: call }]
    return {
      status: 200,
      headers: { 'x-request-id': 'req_double' },
      body: {
        ...head(body, 'chat.completion'),
        choices: [
          {
            index: 0,
            message: {
              role: 'assistant',
              content: call ? null : content,
              refusal: null,
              annotations: [],
              ...(calls ? { tool_calls: calls } : {}),
            },
            logprobs: null,
            finish_reason: call ? 'tool_calls' : 'stop',
          },
        ],
        usage,
        service_tier: 'default',
      },
    }
  },
  stream: (body, path) => {
    if (path === '/v1/audio/speech') return speakInEvents(body)
    if (path === '/v1/audio/transcriptions') return transcribeInEvents(body)
    if (at(body, 'stream') !== true) return undefined
    if (isForResponses(body)) return respondInEvents(body)
    const { content, call } = replyTo(body)
    const chunk = (delta: object, finish_reason: string | null = null) =>
      dataEvent({
        ...head(body, 'chat.completion.chunk'),
        choices: [{ index: 0, delta, logprobs: null, finish_reason }],
        usage: null,
      })
    const withCall = (given: object) => chunk({ tool_calls: [{ index: 0, ...given }] })
    const pieces = call
      ? [
          withCall({ id: 'call_double', type: 'function', function: { ...call, arguments: '' } }),
          ...inPieces(call.arguments).map((text) => withCall({ function: { arguments: text } })),
        ]
      : inPieces(content).map((text) => chunk({ content: text }))
    return [
      chunk({ role: 'assistant', content: '', refusal: null }),
      ...pieces,
      chunk({}, call ? 'tool_calls' : 'stop'),
      dataEvent({ ...head(body, 'chat.completion.chunk'), choices: [], usage }),
      'data: [DONE]\n\n',
    ]
  },
  call: (body, path) => {
    if (path === '/v1/audio/speech') return speak(body)
    return path === '/v1/audio/transcriptions' ? transcribe(body) : embeddings(body)
  },
  streamError: (message) =>
    dataEvent({ error: { message, type: 'server_error', param: null, code: null } }),
  submit: (job) => (job.kind === 'IMAGE' ? images() : video(job, 'queued')),
  poll: video,
  file: () => ({ status: 200, headers: { 'content-type': 'video/mp4' }, body: mp4 }),
}

const head = (body: unknown, object: string) => ({
  id: 'chatcmpl-double',
  object,
  created: 1_763_000_000,
  model: at(body, 'model'),
})

const usage = {
  prompt_tokens: 21,
  completion_tokens: 8,
  total_tokens: 29,
  prompt_tokens_details: { cached_tokens: 5, audio_tokens: 0 },
  completion_tokens_details: { reasoning_tokens: 0 },
}

function replyTo(body: unknown) {
  const messages = at(body, 'messages')
  const last = Array.isArray(messages) ? at(messages.at(-1), 'content') : ''
  const words = typeof last === 'string' ? last : JSON.stringify(last)
  const wanted = asks(words, at(body, 'tools'), (tool) => at(tool, 'function', 'name'))
  const call = wanted && { name: wanted.name, arguments: JSON.stringify(wanted.args) }
  return { content: echo(words), call }
}

const images = (): Reply => ({
  status: 200,
  body: {
    created: 1_763_000_000,
    background: 'opaque',
    data: [{ b64_json: png.toString('base64') }],
    output_format: 'png',
    quality: 'medium',
    size: '1024x1024',
    usage: {
      input_tokens: 13,
      input_tokens_details: { image_tokens: 0, text_tokens: 13 },
      output_tokens: 1056,
      total_tokens: 1069,
    },
  },
})

/** The first dimension is the length of the text, the second its position among the inputs. */
function embeddings(body: unknown): Reply {
  const input = at(body, 'input')
  const inputs: unknown[] = Array.isArray(input) ? input : [input]
  const vectors = inputs.map((text, index) => [String(text).length, index, 0.5])
  const isCoded = at(body, 'encoding_format') === 'base64'
  const coded = (vector: number[]) =>
    Buffer.from(Float32Array.from(vector).buffer).toString('base64')
  const data = vectors.map((vector, index) => ({
    object: 'embedding',
    index,
    embedding: isCoded ? coded(vector) : vector,
  }))
  const usage = { prompt_tokens: 7 * inputs.length, total_tokens: 7 * inputs.length }
  return { status: 200, body: { object: 'list', data, model: at(body, 'model'), usage } }
}

function video(job: Job, state: JobState): Reply {
  const failed = state === 'failed' || state === 'canceled' || state === 'content'
  const status = failed ? 'failed' : statuses[state]
  const error =
    state === 'content'
      ? {
          code: 'moderation_blocked',
          message: 'Your request was blocked by our moderation system.',
        }
      : { code: 'server_error', message: 'The video could not be made.' }
  return {
    status: 200,
    body: {
      id: job.id,
      object: 'video',
      model: job.model,
      status,
      progress: state === 'succeeded' ? 100 : state === 'running' ? 40 : 0,
      created_at: 1_763_000_000,
      completed_at: state === 'succeeded' ? 1_763_000_100 : null,
      expires_at: null,
      seconds: '4',
      size: '1280x720',
      error: failed ? error : null,
    },
  }
}

const statuses = { queued: 'queued', running: 'in_progress', succeeded: 'completed' } as const
