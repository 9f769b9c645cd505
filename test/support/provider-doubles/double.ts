// A double of a provider: a real HTTP server on 127.0.0.1 that speaks the provider's wire format,
// does what a test tells it, and counts exactly what was requested and what it would bill. Never
// waits for a time: a slow answer is held until it is released.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import {
  type Behaviour,
  type Job,
  type JobState,
  noCounts,
  type Recorded,
  type Route,
} from './behaviour.ts'
import { answerControl } from './control.ts'
import type { Double, State } from './double-state.ts'
import { readBody } from './read-body.ts'
import type { Asked, Reply, Wire } from './wire.ts'

const answer: Behaviour = { do: 'answer' }

export async function startDouble(
  wire: Wire,
  options: { key?: string; port?: number } = {},
): Promise<Double> {
  const server = createServer({ keepAliveTimeout: 60_000 })
  await new Promise<void>((resolve) => server.listen(options.port ?? 0, '127.0.0.1', resolve))
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const state = newState(wire, origin, options.key ?? 'test-key-0123456789')
  server.on('request', (request: IncomingMessage, response: ServerResponse) => {
    const path = request.url ?? '/'
    const done = path.startsWith('/__double')
      ? answerControl(state, path, request, response)
      : serve(state, request, response)
    done.catch((error: unknown) => {
      response.destroy(error instanceof Error ? error : new Error(String(error)))
    })
  })
  state.close = async () => {
    const closed = new Promise((resolve) => server.close(resolve))
    server.closeAllConnections()
    await closed
  }
  return state
}

function newState(wire: Wire, origin: string, key: string): State {
  const state: State = {
    wire,
    origin,
    url: origin + wire.basePath,
    key,
    counts: noCounts(),
    requests: [],
    jobs: [],
    scripts: new Map(),
    defaults: new Map(),
    waiting: [],
    planned: ['queued', 'running', 'succeeded'],
    released: false,
    held: new Set(),
    script: (route, ...behaviours) => {
      state.scripts.set(route, [...(state.scripts.get(route) ?? []), ...behaviours])
    },
    always: (route, behaviour) => void state.defaults.set(route, behaviour),
    plan: (...states) => {
      state.planned = states
    },
    release: () => {
      state.released = true
      for (const go of state.held) go()
      state.held.clear()
    },
    arrived: (route, count) =>
      new Promise((resolve) => {
        state.waiting.push({ route, count, resolve })
        tellWaiting(state)
      }),
    reset: () => {
      Object.assign(state.counts, noCounts())
      state.requests.length = 0
      state.jobs.length = 0
      state.scripts.clear()
      state.defaults.clear()
      state.planned = ['queued', 'running', 'succeeded']
      state.released = false
    },
    close: async () => {},
  }
  return state
}

function tellWaiting(state: State): void {
  for (const one of [...state.waiting]) {
    if (state.counts[one.route] < one.count) continue
    state.waiting.splice(state.waiting.indexOf(one), 1)
    one.resolve()
  }
}

async function serve(state: State, request: IncomingMessage, response: ServerResponse) {
  const path = request.url ?? '/'
  const method = request.method ?? 'GET'
  const early = state.wire.classify(method, path, undefined)
  const cutEarly = early && peek(state, early.route)
  if (early && cutEarly?.do === 'cut' && cutEarly.when === 'before-reading') {
    take(state, early.route)
    record(state, { route: early.route, method, path, headers: request.headers, body: undefined })
    return void request.socket.resetAndDestroy()
  }
  const body = await readBody(request)
  const asked = state.wire.classify(method, path, body)
  const route = asked?.route ?? 'unknown'
  record(state, { route, method, path, headers: request.headers, body })
  if (asked === undefined) return send(response, { status: 404, body: { detail: 'no such path' } })
  if (!keyIsRight(state, asked.route, request)) {
    return send(response, { status: 401, body: state.wire.refuse(401, 'wrong key') })
  }
  const isAwaited = String(request.headers.prefer).startsWith('wait')
  await behave(state, take(state, asked.route), asked, { body, path, isAwaited }, response)
}

function record(state: State, recorded: Recorded): void {
  state.requests.push(recorded)
  state.counts[recorded.route]++
  tellWaiting(state)
}

function keyIsRight(state: State, route: Route, request: IncomingMessage): boolean {
  const key = state.wire.keyOf(request.headers)
  if (state.wire.openRoutes.includes(route)) {
    if (key !== undefined) state.counts.keysLeaked++
    return true
  }
  if (key === state.key) return true
  state.counts.unauthorized++
  return false
}

const peek = (state: State, route: Route): Behaviour =>
  state.scripts.get(route)?.[0] ?? state.defaults.get(route) ?? answer

const take = (state: State, route: Route): Behaviour =>
  state.scripts.get(route)?.shift() ?? state.defaults.get(route) ?? answer

async function behave(
  state: State,
  behaviour: Behaviour,
  asked: Asked,
  { body, path, isAwaited }: { body: unknown; path: string; isAwaited: boolean },
  response: ServerResponse,
): Promise<void> {
  if (behaviour.do === 'refuse') {
    const words = behaviour.message ?? `refused with ${behaviour.status}`
    return send(response, { ...behaviour, body: state.wire.refuse(behaviour.status, words) })
  }
  if (behaviour.do === 'say') return send(response, behaviour)
  if (behaviour.do === 'cut' && behaviour.when !== 'after-accepting') {
    if (behaviour.when !== 'mid-answer') return void response.socket?.resetAndDestroy()
  }
  const reply = accept(state, asked, { body, path, isAwaited })
  switch (behaviour.do) {
    case 'cut':
      if (behaviour.when === 'mid-answer') return breakOff(response, reply)
      return void response.socket?.resetAndDestroy()
    case 'hold':
      if (!state.released) await new Promise<void>((resolve) => state.held.add(resolve))
      return send(response, reply)
    case 'babble':
      return send(response, { status: reply.status, body: babble[behaviour.as] })
    case 'flood':
      return flood(response, behaviour.bytes)
    case 'break':
    case 'answer': {
      const isStreaming = asked.route === 'chat' || asked.route === 'call'
      const events = isStreaming ? state.wire.stream?.(body, path) : undefined
      if (!events) return send(response, reply)
      return streamOut(state, response, events, behaviour)
    }
    default:
      return behaviour satisfies never
  }
}

const babble = {
  html: Buffer.from('<html><body>Welcome to nginx!</body></html>'),
  'broken-json': Buffer.from('{"id": "abc", "choices": [{"mess'),
  empty: Buffer.alloc(0),
  'wrong-shape': { hello: 'world' },
}

/** The normal behaviour of the provider: accepts a job if it is a submission, and answers. */
function accept(
  state: State,
  asked: Asked,
  { body, path, isAwaited }: { body: unknown; path: string; isAwaited: boolean },
): Reply {
  const { wire, jobs, origin } = state
  if (asked.route === 'chat') {
    state.counts.accepted++
    return reply(wire.chat?.(body))
  }
  if (asked.route === 'call') {
    state.counts.accepted++
    return reply(wire.call?.(body, path))
  }
  if (asked.route === 'submit') {
    const job: Job = {
      id: `job${jobs.length + 1}`,
      kind: asked.kind ?? 'IMAGE',
      model: asked.model ?? '',
      body,
      plan: [...state.planned],
      polls: 0,
      cancels: 0,
      isAwaited,
      createdAt: new Date().toISOString(),
    }
    jobs.push(job)
    state.counts.accepted++
    return reply(wire.submit?.(job, origin))
  }
  if (asked.route === 'list') return reply(wire.list?.(jobs, origin))
  const job = jobs.find((one) => one.id === asked.id)
  if (job === undefined) return { status: 404, body: wire.refuse(404, 'not found') }
  if (asked.route === 'poll') return reply(wire.poll?.(job, shown(job, job.polls++), origin))
  const now = shown(job, Math.max(0, job.polls - 1))
  if (asked.route === 'result') return reply(wire.result?.(job, now, origin))
  if (asked.route === 'file') return reply(wire.file?.(job))
  job.cancels++
  const ended = !['queued', 'running'].includes(now)
  if (!ended) job.plan = [...job.plan.slice(0, job.polls), 'canceled']
  return reply(wire.cancel?.(job, now))
}

const shown = (job: Job, index: number): JobState =>
  job.plan[Math.min(index, job.plan.length - 1)] ?? 'succeeded'

const reply = (given: Reply | undefined): Reply =>
  given ?? { status: 404, body: { detail: 'this provider has no such thing' } }

const bytesOf = (body: unknown): Buffer =>
  Buffer.isBuffer(body) ? body : Buffer.from(JSON.stringify(body))

function send(response: ServerResponse, { status, headers, body }: Reply): void {
  const bytes = bytesOf(body)
  const type = Buffer.isBuffer(body) ? 'application/octet-stream' : 'application/json'
  response.writeHead(status, { 'content-type': type, 'content-length': bytes.length, ...headers })
  response.end(bytes)
}

function breakOff(response: ServerResponse, { status, headers, body }: Reply): void {
  const bytes = bytesOf(body)
  const type = { 'content-type': 'application/json', ...headers }
  response.writeHead(status, { ...type, 'content-length': bytes.length })
  response.write(bytes.subarray(0, bytes.length / 2), () => response.socket?.end())
}

/** Sends every event in two writes, split at an awkward position for a reader. */
async function streamOut(
  state: State,
  response: ServerResponse,
  events: string[],
  behaviour: Extract<Behaviour, { do: 'break' | 'answer' }>,
): Promise<void> {
  response.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8', ...streamHeaders })
  const write = (bytes: Buffer) =>
    new Promise<void>((resolve) => {
      response.write(bytes, () => setImmediate(resolve))
    })
  const stopAt = behaviour.do === 'break' ? behaviour.after : events.length
  for (const [place, event] of events.entries()) {
    if (place === stopAt && behaviour.do === 'break') {
      if (!(await goesOn(state, response, behaviour.by))) return
    }
    const bytes = Buffer.from(event)
    await write(bytes.subarray(0, bytes.length - 3))
    await write(bytes.subarray(bytes.length - 3))
  }
  response.end()
}

const streamHeaders = { 'x-request-id': 'req_double', 'request-id': 'req_011double' }

async function goesOn(
  state: State,
  response: ServerResponse,
  by: Extract<Behaviour, { do: 'break' }>['by'],
): Promise<boolean> {
  switch (by) {
    case 'hold':
      if (!state.released) await new Promise<void>((resolve) => state.held.add(resolve))
      return true
    case 'cut':
      response.socket?.resetAndDestroy()
      return false
    case 'end':
      response.end()
      return false
    case 'junk':
      response.end('data: {"id": "abc", "cho\n\n')
      return false
    case 'error':
      response.end(state.wire.streamError?.('The model fell over.'))
      return false
    case 'flood':
      response.write('data: "')
      flood(response, 16 * 1024 * 1024)
      return false
    default:
      return by satisfies never
  }
}

function flood(response: ServerResponse, bytes: number): void {
  if (!response.headersSent) response.writeHead(200, { 'content-type': 'application/json' })
  const chunk = Buffer.alloc(65_536, ' ')
  let left = bytes
  const more = () => {
    while (left > 0 && !response.destroyed) {
      left -= chunk.length
      if (!response.write(chunk)) return void response.once('drain', more)
    }
    response.end()
  }
  more()
}
