// A server that writes down what it is sent and answers as it is told. The vendor's own SDK and
// our adapter are pointed at it in turn: their requests for the same intent are then compared.
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { TestContext } from 'node:test'
import type { CallOptions, Provider, TextDelta, TextRequest } from '#providers/provider.ts'

export type Recorded = {
  method: string
  path: string
  headers: Record<string, string | string[] | undefined>
  /** Parsed where it is JSON, else the text as it came. */
  body: unknown
}

export type Answer = { status?: number; headers?: Record<string, string> } & (
  | { json: unknown }
  | { events: readonly { event?: string; data: unknown }[] }
)

export type Recorder = {
  url: string
  requests: Recorded[]
  /** Every request from now on is answered so. */
  answer(answer: Answer): void
  /** The request that `send` makes, whatever becomes of its answer. */
  sentBy(send: () => Promise<unknown>): Promise<Recorded>
}

export async function startRecorder(t: TestContext, first: Answer = { json: {} }) {
  let answer = first
  const requests: Recorded[] = []
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk)
    const text = Buffer.concat(chunks).toString()
    const isJson = text !== '' && String(request.headers['content-type']).includes('json')
    const { method = '', url = '', headers } = request
    requests.push({ method, path: url, headers, body: isJson ? JSON.parse(text) : text })
    const type = 'json' in answer ? 'application/json' : 'text/event-stream'
    response.writeHead(answer.status ?? 200, { 'content-type': type, ...answer.headers })
    response.end('json' in answer ? JSON.stringify(answer.json) : answer.events.map(line).join(''))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.after(() => {
    server.close()
    server.closeAllConnections()
  })
  const recorder: Recorder = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    answer: (next) => {
      answer = next
    },
    async sentBy(send) {
      requests.length = 0
      await send().catch(() => undefined)
      const [sent, ...more] = requests
      if (!sent || more.length > 0) throw new Error(`${requests.length} requests were made`)
      return sent
    },
  }
  return recorder
}

const line = ({ event, data }: { event?: string; data: unknown }): string =>
  `${event === undefined ? '' : `event: ${event}\n`}data: ${
    typeof data === 'string' ? data : JSON.stringify(data)
  }\n\n`

export const patient: CallOptions = { signal: new AbortController().signal }

/** An adapter joined to the recorder. */
export function adapterAt(t: TestContext, provider: Provider) {
  t.after(() => provider.close?.())
  const { generateText, streamText } = provider
  if (!generateText || !streamText) throw new Error('the provider makes no text')
  return {
    whole: (request: TextRequest) => generateText(request, patient),
    pieces: (request: TextRequest): Promise<TextDelta[]> =>
      Array.fromAsync(streamText(request, patient)),
  }
}

/** Of a form: names, file names, types and values; boundaries and the order differ. */
export const formFields = (form: unknown): string[] =>
  String(form)
    .split(/--[-\w]+(?:\r\n|--\r\n)/)
    .filter((part) => part !== '')
    .map((part) => part.trim().toLowerCase())
    .sort()
