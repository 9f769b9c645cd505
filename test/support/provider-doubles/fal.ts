import type { Job, JobState } from './behaviour.ts'
import { mp4, png } from './media.ts'
import type { Reply, Wire } from './wire.ts'

const job = /^\/(?:[\w.-]+\/)+requests\/(?<id>\w+)(?<verb>\/status|\/cancel)?$/

export const falWire: Wire = {
  basePath: '',
  openRoutes: ['file'],
  keyOf: (headers) => /^Key (.+)$/.exec(String(headers.authorization))?.[1],
  classify(method, path) {
    const file = /^\/files\/(?<id>\w+)\.\w+$/.exec(path)?.groups?.id
    if (file) return { route: 'file', id: file }
    const found = job.exec(path)?.groups
    if (found?.id === undefined) {
      const kind = /video|veo/.test(path) ? 'VIDEO' : 'IMAGE'
      return method === 'POST' ? { route: 'submit', kind, model: path.slice(1) } : undefined
    }
    if (method === 'PUT' && found.verb === '/cancel') return { route: 'cancel', id: found.id }
    if (method !== 'GET') return undefined
    return { route: found.verb === '/status' ? 'poll' : 'result', id: found.id }
  },
  refuse: (status, message) =>
    status === 422
      ? { detail: [{ loc: ['body'], msg: message, type: 'value_error' }] }
      : { detail: message },
  submit: (one, origin) => ({ status: 200, body: queued(one, origin) }),
  poll(one, state, origin) {
    const { response_url } = queued(one, origin)
    if (state === 'queued') {
      return { status: 202, body: { status: 'IN_QUEUE', queue_position: 3, response_url } }
    }
    if (state === 'running') return { status: 202, body: { status: 'IN_PROGRESS', response_url } }
    return {
      status: 200,
      body: { status: 'COMPLETED', metrics: { inference_time: 3.7 }, response_url },
    }
  },
  result,
  cancel: (_, state) => {
    if (state === 'queued') return { status: 200, body: { status: 'OK' } }
    if (state === 'running') return { status: 202, body: { status: 'CANCELLATION_REQUESTED' } }
    return { status: 400, body: { status: 'ALREADY_COMPLETED' } }
  },
  file: (one) =>
    one.kind === 'VIDEO'
      ? { status: 200, headers: { 'content-type': 'video/mp4' }, body: mp4 }
      : { status: 200, headers: { 'content-type': 'image/png' }, body: png },
}

function queued(one: Job, origin: string) {
  // The returned addresses name only the owner and the app, not the whole path.
  const app = one.model.split('/').slice(0, 2).join('/')
  const base = `${origin}/${app}/requests/${one.id}`
  return {
    status: 'IN_QUEUE',
    request_id: one.id,
    response_url: base,
    status_url: `${base}/status`,
    cancel_url: `${base}/cancel`,
    queue_position: 0,
  }
}

function result(one: Job, state: JobState, origin: string): Reply {
  const headers = { 'x-fal-billable-units': '4', 'x-fal-request-id': one.id }
  if (state === 'content') {
    const msg = 'The content could not be processed because it was flagged by a content checker.'
    const detail = [{ loc: ['body', 'prompt'], msg, type: 'content_policy_violation' }]
    return { status: 422, headers: { 'x-fal-retryable': 'false' }, body: { detail } }
  }
  if (state === 'failed' || state === 'canceled') {
    const detail = [{ loc: ['body'], msg: 'Internal server error', type: 'internal_server_error' }]
    return { status: 500, body: { detail } }
  }
  if (one.kind === 'VIDEO') {
    const url = `${origin}/files/${one.id}.mp4`
    return { status: 200, headers, body: { video: { url, content_type: 'video/mp4' }, seed: 7 } }
  }
  const url = `${origin}/files/${one.id}.png`
  const images = [{ url, content_type: 'image/png', width: 1, height: 1 }]
  return { status: 200, headers, body: { images, has_nsfw_concepts: [false], prompt: 'x' } }
}
