import assert from 'node:assert/strict'
import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, before, test } from 'node:test'
import pino from 'pino'
import {
  addWorkflow,
  type Caller,
  ended,
  type GraphNode,
  graph,
  started,
} from '../../journeys/runs/setting.ts'
import { type Body, P } from '../../support/server.ts'
import { at, type Console, dataOf, onBothDatabases, refusedAs } from './setting.ts'
import { storedText } from './stored-text.ts'

const secrets = {
  header: 'hdr-7f3a9c51e2d84b6f-key1',
  bearer: 'tok-2b9e64d07c1f4a35-key2',
  basic: 'pwd-58c0d1e9f37a4b62-key3',
  replaced: 'new-91f2c3b4a5d6e708-key4',
}

// What the host was sent, by path; it repeats everything in its answer.
const arrived = new Map<string, IncomingHttpHeaders>()
const host = createServer((request, response) => {
  const path = request.url ?? ''
  arrived.set(path, request.headers)
  if (path === '/moved') return response.writeHead(302, { location: `${other}/followed` }).end()
  response.setHeader('content-type', 'application/json')
  response.setHeader('x-echo', String(request.headers.authorization ?? 'none'))
  response.end(JSON.stringify({ saw: request.headers, raw: request.rawHeaders }))
})
let url = ''
let other = ''
before(async () => {
  await new Promise<void>((resolve) => host.listen(0, '127.0.0.1', resolve))
  const { port } = host.address() as AddressInfo
  url = `http://127.0.0.1:${port}`
  other = `http://127.0.0.2:${port}`
})
after(() => host.close())

const logged: string[] = []
const log = pino({ level: 'trace' }, { write: (line: string) => void logged.push(line) })
const env = { OUTBOUND_ALLOW: '127.0.0.0/8' }

onBothDatabases('credentials', suite, env, log)

function suite(on: Console) {
  const put = (json: object, name?: string) =>
    name === undefined
      ? at(on.owner, '/credentials', { method: 'POST', json })
      : at(on.owner, `/credentials/${name}`, { method: 'PUT', json })
  const stored = async (json: object) => {
    const answer = await put({ hosts: [url], ...json })
    assert.equal(answer.status, 200, answer.text)
    return answer.body.data
  }
  const request = (credential: string, path: string, base = url): GraphNode => ({
    id: 'ask',
    type: 'http.request',
    data: { url: base + path, credential },
  })
  const caller: Caller = { call: (call) => on.api(call) }
  const ran = async (data: object): Promise<Body> =>
    ended(caller, await started(caller, await addWorkflow(caller, data)))

  test('a credential is listed by name, without its secret', async () => {
    const made = await stored({
      name: 'crm',
      kind: 'header',
      header: 'X-Api-Key',
      secret: secrets.header,
    })
    assert.deepEqual([made.name, made.kind, made.lastChars], ['crm', 'header', 'key1'])
    assert.deepEqual([made.hosts, made.lastUsedAt], [[url], null])
    await stored({ name: 'shop', kind: 'bearer', secret: secrets.bearer })
    await stored({ name: 'mail', kind: 'basic', username: 'us', secret: secrets.basic })
    const { items } = await dataOf(on.owner, '/credentials')
    assert.deepEqual(
      items.map((item: { name: string }) => item.name),
      ['crm', 'mail', 'shop'],
    )
    refusedAs(await put({ name: 'crm', kind: 'bearer', secret: 'x' }), 400, 'INVALID_REQUEST')
  })

  test('another account neither sees nor changes it, and may use the same name', async () => {
    assert.deepEqual((await dataOf(on.stranger, '/credentials')).items, [])
    const theirs = { kind: 'bearer', secret: 'their-own-secret', hosts: ['api.example.com'] }
    const replaced = await at(on.stranger, '/credentials/crm', { method: 'PUT', json: theirs })
    refusedAs(replaced, 404, 'RECORD_NOT_FOUND')
    const deleted = await at(on.stranger, '/credentials/crm', { method: 'DELETE' })
    refusedAs(deleted, 404, 'RECORD_NOT_FOUND')
    const json = { name: 'crm', ...theirs }
    await dataOf(on.stranger, '/credentials', { method: 'POST', json })
    assert.equal((await dataOf(on.owner, '/credentials')).items[0].lastChars, 'key1')
  })

  test('what cannot be sent is refused, and the refusal does not repeat it', async () => {
    const secret = 'never-to-be-repeated'
    const wrong = [
      { name: 'Crm', kind: 'bearer', secret },
      { name: 'a', kind: 'cookie', secret },
      { name: 'a', kind: 'header', secret },
      { name: 'a', kind: 'header', header: 'host', secret },
      { name: 'a', kind: 'header', header: 'x y', secret },
      { name: 'a', kind: 'header', header: 'x', secret: `${secret}\r\nx: y` },
      { name: 'a', kind: 'header', header: 'x', secret: ` ${secret}` },
      { name: 'a', kind: 'bearer', header: 'x', secret },
      { name: 'a', kind: 'bearer', secret: `${secret} two` },
      { name: 'a', kind: 'bearer', secret: '' },
      { name: 'a', kind: 'basic', secret },
      { name: 'a', kind: 'basic', username: 'a:b', secret },
      { name: 'a', kind: 'basic', username: 'a', secret: `${secret}\u0000` },
      { name: 'a', kind: 'bearer', secret, hosts: ['https://a.example'] },
      { name: 'a', kind: 'bearer', secret, hosts: ['*'] },
      { name: 'a', kind: 'bearer', secret },
      { name: 'a', kind: 'bearer', secret, hosts: [] },
    ]
    for (const json of wrong) {
      const answer = await put(json)
      refusedAs(answer, 400, 'INVALID_REQUEST')
      assert.ok(!answer.text.includes(secret), answer.text)
    }
  })

  test('the secret of a webhook names no hosts, and no node sends it', async () => {
    const json = { name: 'hook', kind: 'webhook', secret: 'what the sender signs with' }
    const made = await put(json)
    assert.equal(made.status, 200, made.text)
    assert.deepEqual([made.body.data.kind, made.body.data.hosts], ['webhook', []])
    refusedAs(await put({ ...json, name: 'other', hosts: [url] }), 400, 'INVALID_REQUEST')
    const saved = await on.api({
      ...{ method: 'POST', path: `${P}/workflows` },
      json: { name: 'sends it', data: graph([request('hook', '/hook')]) },
    })
    refusedAs(saved, 422, 'WORKFLOW_INVALID')
    assert.match(saved.text, /is sent nowhere/)
    await at(on.owner, '/credentials/hook', { method: 'DELETE' })
  })

  test('nodes send it as a header, and the answer that repeats it is cleaned', async () => {
    for (const [name, expected] of [
      ['crm', { header: 'x-api-key', value: secrets.header }],
      ['shop', { header: 'authorization', value: `Bearer ${secrets.bearer}` }],
      ['mail', { header: 'authorization', value: `Basic ${btoa(`us:${secrets.basic}`)}` }],
    ] as const) {
      const { status, outputs, nodeErrors } = await ran(graph([request(name, `/${name}`)]))
      assert.equal(status, 'COMPLETED', JSON.stringify(nodeErrors))
      assert.equal(arrived.get(`/${name}`)?.[expected.header], expected.value)
      assert.ok(JSON.stringify(outputs).includes(`[credential ${name}]`), JSON.stringify(outputs))
    }
    const { items } = await dataOf(on.owner, '/credentials')
    for (const { lastUsedAt } of items) assert.ok(Date.parse(lastUsedAt) > 0)
  })

  test('also as the step of a list and inside a called workflow', async () => {
    const step = { type: 'http.request', data: { url: `${url}/item`, credential: 'crm' } }
    const each = { id: 'each', type: 'flow.map', data: { items: [1, 2], apply: step } }
    assert.equal((await ran(graph([each]))).status, 'COMPLETED')
    assert.equal(arrived.get('/item')?.['x-api-key'], secrets.header)
    const inner = await addWorkflow(caller, graph([request('crm', '/inner')]))
    const call = { id: 'call', type: 'workflow.call', data: { workflowId: inner } }
    assert.equal((await ran(graph([call]))).status, 'COMPLETED')
    assert.equal(arrived.get('/inner')?.['x-api-key'], secrets.header)
  })

  test('it goes to none but its hosts, and follows no redirect', async () => {
    const elsewhere = graph([request('crm', '/elsewhere', other)])
    const { valid, warnings } = (
      await on.api({ method: 'POST', path: `${P}/workflows/validate`, json: { data: elsewhere } })
    ).body.data
    assert.equal(valid, true)
    assert.ok(warnings.some(({ code }: Body) => code === 'CREDENTIAL_NOT_ALLOWED'))
    const { status, nodeErrors } = await ran(elsewhere)
    assert.deepEqual([status, nodeErrors[0].code], ['FAILED', 'CREDENTIAL_NOT_ALLOWED'])
    assert.equal(arrived.has('/elsewhere'), false)
    const moved = await ran(graph([request('crm', '/moved')]))
    assert.equal(moved.outputs.ask.status, 302)
    assert.equal(arrived.has('/followed'), false)
  })

  test('it is not sent unencrypted to a host that is named without http://', async () => {
    await stored({
      name: 'anywhere',
      kind: 'bearer',
      secret: 'abcdefgh',
      hosts: [new URL(url).host],
    })
    const { nodeErrors } = await ran(graph([request('anywhere', '/plain')]))
    assert.equal(nodeErrors[0].code, 'CREDENTIAL_NOT_ALLOWED')
    assert.equal(arrived.has('/plain'), false)
  })

  test('one that does not exist is warned of before a run, and fails its node', async () => {
    const data = graph([request('nowhere', '/nowhere')])
    const json = { data }
    const { warnings } = (await on.api({ method: 'POST', path: `${P}/workflows/validate`, json }))
      .body.data
    const isMissing = ({ code }: Body) => code === 'CREDENTIAL_NOT_FOUND'
    const warning = warnings.find(isMissing)
    assert.deepEqual([warning?.path, warning.nodeId], ['/nodes/0/data/credential', 'ask'])
    const checked = await dataOf(on.owner, '/workflows/check', { method: 'POST', json })
    assert.ok(checked.validation.warnings.some(isMissing))
    const workflowId = await addWorkflow(caller, data)
    const path = `${P}/workflows/${workflowId}/estimate`
    const { assumptions } = (await on.api({ method: 'POST', path, json: {} })).body.data
    assert.match(assumptions.join(), /ask: There is no credential "nowhere"/)
    const { nodeErrors } = await ended(caller, await started(caller, workflowId))
    assert.equal(nodeErrors[0].code, 'CREDENTIAL_NOT_FOUND')
    assert.match(nodeErrors[0].message, /"nowhere"/)
    assert.equal(arrived.has('/nowhere'), false)
  })

  test("another account's credential is as good as none", async () => {
    const key = await on.stranger.newKey()
    const stranger: Caller = {
      call: (call) =>
        on.server.call({ ...(typeof call === 'string' ? { path: call } : call), key }),
    }
    const workflowId = await addWorkflow(stranger, graph([request('shop', '/theirs')]))
    const { nodeErrors } = await ended(stranger, await started(stranger, workflowId))
    assert.equal(nodeErrors[0].code, 'CREDENTIAL_NOT_FOUND')
  })

  test('one that was replaced is used with the next request, one that was deleted no more', async () => {
    const json = { kind: 'bearer', secret: secrets.replaced, hosts: [url] }
    const answer = await put(json, 'crm')
    assert.deepEqual([answer.body.data.kind, answer.body.data.lastChars], ['bearer', 'key4'])
    const data = graph([request('crm', '/again')])
    assert.equal((await ran(data)).status, 'COMPLETED')
    assert.equal(arrived.get('/again')?.authorization, `Bearer ${secrets.replaced}`)
    assert.equal(arrived.get('/again')?.['x-api-key'], undefined)
    await dataOf(on.owner, '/credentials/crm', { method: 'DELETE' })
    assert.equal((await ran(data)).nodeErrors[0].code, 'CREDENTIAL_NOT_FOUND')
    refusedAs(await at(on.owner, '/credentials/crm', { method: 'DELETE' }), 404, 'RECORD_NOT_FOUND')
  })

  test('an account has at most 200, also if all are created at once', async () => {
    const before = (await dataOf(on.owner, '/credentials')).items.length
    const create = (_: unknown, i: number) =>
      put({ name: `many-${i}`, kind: 'bearer', secret: 'abcdefgh', hosts: ['a.example'] })
    const answers = await Promise.all(Array.from({ length: 204 }, create))
    const refused = answers.filter(({ status }) => status !== 200)
    for (const answer of refused) refusedAs(answer, 429, 'QUOTA_EXCEEDED')
    assert.equal(answers.length - refused.length, 200 - before)
  })

  test('no secret is readable in any record, in the database or in the log', async () => {
    const seen: string[] = [...logged]
    for (const { runId } of (await dataOf(on.owner, '/runs')).items) {
      seen.push((await on.api(`${P}/workflow-runs/${runId}`)).text)
      seen.push((await at(on.owner, `/runs/${runId}/view`)).text)
      seen.push((await at(on.owner, `/runs/${runId}/node?path=ask`)).text)
    }
    for (const { id } of (await on.api(`${P}/workflows`)).body.data.items) {
      seen.push((await on.api(`${P}/workflows/${id}`)).text)
    }
    seen.push(
      (await at(on.owner, '/credentials')).text,
      ...(await storedText(on.server.dataDir, on.databaseUrl)),
    )
    assert.ok(seen.some((text) => text.includes('[credential crm]')))
    for (const secret of Object.values(secrets)) {
      const forms = [secret, btoa(`us:${secret}`), Buffer.from(secret).toString('hex')]
      for (const form of forms) {
        const found = seen.find((text) => text.includes(form))
        assert.equal(found, undefined, found?.slice(0, 300) ?? form)
      }
    }
  })
}
