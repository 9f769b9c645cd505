import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { FunctionDeclaration, Tool } from '@google/genai'
import { P, startServer, type TestServer } from '../../support/server.ts'

let server: TestServer
before(async () => {
  server = await startServer()
})
after(() => server.stop())

type Listed = Record<string, unknown> & { function?: Record<string, unknown> }

async function list(query: string): Promise<Listed[]> {
  const { status, text, body } = await server.call({ path: `${P}/tools${query}`, key: null })
  assert.equal(status, 200, text)
  assert.equal(body.data.total, 18)
  assert.equal(body.data.items.length, 18)
  return body.data.items
}

const keysOf = (items: object[]) => new Set(items.map((item) => Object.keys(item).sort().join()))

test('anyone may read the tools in the form of Chat Completions, which is the default', async () => {
  const items = await list('?format=openai')
  assert.deepEqual(keysOf(items), new Set(['function,type']))
  const functions = items.map((item) => item.function ?? {})
  assert.deepEqual(keysOf(functions), new Set(['description,name,parameters,strict']))
  for (const { strict } of functions) assert.equal(strict, false)
  assert.deepEqual(await list(''), items)
})

test('in the form of Responses they are flat', async () => {
  const items = await list('?format=openai-responses')
  assert.deepEqual(keysOf(items), new Set(['description,name,parameters,strict,type']))
  for (const { type, strict } of items) assert.deepEqual([type, strict], ['function', false])
})

test('in the form of Messages they carry input_schema', async () => {
  assert.deepEqual(
    keysOf(await list('?format=anthropic')),
    new Set(['description,input_schema,name']),
  )
})

test('in the form of Gemini they are function declarations with a whole JSON Schema', async () => {
  const items = await list('?format=gemini')
  assert.deepEqual(keysOf(items), new Set(['description,name,parametersJsonSchema']))
  const tool: Tool = { functionDeclarations: items as FunctionDeclaration[] }
  assert.equal(tool.functionDeclarations?.[0]?.name, 'svc_list_models')
})

test('in the form of MCP they carry both schemas and hints', async () => {
  const items = await list('?format=mcp')
  assert.deepEqual(
    keysOf(items),
    new Set(['annotations,description,inputSchema,name,outputSchema']),
  )
  const run = items.find((item) => item.name === 'svc_run_workflow')
  assert.deepEqual(run?.annotations, {
    readOnlyHint: false,
    destructiveHint: false,
    idempotentHint: true,
    openWorldHint: true,
  })
})

test('all formats have the same names, descriptions and arguments', async () => {
  const [chat, flat, anthropic, gemini, mcp] = await Promise.all(
    ['openai', 'openai-responses', 'anthropic', 'gemini', 'mcp'].map((format) =>
      list(`?format=${format}`),
    ),
  )
  const essence = (name: unknown, description: unknown, schema: unknown) => ({
    name,
    description,
    schema,
  })
  const wanted = chat?.map(({ function: f }) => essence(f?.name, f?.description, f?.parameters))
  assert.deepEqual(
    flat?.map((item) => essence(item.name, item.description, item.parameters)),
    wanted,
  )
  assert.deepEqual(
    anthropic?.map((item) => essence(item.name, item.description, item.input_schema)),
    wanted,
  )
  assert.deepEqual(
    gemini?.map((item) => essence(item.name, item.description, item.parametersJsonSchema)),
    wanted,
  )
  assert.deepEqual(
    mcp?.map((item) => essence(item.name, item.description, item.inputSchema)),
    wanted,
  )
})

test('another form is refused and the known ones are named', async () => {
  for (const query of ['?format=cohere', '?format=', '?format=mcp&format=openai']) {
    const { status, body } = await server.call({ path: `${P}/tools${query}`, key: null })
    assert.equal(status, 400, query)
    assert.equal(body.error.code, 'INVALID_REQUEST')
  }
  const { body } = await server.call({ path: `${P}/tools?format=cohere`, key: null })
  assert.match(body.error.message, /openai-responses/)
})

test('an unchanged list is not sent again', async () => {
  const first = await server.call({ path: `${P}/tools`, key: null })
  const again = await server.call({
    path: `${P}/tools`,
    key: null,
    headers: { 'if-none-match': String(first.headers.etag) },
  })
  assert.deepEqual([again.status, again.text], [304, ''])
  assert.equal(first.headers['cache-control'], 'public, max-age=300')
  const other = await server.call({
    path: `${P}/tools?format=mcp`,
    key: null,
    headers: { 'if-none-match': String(first.headers.etag) },
  })
  assert.equal(other.status, 200)
})
