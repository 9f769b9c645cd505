// A client that is generated from the description sees only the statuses and headers it names.
import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, before, test } from 'node:test'
import { type Answer, type Body, P, startServer, type TestServer } from '../../support/server.ts'
import { smallFilm, smallPicture } from '../../support/small-media.ts'
import { addWorkflow, graph, started, submit } from '../runs/setting.ts'

let server: TestServer
let paths: Record<string, Record<string, Body>>
before(async () => {
  server = await startServer()
  paths = (await server.call({ path: `${P}/openapi.json`, key: null })).body.paths
})
after(() => server.stop())

/** Those of HTTP itself, and those that every answer has. */
const general = new Set(
  `cache-control connection content-length content-type date keep-alive x-content-type-options`.split(
    ' ',
  ),
)

function assertHeaders(method: string, path: string, answer: Answer) {
  const responses = paths[P + path]?.[method]?.responses
  const response = responses?.[answer.status]
  assert.ok(response, `${method} ${path} answered ${answer.status}, which is not described`)
  const described = Object.keys(response.headers).map((name) => name.toLowerCase())
  const sent = Object.keys(answer.headers).filter((name) => !general.has(name))
  const unknown = sent.filter((name) => !described.includes(name))
  assert.deepEqual(unknown, [], `${method} ${path} ${answer.status}`)
}

test('archives that have not changed are a 304, and have a name', async () => {
  for (const path of ['/skills.zip', '/skills/service-workflows.zip']) {
    const whole = await server.call(P + path)
    assertHeaders('get', path, whole)
    const headers = { 'if-none-match': String(whole.headers.etag) }
    const known = await server.call({ path: P + path, headers })
    assert.equal(known.status, 304)
    assertHeaders('get', path, known)
  }
})

test('chats, images and videos say that they are a replay, and when to look', async () => {
  const messages = [{ role: 'user', content: 'Hello' }]
  for (const [path, model, size] of [
    ['/chat/completions', 'demo-text', {}],
    ['/images/generations', 'demo-image', smallPicture],
    ['/videos/generations', 'demo-video', smallFilm],
  ] as const) {
    const headers = { 'idempotency-key': randomUUID() }
    const send = () =>
      server.call({ method: 'POST', path: P + path, headers, json: { model, messages, ...size } })
    assertHeaders('post', path, await send())
    const again = await send()
    assert.equal(again.headers['idempotent-replayed'], 'true')
    assertHeaders('post', path, again)
  }
})

test('a run says that it is a replay, and a cancellation when to look', async () => {
  const data = graph(
    [
      { id: 'in', type: 'input.text' },
      { id: 'out', type: 'output' },
    ],
    ['in -> out'],
  )
  const workflowId = await addWorkflow(server, data)
  const key = randomUUID()
  const inputs = { in: 'x' }
  for (const status of [202, 200]) {
    const answer = await submit(server, workflowId, { inputs }, { key })
    assert.equal(answer.status, status)
    assertHeaders('post', '/workflows/{workflowId}/runs', answer)
  }
  const path = `/workflow-runs/${await started(server, workflowId, { inputs })}/cancel`
  const cancelled = await server.call({ method: 'POST', path: P + path })
  assertHeaders('post', '/workflow-runs/{runId}/cancel', cancelled)
})
