import assert from 'node:assert/strict'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { after, before, test } from 'node:test'
import { consolePrefix } from '#api/console/context.ts'
import { apiPrefix } from '#api/public/context.ts'
import { v1Paths } from '#compat/routes/v1-routes.ts'
import { v1betaPaths } from '#compat/routes/v1beta-routes.ts'
import { keyScopes, namedScopes } from '#core/scopes.ts'
import { nodeTypes } from '#graph/types/table.ts'
import { consolePath, type Person, signUp } from '../../support/console.ts'
import { png } from '../../support/samples.ts'
import {
  type Answer,
  type Body,
  type Call,
  P,
  startServer,
  type TestServer,
} from '../../support/server.ts'
import { connect, type McpClient } from '../agents/mcp/clients.ts'
import { testModels } from '../generation/setting.ts'
import { addWorkflow, type Caller, ended, graph, submit } from '../runs/setting.ts'
import { type Account, createAccount, echo, lostPrompt } from './tenancy-records.ts'
import {
  bearer,
  bodies,
  headers,
  type Id,
  isName,
  missing,
  namesIn,
  noUuid,
  type Operation,
  parts,
  queries,
  type Reference,
  referencesByOperation,
  statuses,
} from './tenancy-references.ts'

type Send = (call: Call) => Promise<Answer>

const closing = new AsyncDisposableStack()
let server: TestServer
let mine: Account
let stranger: Person
let strangerKey: string
let strangerToken: string
let mcp: McpClient
let asStranger: Caller
let hostUrl: string
const heard: string[] = []

before(async () => {
  const host = createServer((request, response) => {
    heard.push(request.url ?? '')
    if (request.url?.endsWith('/completions')) {
      // A call to a model stays unanswered, so that its run goes on for as long as the tests do. One
      // that asks for it loses its connection, so that nobody knows what became of it.
      void text(request).then((body) => body.includes(lostPrompt) && request.socket.destroy())
      return
    }
    response.writeHead(request.url === '/hook' ? 200 : 404).end()
  })
  await new Promise<void>((resolve) => host.listen(0, '127.0.0.1', resolve))
  closing.defer(() => {
    host.closeAllConnections()
    host.close()
  })
  hostUrl = `http://127.0.0.1:${(host.address() as AddressInfo).port}`
  const folder = await mkdtemp(join(tmpdir(), 'atelier-tenancy-'))
  closing.defer(() => rm(folder, { recursive: true, force: true }))
  const models = { endpoints: [{ name: 'local', baseUrl: hostUrl }], ...testModels }
  await writeFile(join(folder, 'models.json'), JSON.stringify(models))
  server = closing.use(
    await startServer({
      SIGN_UP: 'open',
      MAX_ACTIVE_RUNS: '1',
      OUTBOUND_ALLOW: '127.0.0.1/32',
      SHUTDOWN_SECONDS: '0',
      // The running run must outlast the tests, however slow the machine is.
      CHAT_TIMEOUT_SECONDS: '3600',
      MODELS_FILE: join(folder, 'models.json'),
    }),
  )
  const person = await signUp(server)
  mine = await createAccount({ server, person, api: apiOf(await person.newKey()), hostUrl })
  // The first look at a run stores what it was estimated to cost.
  await mine.look()
  lastSeen = await mine.look()
  stranger = await signUp(server)
  strangerKey = await stranger.newKey({ scopes: keyScopes })
  asStranger = apiOf(strangerKey)
  const json = { scopes: namedScopes }
  const minted = await stranger.call({ method: 'POST', path: `${consolePath}/tokens`, json })
  strangerToken = minted.body.data.accessToken
  mcp = closing.use(await connect({ url: server.url, key: strangerKey, withWorkflows: true }))
})
after(() => closing.disposeAsync())

const apiOf = (key: string): Caller => ({
  call: (call) => server.call({ ...(typeof call === 'string' ? { path: call } : call), key }),
})

/** How a stranger may call an operation: with a key, and with what their session gives them. */
function waysToCall(operation: Operation): Record<string, Send> {
  const withKey: Send = (call) => server.call({ ...call, key: strangerKey })
  if (!('access' in operation)) {
    return { key: withKey, token: (call) => server.call({ ...call, key: strangerToken }) }
  }
  const session: Send = (call) => stranger.call(call)
  return operation.takesKeys ? { session, key: withKey } : { session }
}

function callOf({ operation, place, name }: Reference, id: Id): Call {
  const values: Record<string, unknown> = {
    ...Object.fromEntries(Object.entries(mine.ids).map(([param, [first]]) => [param, first])),
    ...parts,
    [name]: id,
  }
  const prefix = 'access' in operation ? consolePrefix : apiPrefix
  const path = operation.path.replace(/\{(\w+)\}/g, (_, param) => String(values[param]))
  const query = new URLSearchParams({
    ...queries[operation.id],
    ...queries[`${operation.id} ${name}`],
    ...(place === 'query' ? { [name]: String(id) } : {}),
  })
  const body = { ...bodies[operation.id], ...(place === 'body' ? { [name]: id } : {}) }
  return {
    method: operation.method,
    path: `${prefix}${path}?${query}`,
    headers: { 'idempotency-key': 'k', ...headers[operation.id] },
    ...(operation.body ? { json: body } : {}),
  }
}

/** An answer, and the identifier that was asked for. */
type Told = [answer: Answer, id: Id]

/** Asserts that the answers differ in nothing but the identifier. */
function assertSame([theirs, id]: Told, [none, nobodys]: Told, about: string) {
  const facts = ({ status, headers }: Answer) => [
    status,
    ...['etag', 'location', 'retry-after'].map((name) => headers[name]),
  ]
  assert.deepEqual(facts(theirs), facts(none), `${about}: ${theirs.text}`)
  assertSameText([theirs.text, id], [none.text, nobodys], about)
}
function assertSameText([theirs, id]: [string, Id], [none, nobodys]: [string, Id], about: string) {
  const expected = none.replaceAll(String(nobodys), String(id))
  assert.equal(unmarked(theirs), unmarked(expected), about)
}
/** Without the time and the name of a request. */
const unmarked = (text: string) => text.replace(/"(at|request_id)":"[^"]+"/g, '')

let lastSeen: Record<string, string>

/** Does it, and asserts that nothing of mine is other than before. */
async function withoutEffect(act: () => Promise<void>) {
  await act()
  const before = lastSeen
  lastSeen = await mine.look()
  for (const [path, seen] of Object.entries(before)) assert.equal(lastSeen[path], seen, path)
}

test('every identifier that an operation takes has a real record here', () => {
  assert.ok(referencesByOperation.length > 35, String(referencesByOperation.length))
  for (const { operation, name } of referencesByOperation.flat()) {
    const which = `${operation.id}: ${name}`
    assert.ok(mine.ids[name]?.length, `${which} has no record in tenancy-records.ts`)
    const isEmpty = operation.body === undefined || operation.bodyOptional === true
    assert.ok(isEmpty || bodies[operation.id], `${which} has no body here`)
  }
})

for (const [first, ...others] of referencesByOperation) {
  const { operation } = first as Reference
  const all = [first as Reference, ...others]

  test(`${operation.id} tells a stranger no more of my ${all.map(({ name }) => name).join(', ')} than of one that never existed, and changes nothing`, () =>
    withoutEffect(async () => {
      for (const [way, send] of Object.entries(waysToCall(operation))) {
        for (const reference of all) {
          const { name, place } = reference
          const nobodys = missing[name] ?? noUuid
          const none = await send(callOf(reference, nobodys))
          const status = statuses[operation.id] ?? (place === 'query' ? 200 : 404)
          assert.equal(none.status, status, `${way}: ${none.text}`)
          for (const id of mine.ids[name] ?? []) {
            const theirs = await send(callOf(reference, id))
            assertSame([theirs, id], [none, nobodys], `${way}, ${name} ${id}`)
          }
        }
      }
    }))
}

test('lists show a stranger nothing', async () => {
  for (const path of ['/tasks', '/workflows']) {
    const { body } = await asStranger.call(P + path)
    assert.deepEqual([body.data.items, body.data.total], [[], 0])
  }
  const lists = ['credentials', 'deliveries', 'drafts', 'runs', 'tasks', 'invitations', 'workflows']
  for (const list of [...lists, 'connected-apps']) {
    const { body } = await stranger.call({ path: `${consolePath}/${list}` })
    assert.deepEqual(body.data.items, [], list)
  }
})

/** The result of a tool, or the error of the protocol. */
const resultOf = async (name: string, args: object) =>
  JSON.stringify(await mcp.call(name, args).catch(({ code, message }) => ({ code, message })))

test('tools of agents tell a stranger no more of what is mine', () =>
  withoutEffect(async () => {
    const tools = referencesByOperation
      .flat()
      .filter(({ operation, place }) => operation.tool && place === 'path')
    assert.ok(tools.length >= 10, String(tools.length))
    for (const { operation, name } of tools) {
      const tool = operation.tool?.name ?? ''
      const nobodys = missing[name] ?? noUuid
      const argumentsOf = (id: Id) => ({
        ...bodies[operation.id],
        ...(operation.id === 'runWorkflow' ? { idempotencyKey: 'k' } : {}),
        [name]: id,
      })
      const none = await resultOf(tool, argumentsOf(nobodys))
      assert.match(none, /_NOT_FOUND/, tool)
      for (const id of mine.ids[name] ?? []) {
        const theirs = await resultOf(tool, argumentsOf(id))
        assertSameText([theirs, id], [none, nobodys], `${tool} ${id}`)
      }
    }
  }))

test('a workflow of mine is no tool of a stranger, whatever name they call it by', () =>
  withoutEffect(async () => {
    const [id = 0] = mine.ids.workflowId ?? []
    const nobodys = missing.workflowId ?? 0
    const { tools } = await mcp.list()
    assert.ok(tools.every(({ name }) => !name.endsWith(`_${id}`)))
    const theirs = await resultOf(`mine_${id}`, { in: 'x' })
    const none = await resultOf(`mine_${nobodys}`, { in: 'x' })
    assert.match(none, /-32602|NOT_FOUND/)
    assertSameText([theirs, id], [none, nobodys], 'a tool')
  }))

test('every setting of a node that names a record is tried below', () => {
  const named = nodeTypes.flatMap(({ type, config }) =>
    namesIn(config)
      .filter((name) => isName(name) || name === 'credential')
      .map((name) => `${type} ${name}`),
  )
  assert.deepEqual(named.sort(), [
    'http.request credential',
    'image.generate credential',
    'text.generate credential',
    'video.generate credential',
    'workflow.call workflowId',
  ])
})

type Refer = (id: Id) => { id: string; type: string; data: Record<string, unknown> }
const naming: Record<string, Refer> = {
  workflowId: (workflowId) => ({ id: 'n', type: 'workflow.call', data: { workflowId } }),
  name: (credential) => ({
    id: 'n',
    type: 'http.request',
    data: { url: `${hostUrl}/leak`, credential },
  }),
}
const nested: Refer = (workflowId) => ({
  id: 'n',
  type: 'flow.map',
  data: { apply: { type: 'workflow.call', data: { workflowId } } },
})
const asked = (credential: Id, kind: 'text' | 'image' | 'video') => ({
  id: 'n',
  type: `${kind}.generate`,
  data: { model: `demo-${kind}`, credential, prompt: 'x' },
})

test('a graph that names a workflow or credential of mine is like one that names nothing', () =>
  withoutEffect(async () => {
    const cases: [name: string, refer: Refer][] = [
      ...Object.entries(naming),
      ['workflowId', nested],
      ...(['text', 'image', 'video'] as const).map((kind): [string, Refer] => [
        'name',
        (id) => asked(id, kind),
      ]),
    ]
    const paths = [`${P}/workflows/validate`, `${consolePath}/workflows/check`]
    for (const [name, refer] of cases) {
      const [id = ''] = mine.ids[name] ?? []
      const nobodys = missing[name] ?? ''
      for (const path of paths) {
        const check = async (named: Id) => {
          const call = { method: 'POST', path, json: { data: graph([refer(named)]) } }
          return path.startsWith(P) ? asStranger.call(call) : stranger.call(call)
        }
        const none = await check(nobodys)
        assert.match(none.text, /NOT_FOUND|UNKNOWN|INVALID/, `${path} ${name}`)
        assertSame([await check(id), id], [none, nobodys], `${path} ${name}`)
      }
      const create = (named: Id) => {
        const json = { name: 'w', data: graph([refer(named)]) }
        return asStranger.call({ method: 'POST', path: `${P}/workflows`, json })
      }
      const [theirs, none] = [await create(id), await create(nobodys)]
      assert.equal(theirs.status, none.status)
      if (none.status !== 200) assertSame([theirs, id], [none, nobodys], name)
    }
  }))

test('a credential of mine is sent for no stranger', () =>
  withoutEffect(async () => {
    const fail = async (credential: Id) => {
      const workflowId = await addWorkflow(asStranger, graph([naming.name?.(credential) as never]))
      const { body } = await submit(asStranger, workflowId)
      const { nodeErrors } = await ended(asStranger, body.data.runId)
      return JSON.stringify(nodeErrors)
    }
    const [nobodys, id] = [missing.name ?? '', mine.ids.name?.[0] ?? '']
    const none = await fail(nobodys)
    assert.match(none, /CREDENTIAL_NOT_FOUND/)
    assertSameText([await fail(id), id], [none, nobodys], 'errors of the node')
    assert.ok(!heard.includes('/leak'))
  }))

test('what both accounts call by the same name is each one’s own', () =>
  withoutEffect(async () => {
    const at = async (method: string, path: string, json?: object) => {
      const answer = await stranger.call({ method, path: consolePath + path, json })
      assert.equal(answer.status, 200, answer.text)
    }
    await at('POST', '/credentials', { name: 'crm', ...bearer })
    await at('PUT', '/credentials/crm', { ...bearer, secret: 'replaced' })
    await at('DELETE', '/credentials/crm')
    const draft = `/drafts/${mine.ids.draftId?.[0]}`
    const workflowId = mine.ids.workflowId?.[0]
    await at('PUT', draft, { workflowId, name: 'theirs', data: {} })
    await at('PUT', draft, { workflowId, name: 'changed', data: {} })
    await at('DELETE', draft)
    for (const member of ['id', 'workflowId']) {
      const json = { name: 'theirs', data: echo, [member]: workflowId }
      const made = await asStranger.call({ method: 'POST', path: `${P}/workflows`, json })
      assert.equal(made.status, 200, made.text)
      assert.notEqual(made.body.data.workflowId, workflowId)
      const path = `${P}/workflows/${made.body.data.workflowId}`
      const changed = await asStranger.call({ method: 'PUT', path, json: { ...json, name: 'x' } })
      assert.equal(changed.body.data.workflowId, made.body.data.workflowId)
    }
  }))

/** Every way to name a picture by its address, with our formats and those of other vendors. */
const pictured: Record<string, (url: string) => object> = {
  [`${P}/chat/completions`]: (url) => ({
    model: 'demo-text',
    messages: [says('image_url', { url })],
  }),
  [`${P}/images/generations`]: (url) => ({
    model: 'demo-image',
    messages: [says('image_url', { url })],
  }),
  [`${P}/videos/generations`]: (url) => ({
    model: 'demo-video',
    messages: [says('image_url', { url })],
  }),
  '/v1/chat/completions': (url) => ({ model: 'demo-text', messages: [says('image_url', { url })] }),
  '/v1/responses': (url) => ({
    model: 'demo-text',
    input: [{ role: 'user', content: [{ type: 'input_image', image_url: url }] }],
  }),
  '/v1/messages': (url) => ({
    model: 'demo-text',
    max_tokens: 10,
    messages: [{ role: 'user', content: [{ type: 'image', source: { type: 'url', url } }] }],
  }),
}
const says = (type: string, image_url: Body) => ({
  role: 'user',
  content: [
    { type: 'text', text: 'look' },
    { type, image_url },
  ],
})

/** My address as it is, and made to name media that never existed. */
const expired = () => mine.mediaUrl.replace(/exp=\d+/, 'exp=1000000000')
const mediaId = () => /media\/([^?]+)/.exec(mine.mediaUrl)?.[1] ?? ''

test('an address of my media that is no longer good is like that of none, wherever it is given', () =>
  withoutEffect(async () => {
    const [id, gone] = [mediaId(), expired()]
    for (const [path, bodyOf] of Object.entries(pictured)) {
      const give = (url: string) => asStranger.call({ method: 'POST', path, json: bodyOf(url) })
      const none = await give(gone.replace(id, noUuid))
      assert.ok(none.status >= 400 && none.status < 500, `${path}: ${none.text}`)
      assertSame([await give(gone), id], [none, noUuid], path)
    }
    const look = [
      { id: 'in', type: 'input.image' },
      { id: 'out', type: 'output' },
    ]
    const workflowId = await addWorkflow(asStranger, graph(look, ['in -> out']))
    const start = async (url: string) => {
      const answer = await submit(asStranger, workflowId, { inputs: { in: url } })
      const { status, body, text } = answer
      if (status !== 202) return text
      const run = await ended(asStranger, body.data.runId)
      assert.equal(run.status, 'FAILED')
      return JSON.stringify(run.nodeErrors)
    }
    const none = await start(gone.replace(id, noUuid))
    assertSameText([await start(gone), id], [none, noUuid], 'an input')
  }))

test('my media are served for their own signature alone', () =>
  withoutEffect(async () => {
    const uploaded = await stranger.call({
      method: 'POST',
      path: `${consolePath}/uploads`,
      headers: { 'content-type': 'image/png' },
      body: png({ width: 1, height: 1 }),
    })
    const { search } = new URL(uploaded.body.data.url)
    const late = new URL(expired()).search
    for (const query of ['', search, late]) {
      for (const send of [asStranger.call, (call: Call) => stranger.call(call)]) {
        const theirs = await send({ path: `/media/${mediaId()}${query}` })
        const none = await send({ path: `/media/${noUuid}${query}` })
        assert.ok(none.status >= 400, none.text)
        assertSame([theirs, mediaId()], [none, noUuid], query)
      }
    }
  }))

// That a kept response is its own account's alone is held in compat/openai/kept-responses.test.ts.
test('the formats of other vendors take no identifier but of models and kept responses', () => {
  const paths = [...v1Paths, ...v1betaPaths].map(({ path }) => path)
  const named = paths.filter((path) => path.includes('{'))
  assert.deepEqual(named.sort(), [
    '/v1/models/{id*}',
    '/v1/responses/{id}',
    '/v1/responses/{id}/input_items',
    '/v1beta/models/{model*}',
  ])
})
