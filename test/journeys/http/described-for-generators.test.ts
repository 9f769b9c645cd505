// The OpenAPI documents as generators of clients read them: records have names, examples are true,
// and what is described is what the server does.
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { Ajv2020 } from 'ajv/dist/2020.js'
import ajvFormats from 'ajv-formats'
import { runWebhook } from '#core/run-webhook.ts'
import { listTemplates } from '#graph/templates/list-templates.ts'
import { consolePath } from '../../support/console.ts'
import { type Body, P, startServer, type TestServer } from '../../support/server.ts'

let server: TestServer
let api: Body
let area: Body
let ajv: Ajv2020
before(async () => {
  server = await startServer({ RATE_LIMIT: '1000' })
  api = (await server.call({ path: `${P}/openapi.json`, key: null })).body
  area = (await server.call({ path: `${consolePath}/openapi.json`, key: null })).body
  ajv = new Ajv2020({ strict: false, allErrors: true })
  ajvFormats.default(ajv)
  ajv.addSchema({ $id: 'api', components: api.components })
})
after(() => server.stop())

type Found = { id: string; path: string; method: string; operation: Body }

const operationsOf = (document: Body): Found[] =>
  Object.entries<Body>(document.paths).flatMap(([path, methods]) =>
    Object.entries<Body>(methods).map(([method, operation]) => ({
      id: operation.operationId,
      ...{ path, method, operation },
    })),
  )

const operation = (id: string): Body => operationsOf(api).find((one) => one.id === id)?.operation

/** The schema, with its references leading into the document. */
function assertMatches(schema: object, value: unknown, what: string) {
  const text = JSON.stringify(schema).replaceAll('"#/components', '"api#/components')
  const validate = ajv.compile(JSON.parse(text))
  assert.ok(validate(value), `${what}: ${ajv.errorsText(validate.errors)}`)
}

const component = (name: string) => ({ $ref: `#/components/schemas/${name}` })

const resolved = (document: Body, ref: string) =>
  ref
    .slice(2)
    .split('/')
    .reduce((at, key) => at?.[key], document)

describe('names', () => {
  test('every reference leads somewhere, and every named thing is used', () => {
    for (const document of [api, area]) {
      const text = JSON.stringify(document)
      const refs = new Set([...text.matchAll(/"\$ref":"(#[^"]+)"/g)].map((match) => match[1] ?? ''))
      for (const ref of refs) assert.ok(resolved(document, ref), ref)
      for (const name of Object.keys(document.components.schemas)) {
        assert.ok(text.includes(`"#/components/schemas/${name}"`), `${name} is used`)
      }
    }
  })

  test('records are referred to, not written out again', () => {
    const names = 'Task TaskPage Run RunPage RunNode Workflow Graph Node Connection Media Money'
    for (const name of [...names.split(' '), 'AgentError', 'Model', 'WebhookEvent']) {
      assert.ok(api.components.schemas[name], name)
    }
    const { schema } = operation('getWorkflowRun').responses[200].content['application/json']
    assert.deepEqual(schema.properties.data, component('Run'))
    const { properties } = api.components.schemas.Run
    assert.deepEqual(properties.cost, component('Money'))
    assert.deepEqual(properties.nodes.items, component('RunNode'))
  })

  test('every operation has a tag that the document lists', () => {
    for (const document of [api, area]) {
      const listed = new Set(document.tags.map(({ name }: Body) => name))
      for (const { id, operation } of operationsOf(document)) {
        assert.equal(operation.tags.length, 1, id)
        assert.ok(listed.has(operation.tags[0]), id)
      }
    }
  })
})

describe('graphs', () => {
  test('a node is one of the types, told apart by its type', () => {
    const { oneOf, discriminator } = api.components.schemas.Node
    assert.equal(discriminator.propertyName, 'type')
    assert.equal(Object.keys(discriminator.mapping).length, oneOf.length)
    for (const [type, ref] of Object.entries<string>(discriminator.mapping)) {
      const { properties, examples } = resolved(api, ref)
      assert.equal(properties.type.const, type)
      for (const example of examples) assertMatches(component('Node'), example, type)
    }
  })

  test('every template is a graph as described', () => {
    for (const { id, data } of listTemplates()) assertMatches(component('Graph'), data, id)
  })

  test('wrong settings are wrong in the description too', () => {
    const node = { id: 'a', type: 'http.request', data: {} }
    assert.throws(() => assertMatches(component('Node'), node, 'no url'))
    assert.throws(() => assertMatches(component('Node'), { id: 'a', type: 'nothing' }, 'no type'))
  })
})

describe('examples', () => {
  test('match their schemas', () => {
    let count = 0
    const check = (content: Body, what: string) => {
      const { schema, example } = content?.['application/json'] ?? {}
      if (example === undefined) return
      count++
      assertMatches(schema, example, what)
    }
    for (const { id, operation } of operationsOf(api)) {
      check(operation.requestBody?.content, `request of ${id}`)
      for (const [status, { content }] of Object.entries<Body>(operation.responses)) {
        check(content, `${status} of ${id}`)
      }
    }
    assert.ok(count >= 18, `${count} examples`)
  })

  test('of requests are accepted by the server', async () => {
    const send = (id: string, path: string, headers = {}) =>
      server.call({
        method: 'POST',
        path: P + path,
        headers,
        json: operation(id).requestBody.content['application/json'].example,
      })
    for (const [id, path] of [
      ['createChatCompletion', '/chat/completions'],
      ['generateImage', '/images/generations'],
      ['generateVideo', '/videos/generations'],
      ['validateWorkflow', '/workflows/validate'],
    ] as const) {
      const { status, text } = await send(id, path)
      assert.equal(status, 200, `${id}: ${text}`)
    }
    const stored = await send('createWorkflow', '/workflows')
    assert.equal(stored.status, 200, stored.text)
    assertMatches(component('Workflow'), stored.body.data, 'what the server stored')
    const runs = `/workflows/${stored.body.data.id}/runs`
    const run = await send('runWorkflow', runs, { 'idempotency-key': 'example' })
    assert.equal(run.status, 202, run.text)
    const cancel = `/workflow-runs/${run.body.data.runId}/cancel`
    assert.ok((await send('cancelWorkflowRun', cancel)).status < 300)
  })
})

describe('what comes after an answer', () => {
  test('links name operations and their parameters', () => {
    const linked = operationsOf(api).flatMap(({ operation }) =>
      Object.values<Body>(operation.responses).flatMap(({ links = {} }) =>
        Object.values<Body>(links),
      ),
    )
    assert.ok(linked.length >= 8)
    for (const { operationId, parameters } of linked) {
      const known = operation(operationId).parameters.map(({ name }: Body) => name)
      for (const name of Object.keys(parameters)) assert.ok(known.includes(name), operationId)
    }
  })

  test('webhooks are events as described, also those too large for their outputs', () => {
    const { schema } = api.webhooks.workflowRunEnded.post.requestBody.content['application/json']
    for (const example of api.components.schemas.WebhookEvent.examples) {
      assertMatches(schema, example, 'example')
    }
    const { post } = api.webhooks.workflowRunWaiting
    const waiting = post.requestBody.content['application/json'].schema
    for (const example of api.components.schemas.WaitingWebhookEvent.examples) {
      assertMatches(waiting, example, 'example')
      assert.equal(example.type, 'workflow.run.waiting')
    }
    const ended = {
      runId: '01a1de12-3561-7000-8000-072916837558',
      accountId: 'x',
      workflowId: 1,
      nodeErrors: [],
      metadata: {},
      cost: { amount: 0, currency: 'USD' },
      createdAtMs: 0,
      completedAtMs: 1,
      inFlightTaskMayComplete: false,
      callbackUrl: null,
    }
    for (const status of ['COMPLETED', 'FAILED', 'CANCELLED'] as const) {
      const outputs = status === 'COMPLETED' ? ('beyond-webhooks' as const) : null
      const { body } = runWebhook({ ...ended, status, outputs }, 'https://x.example/run')
      assertMatches(schema, JSON.parse(body), status)
    }
  })
})

describe('limits', () => {
  const parameter = (id: string, name: string): Body => {
    const found = operation(id).parameters.map((one: Body) =>
      one.$ref ? resolved(api, one.$ref) : one,
    )
    return found.find((one: Body) => one.name === name)
  }

  test('a page is as large as described, and no larger', async () => {
    const { maximum } = parameter('listTasks', 'size').schema
    assert.equal((await server.call(`${P}/tasks?size=${maximum}`)).status, 200)
    assert.equal((await server.call(`${P}/tasks?size=${maximum + 1}`)).status, 400)
  })

  test('headers have the described form', async () => {
    const { pattern, maxLength } = parameter('runWorkflow', 'Idempotency-Key').schema
    const key = new RegExp(pattern)
    const run = (value: string) =>
      server.call({
        method: 'POST',
        path: `${P}/workflows/1/runs`,
        headers: { 'idempotency-key': value },
        json: {},
      })
    for (const value of ['a', 'x'.repeat(128), 'x'.repeat(129)]) {
      const { body } = await run(value)
      const isFine = key.test(value) && value.length <= maxLength
      assert.equal(body.error?.code !== 'IDEMPOTENCY_KEY_INVALID', isFine, value)
    }
    // A value of another form is not refused, so no pattern may keep a client from sending it.
    assert.equal(parameter('listModels', 'X-Request-Id').schema.pattern, undefined)
    for (const [value, isKept] of [
      ['mine_1', true],
      ['not mine', false],
      ['x'.repeat(65), false],
    ] as const) {
      const { status, headers } = await server.call({
        path: `${P}/models`,
        headers: { 'x-request-id': value },
      })
      assert.equal(status, 200)
      assert.equal(headers['x-request-id'] === value, isKept, value)
    }
    const ifMatch = new RegExp(parameter('updateWorkflow', 'If-Match').schema.pattern)
    for (const value of ['*', '"v1"', 'W/"v1"', '"v1", "v2"', 'v1', '"v 1"', '"v1']) {
      const { status } = await server.call({
        method: 'PUT',
        path: `${P}/workflows/1`,
        headers: { 'if-match': value },
        json: { name: 'a' },
      })
      assert.equal(status !== 400, ifMatch.test(value), value)
    }
  })

  test('the last page there can be is described, and read', async () => {
    const { maximum } = parameter('listTasks', 'page').schema
    assert.equal((await server.call(`${P}/tasks?page=${maximum}`)).status, 200)
    assert.equal((await server.call(`${P}/tasks?page=${maximum + 1}`)).status, 400)
  })

  test('every record is used below the paths, where generators look for it', () => {
    for (const { paths, components } of [api, area]) {
      const used = new Set<string>()
      const look = (value: unknown) => {
        const text = JSON.stringify(value)
        for (const [, name = ''] of text.matchAll(/#\/components\/schemas\/(\w+)/g)) {
          if (used.has(name)) continue
          used.add(name)
          look(components.schemas[name])
        }
      }
      look(paths)
      const unused = Object.keys(components.schemas).filter((name) => !used.has(name))
      assert.deepEqual(unused, [])
    }
  })

  test('answers carry the headers that are described for them', async () => {
    const described = (id: string, status: number) =>
      Object.keys(operation(id).responses[status].headers).map((name) => name.toLowerCase())
    const first = await server.call(`${P}/models`)
    for (const name of described('listModels', 200)) assert.ok(first.headers[name], name)
    const known = await server.call({
      path: `${P}/models`,
      headers: { 'if-none-match': String(first.headers.etag) },
    })
    assert.equal(known.status, 304)
    for (const name of described('listModels', 304)) assert.ok(known.headers[name], name)
    const refused = await server.call({ path: `${P}/models`, key: 'sk_wrong' })
    assert.ok(refused.headers['www-authenticate'])
    assert.ok(described('listModels', 401).includes('www-authenticate'))
    assert.ok(described('listModels', 429).includes('retry-after'))
    assert.ok(described('listModels', 503).includes('retry-after'))
  })
})
