import type { Job, JobState } from './behaviour.ts'
import { mp4, png } from './media.ts'
import { at, type Wire } from './wire.ts'

export const replicateWire: Wire = {
  basePath: '',
  openRoutes: ['file'],
  keyOf: (headers) => /^Bearer (.+)$/.exec(String(headers.authorization))?.[1],
  classify(method, path) {
    const file = /^\/files\/(?<id>\w+)\.\w+$/.exec(path)?.groups?.id
    if (file) return { route: 'file', id: file }
    const model = /^\/v1\/models\/(?<model>[\w.-]+\/[\w.-]+)\/predictions$/.exec(path)?.groups
      ?.model
    if (method === 'POST' && model) {
      const kind = /video|veo|seedance/.test(model) ? 'VIDEO' : 'IMAGE'
      return { route: 'submit', kind, model }
    }
    if (method === 'GET' && /^\/v1\/predictions(\?|$)/.test(path)) return { route: 'list' }
    const found = /^\/v1\/predictions\/(?<id>\w+)(?<cancel>\/cancel)?$/.exec(path)?.groups
    if (found?.id === undefined) return undefined
    if (method === 'POST' && found.cancel) return { route: 'cancel', id: found.id }
    return method === 'GET' ? { route: 'poll', id: found.id } : undefined
  },
  refuse: (status, message) => ({ title: `HTTP ${status}`, detail: message, status }),
  submit: (job, origin) => ({
    status: 201,
    body: prediction(job, (job.isAwaited && job.plan[0]) || 'queued', origin),
  }),
  poll: (job, state, origin) => ({ status: 200, body: prediction(job, state, origin) }),
  cancel: (job, state) => ({
    status: 200,
    body: prediction(job, state === 'queued' || state === 'running' ? 'canceled' : state, ''),
  }),
  list: (jobs, origin) => ({
    status: 200,
    body: {
      previous: null,
      next: null,
      results: jobs.map((job) => prediction(job, 'running', origin)).reverse(),
    },
  }),
  file: (job) =>
    job.kind === 'VIDEO'
      ? { status: 200, headers: { 'content-type': 'video/mp4' }, body: mp4 }
      : { status: 200, headers: { 'content-type': 'image/png' }, body: png },
}

const statuses = {
  queued: 'starting',
  running: 'processing',
  succeeded: 'succeeded',
  failed: 'failed',
  content: 'failed',
  canceled: 'canceled',
} as const

const errors: Partial<Record<JobState, string>> = {
  failed: 'Prediction failed: CUDA out of memory',
  content: 'The input or output was flagged as sensitive. Please try again. (E005)',
}

function prediction(job: Job, state: JobState, origin: string) {
  const url = `${origin}/files/${job.id}.${job.kind === 'VIDEO' ? 'mp4' : 'png'}`
  return {
    id: job.id,
    model: job.model,
    version: 'hidden',
    input: at(job.body, 'input'),
    logs: '',
    output: state === 'succeeded' ? (job.kind === 'VIDEO' ? url : [url]) : null,
    data_removed: false,
    error: errors[state] ?? null,
    source: 'api',
    status: statuses[state],
    created_at: job.createdAt,
    metrics: state === 'succeeded' ? { predict_time: 2.4 } : undefined,
    urls: {
      cancel: `${origin}/v1/predictions/${job.id}/cancel`,
      get: `${origin}/v1/predictions/${job.id}`,
    },
  }
}
