// What keeps a webhook from starting runs, and what its sender and its owner see of it.
import assert from 'node:assert/strict'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { consolePath, type Person, signUp } from '../../support/console.ts'
import type { Body } from '../../support/server.ts'
import { addWorkflow, ended, graph, until } from '../runs/setting.ts'
import { callerOf, type Hooks, hooksOf, newEditor, onEachDatabase } from './hook-setting.ts'

const folder = await mkdtemp(join(tmpdir(), 'atelier-hooks-'))
after(() => rm(folder, { recursive: true, force: true }))
const unpriced = { id: 'test/bare', kind: 'TEXT', provider: 'gemini', providerModel: 'bare' }
await writeFile(join(folder, 'models.json'), JSON.stringify({ models: [unpriced] }))

const asking = graph(
  [
    { id: 'title', type: 'input.text' },
    { id: 'ask', type: 'wait.approval', data: { title: 'Publish this?' } },
    { id: 'out', type: 'output' },
  ],
  ['title -> ask.value', 'ask.approved -> out'],
)

const env = {
  ...{ RATE_LIMIT_HOOK: '30', MAX_WAITING_RUNS: '3', GEMINI_API_KEY: 'never-used' },
  MODELS_FILE: join(folder, 'models.json'),
}

onEachDatabase('a webhook that is held back', env, (on) => {
  test('answers 202 at once if its run falls asleep, and its result to a repeat later', async () => {
    const id = await addWorkflow(on.api, asking)
    const { path } = await on.hook({ respond: 'result' }, id)
    const send = () => on.send(path, { title: 'Hello' }, { 'webhook-id': 'one' })
    const { status, body } = await send()
    assert.deepEqual([status, typeof body.data.runId], [202, 'string'])
    await answer(on.person, on, body.data.runId, 'approve')
    await ended(on.api, body.data.runId)
    const later = await send()
    assert.deepEqual([later.status, later.body.data.outputs], [200, { out: 'Hello' }])
    assert.equal(later.body.data.runId, body.data.runId)
  })

  test('counts a sleeping run as one that has not ended', async () => {
    const id = await addWorkflow(on.api, asking)
    const skipping = await on.hook({ overlap: 'skip' }, id)
    const queueing = await on.hook({ overlap: 'queue' }, id)
    const first: string[] = []
    for (const { path, triggerId } of [skipping, queueing]) {
      const { body } = await on.send(path, { title: 'first' })
      first.push(body.data.runId)
      await asleep(on, body.data.runId)
      const second = await on.send(path, { title: 'second' })
      assert.deepEqual([second.status, second.body.data.runId], [202, null])
      const [newest] = await on.firings(triggerId, id)
      const expected = triggerId === skipping.triggerId ? 'SKIPPED_OVERLAP' : null
      assert.equal(newest.reason, expected)
    }
    for (const runId of first) await answer(on.person, on, runId, 'reject')
    const [queued] = await eventually(
      () => on.firings(queueing.triggerId, id),
      ([newest]) => newest.runId !== null,
    )
    assert.notEqual(queued.runId, first[1])
    await answer(on.person, on, queued.runId, 'reject')
    await ended(on.api, queued.runId)
  })

  test('says QUOTA if as many runs of the account sleep as may', async () => {
    const own = await another(on)
    const id = await addWorkflow(own.api, asking)
    const { path, triggerId } = await own.hook({}, id)
    for (const title of ['one', 'two', 'three']) {
      const { body } = await own.send(path, { title })
      await asleep(own, body.data.runId)
    }
    // The count of those who sleep may be ten seconds old.
    const full = await eventually(
      () => own.send(path, { title: 'four' }),
      ({ status }) => status !== 202,
      1_000,
    )
    assert.deepEqual([full.status, full.body.error.code], [429, 'QUOTA_EXCEEDED'])
    const [newest] = await own.firings(triggerId, id)
    assert.deepEqual([newest.reason, newest.runId], ['QUOTA', null])
  })

  test('says BUDGET if a limit applies that its model might pass', async () => {
    const key = await on.person.newKey({ limits: { spendPerMonth: 1 } })
    const paid = graph(
      [
        { id: 'title', type: 'input.text' },
        { id: 'write', type: 'text.generate', data: { model: 'test/bare' } },
        { id: 'out', type: 'output' },
      ],
      ['title -> write.prompt', 'write -> out'],
    )
    const limited = callerOf(on.server, key)
    const id = await addWorkflow(limited, paid)
    const json = { name: 'hook', kind: 'WEBHOOK' }
    const made = await limited.call({ method: 'POST', path: on.at(id), json })
    assert.equal(made.status, 200, made.text)
    const { url, triggerId } = made.body.data
    const { status, body } = await on.send(new URL(url).pathname, { title: 'x' })
    assert.deepEqual([status, body.error.details.reason], [403, 'BUDGET'])
    assert.equal((await on.firings(triggerId, id))[0].reason, 'BUDGET')
  })

  test('pauses when whoever made it leaves, and goes on in the name of who switches it on', async () => {
    const member = await newEditor(on)
    const token = (await member.call({ method: 'POST', path: `${consolePath}/tokens`, json: {} }))
      .body.data.accessToken
    const theirs = callerOf(on.server, token)
    const json = { name: 'theirs', kind: 'WEBHOOK' }
    const made = await theirs.call({ method: 'POST', path: on.at(), json })
    assert.equal(made.status, 200, made.text)
    const { url, triggerId } = made.body.data
    const { pathname } = new URL(url)
    assert.equal((await on.send(pathname, { title: 'x' })).status, 202)
    const removed = await on.person.call({
      method: 'DELETE',
      path: `${consolePath}/members/${member.userId}`,
    })
    assert.equal(removed.status, 200, removed.text)
    assert.equal((await on.send(pathname, { title: 'x' })).status, 503)
    const read = await on.api.call(`${on.at()}/${triggerId}`)
    assert.equal(read.body.data.paused.reason, 'MEMBER_LEFT')
    const [newest] = await on.firings(triggerId)
    assert.equal(newest.reason, 'PAUSED')
    await on.api.call({
      method: 'PUT',
      path: `${on.at()}/${triggerId}`,
      json: { enabled: true },
    })
    assert.equal((await on.send(pathname, { title: 'x' })).status, 202)
  })

  test('takes as many requests a minute as it may, each address for itself', async () => {
    const [busy, other] = [await on.hook({ enabled: false }), await on.hook({ enabled: false })]
    const statuses: number[] = []
    for (let i = 0; i < 31; i++) statuses.push((await on.send(busy.path, {})).status)
    assert.deepEqual(new Set(statuses.slice(0, 30)), new Set([503]))
    assert.equal(statuses[30], 429)
    assert.equal((await on.send(other.path, {})).status, 503)
  })
})

const asleep = (on: Hooks, runId: string) =>
  until(on.api, runId, ({ waitingFor, nodes }) => waitingFor?.length > 0 && isWaiting(nodes))
const isWaiting = (nodes: Body[]) => nodes.some(({ status }) => status === 'WAITING')

async function answer(person: Person, on: Hooks, runId: string, decision: string) {
  const { waitingFor } = await asleep(on, runId)
  const path = `${consolePath}/runs/${runId}/waits/${waitingFor[0].waitId}`
  const { status, text } = await person.call({ method: 'POST', path, json: { decision } })
  assert.equal(status, 200, text)
}

/** A second account on the same server. */
async function another({ server }: Hooks): Promise<Hooks> {
  return hooksOf(server, await signUp(server))
}

async function eventually<T>(
  read: () => Promise<T>,
  satisfies: (value: T) => boolean,
  everyMs = 100,
): Promise<T> {
  const deadline = Date.now() + 120_000
  for (;;) {
    const value = await read()
    if (satisfies(value)) return value
    assert.ok(Date.now() < deadline, JSON.stringify(value))
    await new Promise((resolve) => setTimeout(resolve, everyMs))
  }
}
