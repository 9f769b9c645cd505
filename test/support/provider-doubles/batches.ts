// Vendors that take batches, over a socket: OpenAI's Batch API and Anthropic's Message Batches, and
// the same calls made alone. It keeps its own count and its own bill.
import { randomUUID } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

/** `uncounted`: answered without usage. */
export type Fate = 'answer' | 'uncounted' | 'expire' | 'invalid' | 'blocked'

/** `lose`: accepted, but nobody hears of it. `drop`: not accepted, and nobody hears that either. */
export type Submission = 'accept' | 'lose' | 'drop' | 'busy' | 'refuse'

/** What the flex tier does with a call. `default`: answers it at the normal price. */
export type Flex = 'serve' | 'full' | 'default' | 'unknown'

type Item = { custom_id: string; body: unknown }
export type Batch = {
  id: string
  vendor: 'openai' | 'anthropic'
  metadata: unknown
  /** Of the request that submitted it. */
  key: string
  items: Item[]
  createdMs: number
  isOver: boolean
  isCancelled: boolean
  out: string[]
  errors: string[]
}

/** Tokens of every answer. */
export const used = { input: 10, output: 20 }
/** In micros, at 2 and 8 USD per million tokens. */
export const price = { alone: used.input * 2 + used.output * 8, batched: 90 }

export type BatchDouble = AsyncDisposable & {
  env: Record<string, string>
  batches: Batch[]
  /** How often each prompt was answered, and so billed. */
  alone: Map<string, number>
  batched: Map<string, number>
  flexed: Map<string, number>
  /** What becomes of the next calls in the flex tier; then they are served. */
  flexes: Flex[]
  /** Prompts in accepted batches, answered or not. */
  accepted: Map<string, number>
  billedMicros(): number
  /** How long a batch takes; Infinity: until it is cancelled. */
  batchMs: number
  /** Prompts that a batch answers at once, so that a cancel comes too late for them. */
  early: Set<string>
  /** Prompts that are never answered if they are asked alone. */
  silent: Set<string>
  /** How many batches a page of their list has at most. */
  pageSize: number
  /** What becomes of the next submissions; then they are accepted. */
  submissions: Submission[]
  fateOf(prompt: string): Fate
}

const count = (map: Map<string, number>, prompt: string) =>
  map.set(prompt, (map.get(prompt) ?? 0) + 1)
const sum = (map: Map<string, number>) => [...map.values()].reduce((all, n) => all + n, 0)

export async function startBatchDouble(): Promise<BatchDouble> {
  const files = new Map<string, string>()
  const server = createServer((request, response) => {
    answer(double, files, request, response).catch(() => response.destroy())
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const double: BatchDouble = {
    env: {
      ...{ OPENAI_API_KEY: 'key-of-openai-0123456789', OPENAI_BASE_URL: `${url}/v1` },
      ...{ ANTHROPIC_API_KEY: 'key-of-anthropic-0123456789', ANTHROPIC_BASE_URL: url },
      ...{ BATCH_WINDOW_SECONDS: '20', BATCH_GATHER_SECONDS: '0' },
    },
    ...{ batches: [], alone: new Map(), batched: new Map(), accepted: new Map() },
    ...{ flexed: new Map(), flexes: [], early: new Set(), silent: new Set() },
    ...{ batchMs: 0, pageSize: 2, submissions: [], fateOf: () => 'answer' },
    billedMicros: () =>
      sum(double.alone) * price.alone + (sum(double.batched) + sum(double.flexed)) * price.batched,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
  return double
}

async function answer(
  double: BatchDouble,
  files: Map<string, string>,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk)
  const text = Buffer.concat(chunks).toString()
  const { pathname, searchParams } = new URL(request.url ?? '', 'http://double')
  const send = (body: unknown, status = 200) => {
    response.writeHead(status, { 'content-type': 'application/json' })
    response.end(JSON.stringify(body))
  }
  const lines = (body: string) => response.writeHead(200).end(body)
  const at = `${request.method} ${pathname.replace(/\/(batch|file|msgbatch)_[\w-]+/, '/:id')}`
  const id = /\/((?:batch|file|msgbatch)_[\w-]+)/.exec(pathname)?.[1] ?? ''
  const find = () => look(double, id)
  switch (at) {
    case 'POST /v1/responses':
    case 'POST /v1/messages': {
      const { service_tier, ...body } = JSON.parse(text)
      if (double.silent.delete(promptOf(body))) return void count(double.alone, promptOf(body))
      return send(...(service_tier ? flexed : alone)(double, promptOf(body), at))
    }
    case 'POST /v1/files': {
      const file = `file_${randomUUID()}`
      files.set(file, /\r\n\r\n(\{[\s\S]*\n)\r\n--/.exec(text)?.[1] ?? '')
      return send({ id: file, object: 'file', purpose: 'batch' })
    }
    case 'POST /v1/batches': {
      const { input_file_id, metadata } = JSON.parse(text)
      const items = (files.get(input_file_id) ?? '')
        .split('\n')
        .filter(Boolean)
        .map((line) => JSON.parse(line) as Item)
      return submit(double, { vendor: 'openai', metadata, items }, request, send)
    }
    case 'POST /v1/messages/batches': {
      const items = JSON.parse(text).requests.map(
        ({ custom_id, params }: { custom_id: string; params: unknown }) => ({
          custom_id,
          body: params,
        }),
      )
      return submit(double, { vendor: 'anthropic', metadata: null, items }, request, send)
    }
    case 'GET /v1/batches':
    case 'GET /v1/messages/batches':
      return send(pageOf(double, at, searchParams))
    case 'GET /v1/batches/:id':
    case 'GET /v1/messages/batches/:id': {
      const batch = find()
      return batch ? send(shown(batch)) : send({ error: { message: 'no such batch' } }, 404)
    }
    case 'POST /v1/batches/:id/cancel':
    case 'POST /v1/messages/batches/:id/cancel': {
      const batch = find()
      if (batch) batch.isCancelled = true
      return send(shown(batch ?? ({} as Batch)))
    }
    case 'GET /v1/files/:id/content': {
      const [, kind, of] = /^file_(out|err)_(.+)$/.exec(id) ?? []
      const batch = look(double, of ?? '')
      return void lines((kind === 'out' ? batch?.out : batch?.errors)?.join('\n') ?? '')
    }
    case 'GET /v1/messages/batches/:id/results':
      return void lines(find()?.out.join('\n') ?? '')
    default:
      return send({ error: { message: `nothing at ${at}` } }, 404)
  }
}

function pageOf(double: BatchDouble, at: string, query: URLSearchParams) {
  const vendor = at.includes('messages') ? 'anthropic' : 'openai'
  const after = query.get('after') ?? query.get('after_id')
  const all = double.batches.filter((one) => one.vendor === vendor).reverse()
  const from = all.findIndex((one) => one.id === after) + 1
  const until = from + double.pageSize
  const data = all.slice(from, until).map((one) => shown(look(double, one.id) ?? one))
  return { object: 'list', data, has_more: until < all.length }
}

function alone(double: BatchDouble, prompt: string, at: string): [body: object, status: number] {
  count(double.alone, prompt)
  return [at.endsWith('messages') ? message(prompt) : reply(prompt), 200]
}

/** As the vendor documents it: full is 429, a model without the tier 400; neither is billed. */
function flexed(double: BatchDouble, prompt: string): [body: object, status: number] {
  const flex = double.flexes.shift() ?? 'serve'
  if (flex === 'full') {
    const error = { message: 'Resource unavailable', type: 'resource_unavailable', code: null }
    return [{ error }, 429]
  }
  if (flex === 'unknown') {
    const error = { message: 'Invalid service_tier argument', type: 'invalid_request_error' }
    return [{ error: { ...error, param: 'service_tier' } }, 400]
  }
  count(flex === 'serve' ? double.flexed : double.alone, prompt)
  return [{ ...reply(prompt), service_tier: flex === 'serve' ? 'flex' : 'default' }, 200]
}

function submit(
  double: BatchDouble,
  { vendor, metadata, items }: Pick<Batch, 'vendor' | 'metadata' | 'items'>,
  request: IncomingMessage,
  send: (body: unknown, status?: number) => void,
) {
  const how = double.submissions.shift() ?? 'accept'
  if (how === 'drop') return void request.socket.destroy()
  if (how === 'busy') return send({ error: { message: 'slow down', type: 'rate_limit' } }, 429)
  if (how === 'refuse') return send({ error: { message: 'no batches for you' } }, 400)
  const id = `${vendor === 'openai' ? 'batch' : 'msgbatch'}_${randomUUID()}`
  const batch: Batch = {
    ...{ id, vendor, metadata, items, createdMs: Date.now() },
    key: String(request.headers.authorization ?? request.headers['x-api-key']),
    ...{ isOver: false, isCancelled: false, out: [], errors: [] },
  }
  double.batches.push(batch)
  for (const { body } of items) count(double.accepted, promptOf(body))
  if (how === 'lose') return void request.socket.destroy()
  send(shown(batch))
}

/** A batch is worked on when somebody looks at it after its time. */
function look(double: BatchDouble, id: string): Batch | undefined {
  const batch = double.batches.find((one) => one.id === id)
  if (!batch || batch.isOver) return batch
  const isDue = Date.now() >= batch.createdMs + double.batchMs
  if (!isDue && !batch.isCancelled) return batch
  batch.isOver = true
  for (const { custom_id, body } of batch.items) {
    const prompt = promptOf(body)
    const isUndone = batch.isCancelled && !isDue && !double.early.has(prompt)
    const fate = isUndone ? 'expire' : double.fateOf(prompt)
    if (fate !== 'expire' && fate !== 'invalid') count(double.batched, prompt)
    const line = batch.vendor === 'openai' ? openAiLine : anthropicLine
    const isError = batch.vendor === 'openai' && (fate === 'expire' || fate === 'invalid')
    const list = isError ? batch.errors : batch.out
    list.push(JSON.stringify(line(custom_id, fate, prompt)))
  }
  return batch
}

function openAiLine(custom_id: string, fate: Fate, prompt: string) {
  const head = { id: `batch_req_${randomUUID()}`, custom_id }
  if (fate === 'expire') {
    const error = { code: 'batch_expired', message: 'not executed before the window ended' }
    return { ...head, response: null, error }
  }
  const body =
    fate === 'invalid'
      ? { error: { message: 'a bad request', type: 'invalid_request_error' } }
      : { ...reply(prompt, fate === 'blocked'), ...(fate === 'uncounted' ? { usage: null } : {}) }
  const status_code = fate === 'invalid' ? 400 : 200
  return { ...head, response: { status_code, request_id: 'req_1', body }, error: null }
}

function anthropicLine(custom_id: string, fate: Fate, prompt: string) {
  if (fate === 'expire') return { custom_id, result: { type: 'expired' } }
  if (fate === 'invalid') {
    const error = { type: 'invalid_request_error', message: 'a bad request' }
    return { custom_id, result: { type: 'errored', error: { type: 'error', error } } }
  }
  return { custom_id, result: { type: 'succeeded', message: message(prompt) } }
}

function shown({ id, vendor, metadata, items, createdMs, ...batch }: Batch) {
  if (vendor === 'anthropic') {
    const counts = { processing: 0, succeeded: 0, errored: 0, canceled: 0, expired: 0 }
    const state = batch.isOver ? 'succeeded' : 'processing'
    return {
      ...{ id, type: 'message_batch', created_at: new Date(createdMs).toISOString() },
      processing_status: batch.isOver ? 'ended' : 'in_progress',
      request_counts: { ...counts, [state]: items.length },
    }
  }
  return {
    ...{ id, object: 'batch', endpoint: '/v1/responses', metadata },
    created_at: Math.floor(createdMs / 1000),
    status: !batch.isOver ? 'in_progress' : batch.isCancelled ? 'cancelled' : 'completed',
    ...(batch.out.length > 0 ? { output_file_id: `file_out_${id}` } : {}),
    ...(batch.errors.length > 0 ? { error_file_id: `file_err_${id}` } : {}),
  }
}

export function promptOf(body: unknown): string {
  const { input, messages } = body as Record<string, { content: unknown }[] | undefined>
  const content = (input ?? messages)?.at(-1)?.content
  return typeof content === 'string'
    ? content
    : ((content as { text?: string }[] | undefined)?.find((part) => part.text)?.text ?? '')
}

const reply = (prompt: string, isBlocked = false) => ({
  ...{ id: 'resp_1', object: 'response', created_at: 1, model: 'gpt-test' },
  status: isBlocked ? 'incomplete' : 'completed',
  ...(isBlocked ? { incomplete_details: { reason: 'content_filter' } } : {}),
  output: [
    {
      ...{ type: 'message', id: 'msg_1', role: 'assistant', status: 'completed' },
      content: [{ type: 'output_text', text: `Answer to ${prompt}`, annotations: [] }],
    },
  ],
  usage: { input_tokens: used.input, output_tokens: used.output, total_tokens: 30 },
})

const message = (prompt: string) => ({
  ...{ id: 'msg_1', type: 'message', role: 'assistant', model: 'claude-test' },
  ...{ stop_reason: 'end_turn', stop_sequence: null },
  content: [{ type: 'text', text: `Answer to ${prompt}` }],
  usage: { input_tokens: used.input, output_tokens: used.output },
})
