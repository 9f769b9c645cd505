// MCP over standard input and output: each message goes to the server's /mcp, and what comes back
// goes out, one line each. Both generations of the protocol pass through as they are.
// Never repeats a request, and never answers one itself unless the server could not.

import { addAbortSignal, type Readable, type Writable } from 'node:stream'
import { readEvents } from './event-stream.ts'
import { lineWriter, readLines } from './json-lines.ts'

type StdioOptions = {
  baseUrl: string
  apiKey: string
  input: Readable
  output: Writable
  signal: AbortSignal
  /** Whether stored workflows are tools, too. */
  withWorkflows?: boolean
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

/** Ends when the input does and everything asked has been answered, or when the signal says so. */
export async function runStdio(options: StdioOptions): Promise<void> {
  const { input, output, signal } = options
  const write = lineWriter(output)
  const refuse = (id: Message['id'], code: number, message: string, data?: unknown) =>
    write({ jsonrpc: '2.0', id: id ?? null, error: { code, message, data } })
  const forward = createForward(options, write)
  const working = new Set<Promise<void>>()
  const byId = new Map<unknown, AbortController>()

  const take = async (message: Message) => {
    const { id, method } = message
    const cancelled = new AbortController()
    const isRequest = method !== undefined && id !== undefined
    if (isRequest) byId.set(id, cancelled)
    try {
      await forward(message, AbortSignal.any([signal, cancelled.signal]))
    } catch (error) {
      // Whoever cancelled waits for no answer.
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
        const work = take(message).finally(() => working.delete(work))
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
  { baseUrl, apiKey, withWorkflows }: StdioOptions,
  write: (value: unknown) => Promise<void>,
) {
  const address = `${baseUrl.replace(/\/+$/, '')}/mcp${withWorkflows ? '?workflows=1' : ''}`
  // Of the handshake, where there was one: the server keeps nothing about us.
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
    if (!isAnswered) throw new Error('The connection ended before the answer.')
  }
}

/** What the server sent for one message. Throws where it is no JSON-RPC. */
async function* answers(response: Response): AsyncGenerator<Message> {
  const { body, status } = response
  const contentType = response.headers.get('content-type') ?? ''
  if (body === null || status === 202) return
  if (contentType.startsWith('text/event-stream')) {
    for await (const data of readEvents(body)) yield JSON.parse(data) as Message
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

/** The revision of 2026 repeats parts of the message in headers; the one before names itself. */
function protocolHeaders(
  { method, params }: Message,
  negotiated: string | undefined,
): Record<string, string> {
  const version = params?._meta?.[versionMeta]
  if (typeof version !== 'string' || method === undefined) {
    return negotiated === undefined ? {} : { 'mcp-protocol-version': negotiated }
  }
  const name = method === 'resources/read' ? params?.uri : params?.name
  return {
    'mcp-protocol-version': toHeaderValue(version),
    'mcp-method': toHeaderValue(method),
    ...(typeof name === 'string' ? { 'mcp-name': toHeaderValue(name) } : {}),
  }
}

/** As the protocol wants it where a header could not carry the text. */
const toHeaderValue = (text: string): string =>
  /^[\x21-\x7e]([\x20-\x7e]*[\x21-\x7e])?$/.test(text) && !text.startsWith('=?base64?')
    ? text
    : `=?base64?${Buffer.from(text).toString('base64')}?=`
