import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { after, before, test } from 'node:test'
import { nodeTypes } from '#graph/types/table.ts'
import { P, startServer, type TestServer } from '../../support/server.ts'

let server: TestServer
before(async () => {
  server = await startServer()
})
after(() => server.stop())

/** Method, path and operation as the specification's table states them. */
const specified = JSON.parse(
  readFileSync(new URL('./fixtures/operations.json', import.meta.url), 'utf8'),
) as [string, string, string][]

/** What this service offers beyond the specification. */
const additions: [string, string, string][] = [
  ['retryWorkflowRun', 'POST', '/workflow-runs/{runId}/retry'],
  ['getWorkflowRunNode', 'GET', '/workflow-runs/{runId}/nodes/{nodeId}'],
  ['listWaits', 'GET', '/waits'],
  ['getWait', 'GET', '/workflow-runs/{runId}/waits/{waitId}'],
  ['answerWait', 'POST', '/workflow-runs/{runId}/waits/{waitId}'],
  ['listWorkflowTemplates', 'GET', '/templates'],
  ['listTools', 'GET', '/tools'],
  ['getGenerationSkill', 'GET', '/skills/service-generation'],
  ['downloadGenerationSkill', 'GET', '/skills/service-generation.zip'],
  ['listWorkflowRunItems', 'GET', '/workflow-runs/{runId}/items'],
  ['listTriggers', 'GET', '/triggers'],
  ['listWorkflowTriggers', 'GET', '/workflows/{workflowId}/triggers'],
  ['createTrigger', 'POST', '/workflows/{workflowId}/triggers'],
  ['getTrigger', 'GET', '/workflows/{workflowId}/triggers/{triggerId}'],
  ['updateTrigger', 'PUT', '/workflows/{workflowId}/triggers/{triggerId}'],
  ['deleteTrigger', 'DELETE', '/workflows/{workflowId}/triggers/{triggerId}'],
  ['fireTrigger', 'POST', '/workflows/{workflowId}/triggers/{triggerId}/fire'],
  ['listFirings', 'GET', '/workflows/{workflowId}/triggers/{triggerId}/firings'],
]

test('the description names all 22 operations at their methods and paths, numbered 1.2.0', async () => {
  const { body } = await server.call({ path: `${P}/openapi.json`, key: null })
  assert.equal(body.openapi.slice(0, 3), '3.1')
  assert.equal(body.info.version, '1.2.0')
  const described = Object.entries(
    body.paths as Record<string, Record<string, { operationId: string }>>,
  ).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, { operationId }]) => [
      operationId,
      method.toUpperCase(),
      path,
    ]),
  )
  const all = [...specified, ...additions]
  assert.equal(specified.length, 22)
  assert.deepEqual(described.sort(), all.map(([id, method, path]) => [id, method, P + path]).sort())
})

test('every path of the description is served', async () => {
  for (const [, method, path] of specified) {
    const filled = path
      .replace('{workflowId}', '1')
      .replace(/\{\w+\}/, '00000000-0000-7000-8000-000000000000')
    const { status, body } = await server.call({ method, path: P + filled })
    assert.notEqual(status, 405, `${method} ${path}`)
    assert.notEqual(body?.error?.code, 'ROUTE_NOT_FOUND', `${method} ${path}`)
  }
})

test('public operations need no credential, all others say that they do', async () => {
  const publicIds = [
    'listAgentSkills',
    'downloadAgentSkillSuite',
    'getWorkflowSkill',
    'downloadWorkflowSkill',
  ]
  for (const [id, method, path] of specified) {
    const filled = path
      .replace('{workflowId}', '1')
      .replace(/\{\w+\}/, '00000000-0000-7000-8000-000000000000')
    const { status } = await server.call({ method, path: P + filled, key: null })
    if (publicIds.includes(id)) assert.notEqual(status, 401, id)
    else assert.equal(status, 401, id)
  }
})

test('the reference page shows every operation and error code, and runs no script', async () => {
  const { text, headers } = await server.call({ path: '/docs', key: null })
  for (const [id] of specified) assert.ok(text.includes(`id="${id}"`), id)
  assert.ok(text.includes('IDEMPOTENCY_KEY_REUSED'))
  assert.match(String(headers['content-security-policy']), /script-src 'none'/)
})

test('a page shows every node type with its settings, ports and an example', async () => {
  const { status, text, headers } = await server.call({ path: '/docs/nodes', key: null })
  assert.equal(status, 200)
  for (const { type } of nodeTypes) assert.ok(text.includes(`id="${type}"`), type)
  const section = text.split('id="http.request"')[1]?.split('</section>')[0] ?? ''
  for (const word of ['timeoutMs', 'default 30000', 'status: number', 'api.example.com']) {
    assert.ok(section.includes(word), word)
  }
  assert.match(String(headers['content-security-policy']), /script-src 'none'/)
})

test('health and readiness answer', async () => {
  assert.equal((await server.call({ path: '/healthz', key: null })).status, 200)
  assert.equal((await server.call({ path: '/readyz', key: null })).status, 200)
})
