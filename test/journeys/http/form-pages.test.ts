// Pages whose form a person sends, without it: a program that sends something else is refused in
// the shape of every refusal.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { namedScopes } from '#core/scopes.ts'
import { signUp } from '../../support/console.ts'
import { startServer, type TestServer } from '../../support/server.ts'
import { addWorkflow, type Caller, graph, started, until } from '../runs/setting.ts'

let server: TestServer
let paths: string[]

before(async () => {
  server = await startServer({ SIGN_UP: 'open' })
  const key = await (await signUp(server)).newKey({ scopes: namedScopes })
  const api: Caller = {
    call: (call) => server.call({ ...(typeof call === 'string' ? { path: call } : call), key }),
  }
  const ask = { id: 'ask', type: 'wait.approval', data: { title: 'Publish?', link: true } }
  const nodes = [{ id: 'draft', type: 'input.text' }, ask, { id: 'out', type: 'output' }]
  const workflowId = await addWorkflow(api, graph(nodes, ['draft -> ask', 'ask.approved -> out']))
  const runId = await started(api, workflowId, { inputs: { draft: 'Hello' } })
  const run = await until(api, runId, ({ waitingFor }) => waitingFor?.length === 1)
  paths = ['/oauth/authorize', new URL(run.waitingFor[0].url).pathname]
})
after(() => server.stop())

const send = (path: string, body?: string) =>
  server.call({
    method: 'POST',
    path,
    key: null,
    headers: {
      origin: server.url,
      ...(body === undefined ? {} : { 'content-type': 'application/x-www-form-urlencoded' }),
    },
    ...(body === undefined ? {} : { body }),
  })

test('a form that is too large is a 413', async () => {
  for (const path of paths) {
    for (const kib of [20, 2_000]) {
      const { status, body, text } = await send(path, `x=${'a'.repeat(kib * 1024)}`)
      assert.deepEqual([status, body.error?.code], [413, 'PAYLOAD_TOO_LARGE'], text)
    }
  }
})

test('no form at all is a refusal, and no failure of the server', async () => {
  for (const path of paths) {
    const { status, text } = await send(path)
    assert.ok(status >= 400 && status < 500, `${path}: ${status} ${text}`)
  }
})
