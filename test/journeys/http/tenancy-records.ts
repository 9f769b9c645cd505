// An account with one real record of every kind that an identifier can name, and all that its
// owner can read of them.
import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { consolePath, type Person } from '../../support/console.ts'
import { connectApp } from '../../support/oauth.ts'
import { png } from '../../support/samples.ts'
import { type Answer, type Body, type Call, P, type TestServer } from '../../support/server.ts'
import { eventually } from '../generation/setting.ts'
import { addWorkflow, type Caller, ended, graph, started, until } from '../runs/setting.ts'

export type Account = {
  /** Real identifiers, by the name of the parameter that takes them. */
  ids: Record<string, readonly (string | number)[]>
  /** The signed address of an upload. */
  mediaUrl: string
  /** All that the owner can read, by path, except what reading it or time alone changes. */
  look(): Promise<Record<string, string>>
}

type Owner = { server: TestServer; person: Person; api: Caller; hostUrl: string }

export const echo = graph(
  [
    { id: 'in', type: 'input.text' },
    { id: 'out', type: 'output' },
  ],
  ['in -> out'],
)
const refused = (hostUrl: string) =>
  graph(
    [
      { id: 'in', type: 'http.request', data: { url: `${hostUrl}/missing` } },
      { id: 'out', type: 'output' },
    ],
    ['in.status -> out'],
  )
const unanswered = graph(
  [
    { id: 'in', type: 'input.text' },
    { id: 'ask', type: 'text.generate', data: { model: 'test/text' } },
    { id: 'out', type: 'output' },
  ],
  ['in -> ask.prompt', 'ask -> out'],
)

/** The host of test/text closes the connection of a call with this prompt. */
export const lostPrompt = 'lose this'

/** Needs a server on which one run of an account is active at a time and test/text never answers. */
export async function createAccount(owner: Owner): Promise<Account> {
  const { server, person } = owner
  const runs = await createRuns(owner)
  const { taskId, keyId, draftId, invitationId, triggerId } = await createRest(
    owner,
    runs.workflowId,
  )
  const userId = await createMember(owner)
  await enter(server, '/sign-in', { email: person.email, password: person.password })
  await connectApp(server, person)
  const sessionIds = (await read(owner, '/sessions')).items.map(({ id }: { id: string }) => id)
  const image = png({ width: 3, height: 2 })
  const upload = await ask(owner, '/uploads', {
    method: 'POST',
    body: image,
    headers: { 'content-type': 'image/png' },
  })
  const deliveryId = (await read(owner, '/deliveries')).items[0].id
  const callId = await createUnsettledCall(owner)
  const ids: Account['ids'] = {
    taskId: [taskId],
    workflowId: [runs.workflowId],
    id: [runs.workflowId],
    runId: runs.runIds,
    waitId: [await createWait(owner, runs.runIds[2] ?? '')],
    draftId: [draftId],
    triggerId: [triggerId],
    keyId: [keyId],
    name: ['crm'],
    deliveryId: [deliveryId],
    invitationId: [invitationId],
    userId: [userId],
    actorId: [userId],
    sessionId: sessionIds,
    appId: [(await read(owner, '/connected-apps')).items[0].id],
    accountId: [person.accountId],
    callId: [callId],
    requestId: [callId],
    q: [...runs.runIds, taskId],
  }
  return { ids, mediaUrl: upload.url, look: () => look(owner, ids, upload.url) }
}

/** Runs in every state that an operation treats differently. */
async function createRuns({ api, hostUrl }: Owner) {
  const workflowId = await addWorkflow(api, echo, 'mine')
  const inputs = { in: 'a secret of mine' }
  const completed = await started(api, workflowId, { inputs, callbackUrl: `${hostUrl}/hook` })
  await until(api, completed, (run) => run.callback?.status === 'DELIVERED')
  const failed = await started(api, await addWorkflow(api, refused(hostUrl)))
  assert.equal((await ended(api, failed)).status, 'FAILED')
  const running = await started(api, await addWorkflow(api, unanswered), { inputs })
  await until(api, running, (run) => run.nodes[1].status === 'RUNNING')
  const queued = await started(api, workflowId, { inputs })
  const cancelled = await started(api, workflowId, { inputs })
  await api.call({ method: 'POST', path: `${P}/workflow-runs/${cancelled}/cancel`, json: {} })
  assert.equal((await ended(api, cancelled)).status, 'CANCELLED')
  await until(api, queued, (run) => run.status === 'QUEUED')
  return { workflowId, runIds: [completed, failed, running, queued, cancelled] }
}

/** What the run waits for, as its worker stores it. */
async function createWait({ server, person }: Owner, runId: string): Promise<string> {
  const waitId = randomUUID()
  using db = new DatabaseSync(join(server.dataDir, 'atelier.db'), { timeout: 60_000 })
  db.prepare(
    `insert into waits (id, account_id, run_id, path, node_id, kind, title, status, created_at,
       expires_at, value, value_digest, details)
     values (?, ?, ?, 'in', 'in', 'APPROVAL', 'mine', 'OPEN', 1, 4000000000000, '"mine"', '', '{}')`,
  ).run(waitId, person.accountId, runId)
  return waitId
}

async function createRest(owner: Owner, workflowId: number) {
  const image = { model: 'demo-image', messages: [{ role: 'user', content: 'mine' }] }
  const path = `${P}/images/generations`
  const { taskId } = (await owner.api.call({ method: 'POST', path, json: image })).body
  await eventually(
    () => owner.api.call(`${P}/tasks/${taskId}`),
    ({ body }) => body.data.completedAt !== null,
  )
  const { id: keyId } = await post(owner, '/api-keys', { name: 'mine' })
  const content = { kind: 'bearer', secret: 'secret-of-mine', hosts: [owner.hostUrl] }
  await post(owner, '/credentials', { name: 'crm', ...content })
  const route = { candidates: [{ model: 'demo-code' }] }
  await ask(owner, '/routes/crm', { method: 'PUT', json: route })
  const trigger = { name: 'mine', kind: 'SCHEDULE', cron: '0 0 1 1 *', inputs: { in: 'mine' } }
  const triggers = `${P}/workflows/${workflowId}/triggers`
  const made = await owner.api.call({ method: 'POST', path: triggers, json: trigger })
  const { triggerId } = made.body.data
  const draftId = randomUUID()
  const draft = { workflowId, name: 'mine', data: echo }
  await ask(owner, `/drafts/${draftId}`, { method: 'PUT', json: draft })
  const invited = { email: `${randomUUID()}@example.com`, role: 'viewer' }
  const { id: invitationId } = await post(owner, '/invitations', invited)
  return { taskId, keyId, draftId, invitationId, triggerId }
}

async function createUnsettledCall(owner: Owner): Promise<string> {
  const messages = [{ role: 'user', content: lostPrompt }]
  const path = `${P}/chat/completions`
  await owner.api.call({ method: 'POST', path, json: { model: 'test/text', messages } })
  const { items } = await eventually(
    () => read(owner, '/calls?unsettled=true'),
    (calls) => calls.items.length > 0,
  )
  return items[0].id
}

/** A second owner, so that no rule about the last one stands in for the account's border. */
async function createMember(owner: Owner): Promise<string> {
  const invited = { email: `${randomUUID()}@example.com`, role: 'owner' }
  const { link } = await post(owner, '/invitations', invited)
  const token = new URLSearchParams(new URL(link).hash.slice(1)).get('token')
  const joined = await enter(owner.server, '/invitations/accept', {
    token,
    password: 'correct horse battery',
  })
  return joined.user.id
}

/** Begins a session in another browser. */
async function enter(server: TestServer, path: string, json: object) {
  const headers = { origin: server.url }
  const call = { method: 'POST', path: consolePath + path, key: null, headers, json }
  const answer = await server.call(call)
  assert.equal(answer.status, 200, answer.text)
  return answer.body.data
}

async function look(owner: Owner, ids: Account['ids'], mediaUrl: string) {
  const of = (name: string, path: string) =>
    (ids[name] ?? []).map((id) => path.replace('{id}', String(id)))
  const paths = [
    ...[
      '/account',
      '/api-keys',
      '/credentials',
      '/routes',
      '/connected-apps',
      '/sessions',
      '/members',
    ],
    ...[
      '/waits',
      '/invitations',
      '/deliveries',
      '/drafts',
      '/workflows',
      '/tasks',
      '/runs',
      '/audit',
    ],
    ...of('deliveryId', '/deliveries/{id}'),
    '/calls?unsettled=true',
    ...of('draftId', '/drafts/{id}'),
    ...of('taskId', '/tasks/{id}'),
    ...of('runId', '/runs/{id}/view'),
    ...of('workflowId', '/workflows/{id}/versions'),
    ...of('workflowId', '/workflows/{id}/versions/1'),
  ]
  const seen = await Promise.all(
    paths.map(async (path) => [path, lasting(await read(owner, path))]),
  )
  const { pathname, search } = new URL(mediaUrl)
  const media = await owner.server.call({ path: pathname + search, key: null })
  assert.equal(media.status, 200)
  return { ...Object.fromEntries(seen), media: media.text }
}

/** Some lists begin with what was used last, so their order is left out, too. */
const lasting = (data: Body): string =>
  textOf(data.items ? { ...data, items: data.items.map(textOf).sort() } : data)
const textOf = (data: unknown): string =>
  JSON.stringify(data, (key, value) => (passing.test(key) ? undefined : value)).replace(
    /\?exp=\d+&sig=[\w-]+/g,
    '',
  )
const passing = /^(last(Seen|Used)At|rev|retryAfterSeconds)$/

async function ask({ person }: Owner, path: string, call: Omit<Call, 'path'> = {}) {
  const answer: Answer = await person.call({ ...call, path: consolePath + path })
  assert.equal(answer.status, 200, answer.text)
  return answer.body.data
}
const read = (owner: Owner, path: string) => ask(owner, path)
const post = (owner: Owner, path: string, json: object) =>
  ask(owner, path, { method: 'POST', json })
