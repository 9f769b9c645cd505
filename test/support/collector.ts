// A collector of OpenTelemetry traces on a socket. It accepts nothing but OTLP/HTTP in JSON: every
// field must be one of opentelemetry/proto/trace/v1/trace.proto, in protobuf's JSON mapping.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'

export type ReceivedSpan = {
  traceId: string
  spanId: string
  parentSpanId?: string
  name: string
  kind: number
  startTimeUnixNano: string
  endTimeUnixNano: string
  status: { code?: number; message?: string }
  links?: { traceId: string; spanId: string }[]
  attributes: Record<string, unknown>
}

export type Collector = AsyncDisposable & {
  endpoint: string
  spans: ReceivedSpan[]
  resources: Record<string, unknown>[]
  headers: IncomingHttpHeaders[]
  bodies: string[]
}

export async function startCollector(): Promise<Collector> {
  const spans: ReceivedSpan[] = []
  const resources: Record<string, unknown>[] = []
  const headers: IncomingHttpHeaders[] = []
  const bodies: string[] = []
  const server = createServer(async (request, response) => {
    const body = await text(request)
    headers.push(request.headers)
    bodies.push(body)
    try {
      assert.equal(request.url, '/v1/traces')
      assert.equal(request.headers['content-type'], 'application/json')
      const read = readExport(JSON.parse(body))
      spans.push(...read.spans)
      resources.push(...read.resources)
      response.writeHead(200, { 'content-type': 'application/json' }).end('{}')
    } catch (error) {
      // The test notices, because the spans it waits for never arrive.
      response.writeHead(400).end(String(error))
      bodies.push(String(error))
    }
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return {
    endpoint: `http://127.0.0.1:${port}`,
    ...{ spans, resources, headers, bodies },
    async [Symbol.asyncDispose]() {
      server.close()
      server.closeAllConnections()
    },
  }
}

type Json = Record<string, unknown>

function fields(value: unknown, known: readonly string[]): Json {
  assert.ok(typeof value === 'object' && value !== null && !Array.isArray(value))
  for (const name of Object.keys(value)) assert.ok(known.includes(name), `unknown field ${name}`)
  return value as Json
}

const list = (value: unknown): unknown[] => {
  assert.ok(Array.isArray(value))
  return value
}

function readExport(body: unknown) {
  const resources: Json[] = []
  const spans = list(fields(body, ['resourceSpans']).resourceSpans).flatMap((one) => {
    const { resource, scopeSpans } = fields(one, ['resource', 'scopeSpans', 'schemaUrl'])
    resources.push(readAttributes(fields(resource, ['attributes']).attributes))
    return list(scopeSpans).flatMap((scoped) => {
      const { scope, spans: inScope } = fields(scoped, ['scope', 'spans', 'schemaUrl'])
      fields(scope, ['name', 'version', 'attributes'])
      return list(inScope).map(readSpan)
    })
  })
  return { spans, resources }
}

const spanFields = [
  ...['traceId', 'spanId', 'parentSpanId', 'traceState', 'flags', 'name', 'kind'],
  ...['startTimeUnixNano', 'endTimeUnixNano', 'attributes', 'droppedAttributesCount', 'events'],
  ...['droppedEventsCount', 'links', 'droppedLinksCount', 'status'],
]

function readSpan(value: unknown): ReceivedSpan {
  const span = fields(value, spanFields)
  assert.match(String(span.traceId), /^(?!0{32})[0-9a-f]{32}$/)
  assert.match(String(span.spanId), /^(?!0{16})[0-9a-f]{16}$/)
  if ('parentSpanId' in span) assert.match(String(span.parentSpanId), /^[0-9a-f]{16}$/)
  for (const name of ['startTimeUnixNano', 'endTimeUnixNano']) {
    assert.equal(typeof span[name], 'string')
    assert.match(String(span[name]), /^[0-9]{19}$/)
  }
  assert.ok(BigInt(String(span.startTimeUnixNano)) <= BigInt(String(span.endTimeUnixNano)))
  assert.ok(Number.isInteger(span.kind) && Number(span.kind) >= 1 && Number(span.kind) <= 5)
  assert.equal(typeof span.name, 'string')
  const status = fields(span.status, ['code', 'message'])
  if ('code' in status) assert.ok([0, 1, 2].includes(Number(status.code)))
  for (const link of list(span.links ?? []))
    fields(link, ['traceId', 'spanId', 'flags', 'attributes', 'traceState'])
  return { ...span, attributes: readAttributes(span.attributes) } as ReceivedSpan
}

const readAttributes = (value: unknown): Json =>
  Object.fromEntries(
    list(value).map((one) => {
      const { key, value: given } = fields(one, ['key', 'value'])
      return [String(key), readValue(given)]
    }),
  )

function readValue(value: unknown): unknown {
  const [[kind, held] = [], ...rest] = Object.entries(value as Json)
  assert.deepEqual(rest, [])
  switch (kind) {
    case 'stringValue':
      assert.equal(typeof held, 'string')
      return held
    case 'boolValue':
      assert.equal(typeof held, 'boolean')
      return held
    case 'intValue':
      // 64-bit numbers are strings in protobuf's JSON.
      assert.match(String(held), /^-?[0-9]+$/)
      assert.equal(typeof held, 'string')
      return Number(held)
    case 'doubleValue':
      assert.equal(typeof held, 'number')
      return held
    case 'arrayValue':
      return list(fields(held, ['values']).values).map(readValue)
    default:
      return assert.fail(`unknown kind of value ${kind}`)
  }
}
