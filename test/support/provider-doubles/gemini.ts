import type { Job, JobState } from './behaviour.ts'
import { mp4, png } from './media.ts'
import { asks, at, dataEvent, echo, inPieces, type Reply, type Wire } from './wire.ts'

const rpcStatuses: Record<number, string> = {
  400: 'INVALID_ARGUMENT',
  401: 'UNAUTHENTICATED',
  403: 'PERMISSION_DENIED',
  404: 'NOT_FOUND',
  429: 'RESOURCE_EXHAUSTED',
  500: 'INTERNAL',
  503: 'UNAVAILABLE',
  504: 'DEADLINE_EXCEEDED',
}

export const geminiWire: Wire = {
  basePath: '',
  openRoutes: [],
  keyOf: (headers) =>
    headers['x-goog-api-key'] === undefined ? undefined : `${headers['x-goog-api-key']}`,
  classify(method, path, body) {
    const call = /^\/v1beta\/models\/(?<model>[\w.-]+):(?<verb>\w+)(\?alt=sse)?$/.exec(path)?.groups
    if (method === 'POST' && call?.verb === 'streamGenerateContent') return { route: 'chat' }
    if (method === 'POST' && call?.verb === 'batchEmbedContents') return { route: 'call' }
    if (method === 'POST' && call?.verb === 'predictLongRunning') {
      return { route: 'submit', kind: 'VIDEO', model: call.model ?? '' }
    }
    if (method === 'POST' && call?.verb === 'generateContent') {
      // The model's name decides, because the body may not have been read yet; if it has, it must
      // agree.
      const image = /image|banana/.test(call.model ?? '')
      if (body !== undefined && image !== Array.isArray(modalities(body))) return undefined
      return image ? { route: 'submit', kind: 'IMAGE', model: call.model ?? '' } : { route: 'chat' }
    }
    if (method === 'POST' && path === '/v1beta/interactions') {
      return { route: 'submit', kind: 'VIDEO', model: 'gemini-omni' }
    }
    const begun = /^\/v1beta\/interactions\/(?<id>\w+)(?<cancel>\/cancel)?$/.exec(path)?.groups
    if (begun?.id) return { route: begun.cancel ? 'cancel' : 'poll', id: begun.id }
    const operation = /^\/v1beta\/models\/[\w.-]+\/operations\/(?<id>\w+)$/.exec(path)?.groups?.id
    if (method === 'GET' && operation) return { route: 'poll', id: operation }
    const file = /^\/v1beta\/files\/(?<id>\w+):download\?alt=media$/.exec(path)?.groups?.id
    return method === 'GET' && file ? { route: 'file', id: file } : undefined
  },
  refuse: (status, message) => ({
    error: { code: status, message, status: rpcStatuses[status] ?? 'UNKNOWN' },
  }),
  chat: (body) => {
    const { text, call } = replyTo(body)
    const parts = [{ text: 'Let me think.', thought: true }, call ?? { text }]
    return generated(parts, { candidatesTokenCount: 6, thoughtsTokenCount: 2 }, groundingOf(body))
  },
  stream: (body, path) => {
    if (!path.includes(':streamGenerateContent?alt=sse')) return undefined
    const { text, call } = replyTo(body)
    const event = (parts: unknown[], finish: object, count: number) =>
      dataEvent({
        candidates: [{ content: { role: 'model', parts }, index: 0, ...finish }],
        usageMetadata: { ...inputUsage, candidatesTokenCount: count, thoughtsTokenCount: 2 },
        modelVersion: 'double',
        responseId: 'resp-double',
      })
    const pieces = call ? [call] : inPieces(text).map((piece) => ({ text: piece }))
    return [
      event([{ text: 'Let me think.', thought: true }], {}, 0),
      ...pieces.map((piece, place) => event([piece], {}, place + 1)),
      event([{ text: '' }], { finishReason: 'STOP', ...groundingOf(body) }, 6),
    ]
  },
  call: (body) => {
    const requests = at(body, 'requests')
    const inputs = Array.isArray(requests) ? requests : []
    const embeddings = inputs.map((one, index) => ({
      values: [String(at(one, 'content', 'parts', 0, 'text')).length, index, 0.5],
    }))
    const usageMetadata = { promptTokenCount: 7 * inputs.length }
    return { status: 200, body: { embeddings, usageMetadata } }
  },
  streamError: (message) => dataEvent({ error: { code: 500, message, status: 'INTERNAL' } }),
  submit: (job) => {
    if (isOmni(job)) return { status: 200, body: { id: job.id, status: 'queued' } }
    if (job.kind === 'VIDEO') return { status: 200, body: { name: nameOf(job) } }
    const data = png.toString('base64')
    const parts = [{ text: 'Here it is.' }, { inlineData: { mimeType: 'image/png', data } }]
    return generated(parts, { candidatesTokenCount: 1120 })
  },
  poll: (job, state, origin) => (isOmni(job) ? interaction : operation)(job, state, origin),
  cancel: (job, state) =>
    interaction(job, state === 'queued' || state === 'running' ? 'canceled' : state, ''),
  file: () => ({ status: 200, headers: { 'content-type': 'video/mp4' }, body: mp4 }),
}

const inputUsage = { promptTokenCount: 21, cachedContentTokenCount: 5, totalTokenCount: 29 }

function replyTo(body: unknown) {
  const contents = at(body, 'contents')
  const last = Array.isArray(contents) ? at(contents.at(-1), 'parts', 0) : {}
  const result = at(last, 'functionResponse', 'response')
  const words = result ? JSON.stringify(result) : String(at(last, 'text'))
  const declared = at(body, 'tools', 0, 'functionDeclarations')
  const wanted = asks(words, declared, (tool) => at(tool, 'name'))
  const call = wanted && { functionCall: wanted, thoughtSignature: 'signed-by-double' }
  return { text: echo(words), call }
}

/** Google lists what it searched for, with empty entries and repetitions that it does not bill. */
function groundingOf(body: unknown): object {
  if (at(body, 'tools', 0, 'googleSearch') === undefined) return {}
  const groundingMetadata = {
    webSearchQueries: ['rain today', '', 'rain tomorrow', 'rain today'],
    groundingChunks: [{ web: { uri: 'https://example.com/rain', title: 'example.com' } }],
    groundingSupports: [{ segment: { endIndex: 4, text: 'You ' }, groundingChunkIndices: [0] }],
    searchEntryPoint: { renderedContent: '<div>rain today</div>' },
  }
  return { groundingMetadata }
}

const modalities = (body: unknown): unknown => at(body, 'generationConfig', 'responseModalities')

const isOmni = ({ model }: Job): boolean => model === 'gemini-omni'

const statuses = {
  queued: 'queued',
  running: 'in_progress',
  succeeded: 'completed',
  failed: 'failed',
  content: 'failed',
  canceled: 'cancelled',
} as const

function interaction(job: Job, state: JobState, origin: string): Reply {
  const uri = `${origin}/v1beta/files/${job.id}:download?alt=media`
  const video = { type: 'video', uri, mime_type: 'video/mp4' }
  const steps = state === 'succeeded' ? [{ type: 'model_output', content: [video] }] : []
  const message =
    state === 'content' ? 'Blocked: it violates our usage guidelines.' : 'Internal error.'
  const errors = state === 'content' || state === 'failed' ? { errors: [{ message }] } : {}
  return { status: 200, body: { id: job.id, status: statuses[state], steps, ...errors } }
}

const nameOf = (job: Job): string => `models/${job.model}/operations/${job.id}`

const generated = (parts: unknown[], usage: Record<string, number>, found = {}): Reply => ({
  status: 200,
  body: {
    candidates: [{ content: { role: 'model', parts }, finishReason: 'STOP', index: 0, ...found }],
    usageMetadata: { ...inputUsage, ...usage },
    modelVersion: 'double',
    responseId: 'resp-double',
  },
})

function operation(job: Job, state: JobState, origin: string): Reply {
  const name = nameOf(job)
  const type = 'type.googleapis.com/google.ai.generativelanguage.v1beta.PredictLongRunningResponse'
  switch (state) {
    case 'queued':
    case 'running':
      return { status: 200, body: { name } }
    case 'succeeded': {
      const uri = `${origin}/v1beta/files/${job.id}:download?alt=media`
      const generateVideoResponse = { generatedSamples: [{ video: { uri } }] }
      return {
        status: 200,
        body: { name, done: true, response: { '@type': type, generateVideoResponse } },
      }
    }
    case 'content': {
      const generateVideoResponse = {
        raiMediaFilteredCount: 1,
        raiMediaFilteredReasons: ['The prompt could not be submitted: it violates our guidelines.'],
      }
      return {
        status: 200,
        body: { name, done: true, response: { '@type': type, generateVideoResponse } },
      }
    }
    case 'failed':
    case 'canceled': {
      const error = {
        code: 13,
        message: 'Video generation failed due to an internal server issue.',
      }
      return { status: 200, body: { name, done: true, error } }
    }
    default:
      return state satisfies never
  }
}
