// The scripted model as an HTTP server on 127.0.0.1. It speaks the wire formats of three vendors,
// counts its calls, and keeps every request for whoever wants to record it.
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as wait } from 'node:timers/promises'
import { gunzipSync, zstdDecompressSync } from 'node:zlib'
import { chatCompletions } from './chat-completions.ts'
import { gemini } from './gemini.ts'
import { messages } from './messages.ts'
import { responses } from './responses.ts'
import { nextStep, type Seen } from './script.ts'
import type { Body, Wire } from './wire.ts'

export type Request = { method: string; path: string; headers: IncomingHttpHeaders; body: Body }

export type ScriptedServer = AsyncDisposable & {
  origin: string
  requests: Request[]
  /** How many answers it has given. */
  answered: number
}

const wires = [chatCompletions, messages, responses, gemini]

export async function startScripted(): Promise<ScriptedServer> {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const scripted: ScriptedServer = {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests: [],
    answered: 0,
    [Symbol.asyncDispose]: async () => {
      const closed = new Promise((resolve) => server.close(resolve))
      server.closeAllConnections()
      await closed
    },
  }
  server.on('request', async (request, response) => {
    const { method = 'GET', url: path = '/', headers } = request
    const bytes = Buffer.concat(await Array.fromAsync(request))
    const body = method === 'POST' ? parse(bytes, headers['content-encoding']) : undefined
    scripted.requests.push({ method, path, headers, body })
    if (body?.thread !== undefined) return sendJson(response, noThreads, 400)
    for (const wire of wires) {
      const seen = wire.read(withoutQuery(path), body)
      if (seen === undefined) continue
      scripted.answered++
      return answer(wire, seen, body, response)
    }
    sendJson(response, method === 'POST' ? counts : { object: 'list', data: [], models: [] })
  })
  return scripted
}

const withoutQuery = (path: string): string => path.split('?')[0] ?? path

/** A conversation in whichever format it is; undefined if it is none. */
export const readAny = (path: string, body: Body): Seen | undefined =>
  wires.map((wire) => wire.read(withoutQuery(path), body)).find((seen) => seen !== undefined)

/** Of the count of tokens, as Anthropic and as Google call it. */
const counts = { input_tokens: 1200, totalTokens: 1200 }

/** As Anthropic refuses a conversation that it cannot keep. */
const noThreads = {
  type: 'error',
  error: {
    type: 'invalid_request_error',
    message: 'Threads are not supported here.',
    details: { error_code: 'thread_unsupported_request', unsupported: ['zdr'] },
  },
}

function parse(bytes: Buffer, encoding: string | undefined): Body {
  const unpack = { gzip: gunzipSync, zstd: zstdDecompressSync }[encoding ?? '']
  return JSON.parse(String(unpack?.(bytes) ?? bytes) || '{}')
}

async function answer(wire: Wire, seen: Seen, body: Body, response: ServerResponse): Promise<void> {
  const step = nextStep(seen)
  if (!seen.isStream) return sendJson(response, wire.whole(step, body))
  response.writeHead(200, { 'content-type': 'text/event-stream' })
  const events = [...wire.events(step, body)]
  const pauseMs = (step.seconds * 1000) / events.length
  for (const event of events) {
    if (response.destroyed) return
    response.write(event)
    if (pauseMs > 0) await wait(pauseMs)
  }
  response.end()
}

function sendJson(response: ServerResponse, body: object, status = 200): void {
  response.writeHead(status, { 'content-type': 'application/json' })
  response.end(JSON.stringify(body))
}
