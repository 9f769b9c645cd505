import assert from 'node:assert/strict'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { createInterface } from 'node:readline'
import { PassThrough } from 'node:stream'
import { json } from 'node:stream/consumers'
import { type TestContext, test } from 'node:test'
import { runStdio } from '#cli/mcp/stdio.ts'
import { startServer } from '../../../support/server.ts'
import { closedAddress, startHost } from '../../generation/host.ts'

const request = { jsonrpc: '2.0', id: 'a', method: 'tools/list' }

/** The bridge in this process: write lines, read lines. */
function openBridge(t: TestContext, baseUrl: string, apiKey = 'sk_key') {
  const input = new PassThrough()
  const output = new PassThrough()
  const stop = new AbortController()
  const ended = runStdio({ baseUrl, apiKey, input, output, signal: stop.signal })
  const lines = createInterface({ input: output })[Symbol.asyncIterator]()
  t.after(async () => {
    stop.abort()
    await ended
  })
  return {
    ended,
    stop,
    input,
    send: (value: unknown) =>
      input.write(`${typeof value === 'string' ? value : JSON.stringify(value)}\n`),
    next: async () => JSON.parse((await lines.next()).value ?? 'null'),
  }
}

const host = (
  t: TestContext,
  answer: (message: unknown, response: ServerResponse, request: IncomingMessage) => void,
) =>
  startHost(t, async (request, response) => {
    answer(await json(request), response, request)
  })

test('messages pass with the key and the headers their generation wants', async (t) => {
  const seen: IncomingMessage[] = []
  const { url } = await host(t, (message, response, request) => {
    seen.push(request)
    const { id, method } = message as { id: unknown; method: string }
    const result = method === 'initialize' ? { protocolVersion: '2025-06-18' } : {}
    response.setHeader('content-type', 'application/json')
    response.end(JSON.stringify({ jsonrpc: '2.0', id, result }))
  })
  const bridge = openBridge(t, `${url}/`)
  const headersOf = async (message: object) => {
    bridge.send({ jsonrpc: '2.0', id: 1, ...message })
    await bridge.next()
    const headers = seen.at(-1)?.headers ?? {}
    assert.equal(headers.authorization, 'Bearer sk_key')
    return ['mcp-protocol-version', 'mcp-method', 'mcp-name'].map((name) => headers[name])
  }
  const _meta = { 'io.modelcontextprotocol/protocolVersion': '2026-07-28' }
  const modern = (name: string) => ({ method: 'tools/call', params: { name, _meta } })
  assert.deepEqual(await headersOf(modern('svc_chat')), ['2026-07-28', 'tools/call', 'svc_chat'])
  assert.deepEqual((await headersOf(modern('ünï')))[2], '=?base64?w7xuw68=?=')
  assert.deepEqual((await headersOf(modern('a\r\nb: c')))[2], '=?base64?YQ0KYjogYw==?=')
  const reading = { method: 'tasks/get', params: { taskId: 'run-1', _meta } }
  assert.deepEqual(await headersOf(reading), ['2026-07-28', 'tasks/get', 'run-1'])
  assert.deepEqual(await headersOf({ method: 'ping' }), [undefined, undefined, undefined])
  await headersOf({ method: 'initialize', params: { protocolVersion: '2025-06-18' } })
  assert.deepEqual(await headersOf({ method: 'ping' }), ['2025-06-18', undefined, undefined])
  assert.equal(seen[0]?.url, '/mcp')
})

test('messages that arrive in pieces are sent in order', async (t) => {
  const { url } = await host(t, (_message, response) => {
    response.setHeader('content-type', 'text/event-stream')
    for (const part of [{ method: 'notifications/progress' }, { id: 'a', result: {} }]) {
      response.write(`event: message\ndata: ${JSON.stringify({ jsonrpc: '2.0', ...part })}\n\n`)
    }
    response.end()
  })
  const bridge = openBridge(t, url)
  bridge.send(request)
  assert.equal((await bridge.next()).method, 'notifications/progress')
  assert.deepEqual(await bridge.next(), { jsonrpc: '2.0', id: 'a', result: {} })
})

test('a refusal of the server is an error of the request, with its code', async (t) => {
  await using server = await startServer()
  const bridge = openBridge(t, server.url, 'sk_nonsense')
  bridge.send(request)
  const { id, error } = await bridge.next()
  assert.equal(id, 'a')
  assert.equal(error.code, -32000)
  assert.equal(error.message, 'The credential is not valid.')
  assert.deepEqual([error.data.status, error.data.code], [401, 'INVALID_CREDENTIAL'])
})

test('a server that is missing, answers nonsense or stops responding is an error too', async (t) => {
  const nowhere = openBridge(t, await closedAddress())
  nowhere.send(request)
  assert.match((await nowhere.next()).error.message, /cannot be reached: .*ECONNREFUSED/)

  const answers: ((response: ServerResponse) => void)[] = [
    (response) => response.writeHead(502, { 'content-type': 'text/html' }).end('<html>'),
    (response) => response.writeHead(200, { 'content-type': 'text/event-stream' }).end(),
    (response) => response.writeHead(202).end(),
  ]
  const { url } = await host(t, (_message, response) => answers.shift()?.(response))
  const bridge = openBridge(t, url)
  for (const message of [/answered 502/, /ended before/, /ended before/]) {
    bridge.send(request)
    assert.match((await bridge.next()).error.message, message)
  }
})

test('a line that is not JSON gets an error, and the next is served', async (t) => {
  await using server = await startServer()
  const bridge = openBridge(t, server.url, server.ownerKey)
  for (const line of ['{', 'null', '7']) {
    bridge.send(line)
    const { id, error } = await bridge.next()
    assert.deepEqual([id, error.code], [null, -32700])
  }
  bridge.send('')
  bridge.send(`{"a":"${'x'.repeat(13 * 1024 * 1024)}"}`)
  assert.equal((await bridge.next()).error.code, -32700)
  bridge.send(request)
  assert.equal((await bridge.next()).result.tools.length, 18)
})

test('a message without an answer goes unanswered, even if it fails', async (t) => {
  const { url } = await host(t, (message, response) => {
    const { id } = message as { id?: unknown }
    if (id === undefined) return response.writeHead(500).end()
    response.setHeader('content-type', 'application/json')
    response.end(JSON.stringify({ jsonrpc: '2.0', id, result: {} }))
  })
  const bridge = openBridge(t, url)
  bridge.send({ jsonrpc: '2.0', method: 'notifications/initialized' })
  bridge.send(request)
  assert.deepEqual(await bridge.next(), { jsonrpc: '2.0', id: 'a', result: {} })
})

test('when the input ends, what was asked is still answered', async (t) => {
  await using server = await startServer()
  const bridge = openBridge(t, server.url, server.ownerKey)
  bridge.send(request)
  bridge.input.end()
  await bridge.ended
  assert.equal((await bridge.next()).result.tools.length, 18)
})

test('when stopped, it abandons what it waits for', async (t) => {
  const asked = Promise.withResolvers<void>()
  const left = Promise.withResolvers<void>()
  const { url } = await host(t, (_message, _response, request) => {
    request.socket.once('close', () => left.resolve())
    asked.resolve()
  })
  const bridge = openBridge(t, url)
  bridge.send(request)
  await asked.promise
  bridge.stop.abort()
  await Promise.all([bridge.ended, left.promise])
})
