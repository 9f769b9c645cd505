// A zero byte is a character of JSON, but not of PostgreSQL's text. Wherever it comes from, it is
// the business of the request it came with: it is answered, and harms nobody else.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { at, type Console, onBothDatabases } from '../../contract/console/setting.ts'
import { authorizeAddress, newVerifier, post } from '../../support/oauth.ts'
import { P } from '../../support/server.ts'
import { type Caller, graph, readRun, started, until } from '../runs/setting.ts'

const zero = 'a\u0000b'

const echo = graph(
  [
    { id: 'who', type: 'input.text' },
    { id: 'out', type: 'output' },
  ],
  ['who -> out'],
)

const texts = (count: number) => {
  const names = Array.from({ length: count }, (_, i) => `t${i}`)
  return graph(
    [
      { id: 'who', type: 'input.text' },
      ...names.map((id) => ({ id, type: 'text.generate', data: { model: 'demo-text' } })),
      { id: 'out', type: 'output' },
    ],
    ['who', ...names].map((name, i) => `${name} -> ${names[i] ?? 'out'}`),
  )
}

const approval = graph(
  [
    { id: 'who', type: 'input.text' },
    { id: 'ask', type: 'wait.approval', data: { title: zero } },
    { id: 'out', type: 'output' },
  ],
  ['who -> ask', 'ask.approved -> out'],
)

onBothDatabases('a zero byte', suite)

function suite(on: Console) {
  const api: Caller = { call: (call) => on.api(call) }
  const add = async (caller: Caller, data: object): Promise<number> => {
    const json = { name: 'w', data }
    const answer = await caller.call({ method: 'POST', path: `${P}/workflows`, json })
    assert.equal(answer.status, 200, answer.text)
    return answer.body.data.id
  }

  test('in the title of a wait harms neither its run nor those of other accounts', async () => {
    const key = await on.stranger.newKey()
    const stranger: Caller = {
      call: (call) =>
        on.server.call({ ...(typeof call === 'string' ? { path: call } : call), key }),
    }
    const [mine, theirs] = [await add(api, texts(5)), await add(stranger, approval)]
    const runs: string[] = []
    const asked: string[] = []
    for (let round = 0; round < 6; round++) {
      const inputs = { who: 'What is 12% of 250?' }
      const both = Array.from({ length: 4 }, async () => {
        runs.push(await started(api, mine, { inputs }))
        asked.push(await started(stranger, theirs, { inputs }))
      })
      await Promise.all(both)
    }
    for (const id of runs) {
      const { status, nodeErrors } = await until(api, id, (run) => run.completedAt !== null)
      assert.deepEqual([status, nodeErrors], ['COMPLETED', []])
    }
    for (const id of asked) {
      const { waitingFor } = await until(
        stranger,
        id,
        (run) =>
          run.status !== 'QUEUED' && (run.waitingFor?.length === 1 || run.completedAt !== null),
      )
      assert.equal(waitingFor?.length, 1, JSON.stringify(await readRun(stranger, id)))
    }
  })

  test('in the name of a credential is a mistake in the graph', async () => {
    const node = {
      id: 'ask',
      type: 'http.request',
      data: { url: 'https://x.example', credential: zero },
    }
    const data = { nodes: [node], connections: [] }
    const checked = await on.api({
      method: 'POST',
      path: `${P}/workflows/validate`,
      json: { data },
    })
    assert.equal(checked.status, 200, checked.text)
    const [error] = checked.body.data.errors
    assert.deepEqual([error.code, error.path], ['INVALID_CONFIG', '/nodes/0/data/credential'])
    const made = await on.api({ method: 'POST', path: `${P}/workflows`, json: { name: 'w', data } })
    assert.equal(made.status, 422, made.text)
  })

  test('in a client_id is an unknown client', async () => {
    const fields = { grant_type: 'refresh_token', refresh_token: 'x', client_id: zero }
    const answer = await post(on.server, '/oauth/token', fields)
    assert.deepEqual([answer.status, answer.body.error], [401, 'invalid_client'], answer.text)
    const address = authorizeAddress(on.server, { clientId: zero, verifier: newVerifier() })
    const { pathname, search } = new URL(address)
    const page = await on.owner.call({ path: pathname + search })
    assert.equal(page.status, 400, page.text)
  })

  test('in an address of webhooks is percent-encoded, or the address refused', async () => {
    const url = `https://x.example/${zero}`
    const stored = await at(on.owner, '/webhook', { method: 'PUT', json: { url } })
    assert.ok(stored.status < 500, stored.text)
    const tried = await at(on.owner, '/deliveries/test', { method: 'POST', json: { url } })
    assert.ok(tried.status < 500, tried.text)
  })

  test('in what a mapping fails with is answered and listed like any failure', async () => {
    const workflowId = await add(api, echo)
    const send = async (mapping: string, json: object) => {
      const path = `${P}/workflows/${workflowId}/triggers`
      const settings = { name: 'h', kind: 'WEBHOOK', mapping }
      const made = await on.api({ method: 'POST', path, json: settings })
      const { url, triggerId } = made.body.data
      const { pathname } = new URL(url)
      const answer = await on.server.call({ method: 'POST', path: pathname, key: null, json })
      assert.deepEqual([answer.status, answer.body.error?.code], [422, 'INPUT_INVALID'], mapping)
      const { body } = await on.api(`${path}/${triggerId}/firings`)
      const [{ status, reason }] = body.data.items
      assert.deepEqual([status, reason], ['SKIPPED', 'INVALID_INPUT'], mapping)
    }
    await send('{ "who": $string($number(body.x)) }', { x: zero })
    await send(`{ "a\\u0000b": 1 }`, {})
  })
}
