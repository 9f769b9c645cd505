// MCP over standard input and output. Each message is sent to the server's /mcp, and each response
// is written as one line; both revisions of the protocol pass through unchanged. Never repeats a
// request, and answers one itself only if the server did not.

import { addAbortSignal, type Readable, type Writable } from 'node:stream'
import { EventSourceParserStream } from 'eventsource-parser/stream'
import { lineWriter, readLines } from './json-lines.ts'

type StdioOptions = {
  baseUrl: string
  apiKey: string
  input: Readable
  output: Writable
  signal: AbortSignal
  /** Whether stored workflows are offered as tools as well. */
  withWorkflows?: boolean
  /** Whether tools are listed with their output schemas. */
  withSchemas?: boolean
}

type Message = {
  jsonrpc?: unknown
  id?: string | number | null
  method?: string
  params?: { requestId?: unknown; _meta?: Record<string, unknown> } & Record<string, unknown>
  result?: { protocolVersion?: unknown }
  error?: unknown
}

const maxLineBytes = 12 * 1024 * 1024
const parseError = -32700
const serverError = -32000
const versionMeta = 'io.modelcontextprotocol/protocolVersion'

/** Resolves when the input has ended and every request is answered, or when the signal aborts. */
export async function runStdio(options: StdioOptions): Promise<void> {
  const { input, output, signal } = options
  const write = lineWriter(output)
  const refuse = (id: Message['id'], code: number, message: string, data?: unknown) =>
    write({ jsonrpc: '2.0', id: id ?? null, error: { code, message, data } })
  const forward = createForward(options, write)
  const working = new Set<Promise<void>>()
  const byId = new Map<unknown, AbortController>()

  const handle = async (message: Message) => {
    const { id, method } = message
    const cancelled = new AbortController()
    const isRequest = method !== undefined && id !== undefined
    if (isRequest) byId.set(id, cancelled)
    try {
      await forward(message, AbortSignal.any([signal, cancelled.signal]))
    } catch (error) {
      // After a cancellation the client expects no response.
      if (isRequest && !signal.aborted && !cancelled.signal.aborted) {
        const { message: text, data } = error as Error & { data?: unknown }
        await refuse(id, serverError, text, data)
      }
    } finally {
      if (byId.get(id) === cancelled) byId.delete(id)
    }
  }

  addAbortSignal(signal, input)
  try {
    for await (const line of readLines(input, maxLineBytes)) {
      if (line?.trim() === '') continue
      const message = line === null ? null : parse(line)
      if (message === null) {
        await refuse(null, parseError, 'Not a JSON object on one line, or longer than 12 MiB.')
      } else if (message.method === 'notifications/cancelled') {
        byId.get(message.params?.requestId)?.abort()
      } else {
        const work = handle(message).finally(() => working.delete(work))
        working.add(work)
      }
    }
  } catch (error) {
    if (!signal.aborted) throw error
  }
  await Promise.all(working)
}

function parse(line: string): Message | null {
  try {
    const value: unknown = JSON.parse(line)
    return typeof value === 'object' && value !== null ? value : null
  } catch {
    return null
  }
}

function createForward(
  { baseUrl, apiKey, withWorkflows, withSchemas }: StdioOptions,
  write: (value: unknown) => Promise<void>,
) {
  const query = [withWorkflows && 'workflows=1', withSchemas && 'schemas=1'].filter(Boolean)
  const address = [
    `${baseUrl.replace(/\/+$/, '')}/mcp`,
    ...(query.length ? [query.join('&')] : []),
  ].join('?')
  // The version agreed on in a handshake. The server is stateless, so we must send it each time.
  let negotiated: string | undefined

  return async (message: Message, signal: AbortSignal): Promise<void> => {
    const response = await fetch(address, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${apiKey}`,
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        ...protocolHeaders(message, negotiated),
      },
      body: JSON.stringify(message),
      signal,
    }).catch((error: Error) => {
      throw new Error(`${address} cannot be reached: ${(error.cause as Error)?.message ?? error}`)
    })
    let isAnswered = message.method === undefined || message.id === undefined
    for await (const answer of answers(response)) {
      if (answer.id === message.id) isAnswered = true
      if (message.method === 'initialize' && typeof answer.result?.protocolVersion === 'string') {
        negotiated = answer.result.protocolVersion
      }
      await write(answer)
    }
    if (!isAnswered) throw new Error('The connection ended before the response.')
  }
}

/** Yields what the server sent in response to one message. Throws if it is not JSON-RPC. */
async function* answers(response: Response): AsyncGenerator<Message> {
  const { body, status } = response
  const contentType = response.headers.get('content-type') ?? ''
  if (body === null || status === 202) return
  if (contentType.startsWith('text/event-stream')) {
    const events = body
      .pipeThrough(new TextDecoderStream())
      .pipeThrough(new EventSourceParserStream())
    for await (const { data } of events) yield JSON.parse(data) as Message
    return
  }
  const text = await response.text()
  const parsed = parse(text)
  if (parsed?.jsonrpc !== undefined || Array.isArray(parsed)) {
    yield parsed as Message
    return
  }
  const error = parsed?.error as { message?: string } | undefined
  throw Object.assign(new Error(error?.message ?? `The server answered ${status}.`), {
    data: { status, ...error },
  })
}

/** The field that a message is routed by, where that is not `name`. */
const nameFields: Record<string, string> = { resources: 'uri', tasks: 'taskId' }

/**
 * The revision of 2026 repeats fields of the message in headers; the earlier one only sends its
 * version.
 */
function protocolHeaders(
  { method, params }: Message,
  negotiated: string | undefined,
): Record<string, string> {
  const version = params?._meta?.[versionMeta]
  if (typeof version !== 'string' || method === undefined) {
    return negotiated === undefined ? {} : { 'mcp-protocol-version': negotiated }
  }
  const name = params?.[nameFields[method.split('/')[0] ?? ''] ?? 'name']
  return {
    'mcp-protocol-version': toHeaderValue(version),
    'mcp-method': toHeaderValue(method),
    ...(typeof name === 'string' ? { 'mcp-name': toHeaderValue(name) } : {}),
  }
}

/** Text that a header cannot hold is sent as base64, as the protocol prescribes. */
const toHeaderValue = (text: string): string =>
  /^[\x21-\x7e]([\x20-\x7e]*[\x21-\x7e])?$/.test(text) && !text.startsWith('=?base64?')
    ? text
    : `=?base64?${Buffer.from(text).toString('base64')}?=`
