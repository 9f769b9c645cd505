import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { Webhook } from 'standardwebhooks'
import { type Received, startReceiver } from '../../contract/deliveries/receiver.ts'
import { consolePath, type Person, signUp } from '../../support/console.ts'
import { databases, type TestDatabase } from '../../support/databases.ts'
import { ownMigrations } from '../../support/migrated.ts'
import { createPauses } from '../../support/pauses.ts'
import { P, startServer, type TestServer } from '../../support/server.ts'
import {
  addWorkflow,
  type Caller,
  graph,
  readRun,
  started,
  submit,
  until,
} from '../runs/setting.ts'

const echo = graph(
  [
    { id: 'in', type: 'input.text' },
    { id: 'out', type: 'output' },
  ],
  ['in -> out'],
)
const asking = graph(
  [
    { id: 'in', type: 'input.text' },
    { id: 'ask', type: 'wait.approval', data: { title: 'Publish?', link: true } },
    { id: 'out', type: 'output' },
  ],
  ['in -> ask.value', 'ask.approved -> out'],
)
const fetching = (url: string) =>
  graph(
    [
      { id: 'get', type: 'http.request', data: { url } },
      { id: 'out', type: 'output' },
    ],
    ['get.status -> out'],
  )

for (const { name, open } of databases) {
  describe(`callbacks of runs on ${name}`, () => {
    let opened: TestDatabase | undefined
    let server: TestServer
    let me: Person
    let stranger: Person
    let api: Caller
    let webhook: Webhook

    before(async () => {
      opened = name === 'postgres' ? await open({ migrations: ownMigrations }) : undefined
      server = await startServer({
        SIGN_UP: 'open',
        OUTBOUND_ALLOW: '127.0.0.1/32',
        ...(opened && 'url' in opened.location ? { DATABASE_URL: opened.location.url } : {}),
      })
      me = await signUp(server)
      stranger = await signUp(server)
      const key = await me.newKey()
      api = {
        call: (call) => server.call({ key, ...(typeof call === 'string' ? { path: call } : call) }),
      }
      const { body } = await me.call({ path: `${consolePath}/webhook-secret` })
      webhook = new Webhook(body.data.secret)
    })
    after(async () => {
      await server.stop()
      await opened?.close()
    })

    type Event = { type: string; data: Record<string, unknown> }
    const verified = ({ body, headers }: Received) =>
      webhook.verify(body, headers as Record<string, string>) as Event
    const settled = (runId: string) =>
      until(api, runId, (run) => run.callback !== null && run.callback.status !== 'PENDING')

    test('a completed run sends a signed webhook that matches its record', async () => {
      await using receiver = await startReceiver()
      const workflowId = await addWorkflow(api, echo)
      const runId = await started(api, workflowId, {
        inputs: { in: 'Grüße 👋' },
        metadata: { order: 7 },
        callbackUrl: `${receiver.url}?token=secret`,
      })
      const run = await settled(runId)
      assert.deepEqual(run.callback, {
        url: receiver.url,
        status: 'DELIVERED',
        attempts: 1,
        lastStatusCode: 204,
      })
      const [received] = receiver.received
      assert.ok(received && receiver.received.length === 1)
      assert.equal(received.path, '/hook?token=secret')
      const { type, data } = verified(received)
      assert.equal(type, 'workflow.run.completed')
      const { outputs, nodeErrors, metadata, cost, createdAt, completedAt } = run
      assert.deepEqual(outputs, { out: 'Grüße 👋' })
      const told = { outputs, nodeErrors, metadata, cost, createdAt, completedAt }
      assert.deepEqual(data, {
        runId,
        workflowId,
        status: 'COMPLETED',
        ...told,
        inFlightTaskMayComplete: false,
        runUrl: `${server.url}${P}/workflow-runs/${runId}`,
      })
      const read = await api.call(String(data.runUrl).slice(server.url.length))
      assert.equal(read.body.data.runId, runId)
    })

    test('the webhook of the account hears of runs that wait, unless a run names its own', async () => {
      await using ofAccount = await startReceiver()
      await using ofRun = await startReceiver()
      const tell = (url: string | null) =>
        me.call({ method: 'PUT', path: `${consolePath}/webhook`, json: { url } })
      assert.equal((await tell(ofAccount.url)).status, 200)
      const workflowId = await addWorkflow(api, asking)
      const order = { inputs: { in: 'x' } }
      const runId = await started(api, workflowId, order)
      await ofAccount.arrived(1)
      const own = { ...order, callbackUrl: ofRun.url, callbackEvents: ['waiting'] }
      const other = await started(api, workflowId, own)
      await ofRun.arrived(1)
      const heard = (received: readonly Received[]) =>
        received.map((one) => {
          const { type, data } = verified(one)
          return [type, data.runId, data.title]
        })
      assert.deepEqual(heard(ofAccount.received), [['workflow.run.waiting', runId, 'Publish?']])
      assert.deepEqual(heard(ofRun.received), [['workflow.run.waiting', other, 'Publish?']])
      await tell(null)
      for (const one of [runId, other])
        await api.call({ method: 'POST', path: `${P}/workflow-runs/${one}/cancel`, json: {} })
      await settled(other)
      assert.equal(ofAccount.received.length, 1, 'its end is told to nobody')
    })

    test('a run that waits says so if it was asked to, with the address to answer', async () => {
      await using receiver = await startReceiver()
      const workflowId = await addWorkflow(api, asking)
      const order = { inputs: { in: 'x' }, metadata: { order: 7 }, callbackUrl: receiver.url }
      const silent = await started(api, workflowId, order)
      const runId = await started(api, workflowId, { ...order, callbackEvents: ['waiting'] })
      await receiver.arrived(1)
      const [received] = receiver.received
      assert.ok(received)
      const { type, data } = verified(received)
      assert.deepEqual([type, data.runId], ['workflow.run.waiting', runId])
      const { kind, title, nodeId, metadata, status } = data
      assert.deepEqual(
        [kind, title, nodeId, metadata, status],
        ['APPROVAL', 'Publish?', 'ask', { order: 7 }, 'RUNNING'],
      )
      const url = String(data.url)
      assert.match(await (await fetch(url)).text(), /Publish\?/)
      assert.equal((await readRun(api, runId)).callback.status, 'PENDING', 'of the end only')
      const delivery = async () => {
        const list = await me.call({ path: `${consolePath}/deliveries?runId=${runId}` })
        return list.body.data.items[0]
      }
      // One that is still under way is being sent already, and would not be sent once more.
      const pause = createPauses()
      while ((await delivery()).status === 'PENDING') await pause()
      const { id } = await delivery()
      const kept = await me.call({ path: `${consolePath}/deliveries/${id}` })
      assert.ok(!kept.text.includes(url.slice(-64)), 'the address is not stored')
      const again = { method: 'POST', path: `${consolePath}/deliveries/${id}/redeliver` }
      assert.equal((await me.call(again)).status, 200)
      await receiver.arrived(2)
      for (const one of [runId, silent]) {
        await api.call({ method: 'POST', path: `${P}/workflow-runs/${one}/cancel`, json: {} })
        await settled(one)
      }
      const types = receiver.received.map((event) => verified(event).type)
      assert.deepEqual(types.slice(0, 2), ['workflow.run.waiting', 'workflow.run.waiting'])
      assert.deepEqual(new Set(types.slice(2)), new Set(['workflow.run.cancelled']))
    })

    test('events need an address, and are part of what a key stands for', async () => {
      await using receiver = await startReceiver()
      const workflowId = await addWorkflow(api, echo)
      const order = { inputs: { in: 'x' }, callbackEvents: ['waiting'] }
      const none = await submit(api, workflowId, order)
      assert.deepEqual([none.status, none.body.error.code], [422, 'INPUT_INVALID'])
      const full = { ...order, callbackUrl: receiver.url }
      const first = await submit(api, workflowId, full, { key: 'with-events' })
      assert.equal(first.status, 202)
      const { callbackEvents: _, ...other } = full
      const changed = await submit(api, workflowId, other, { key: 'with-events' })
      assert.equal(changed.body.error.code, 'IDEMPOTENCY_KEY_REUSED')
    })

    test('failed and cancelled runs send webhooks that say so', async () => {
      await using receiver = await startReceiver()
      await using source = await startReceiver()
      source.script({ status: 500 })
      source.always('hold')
      const workflowId = await addWorkflow(api, fetching(source.url))
      const failing = await started(api, workflowId, { callbackUrl: receiver.url })
      await settled(failing)
      const leaving = await started(api, workflowId, { callbackUrl: receiver.url })
      await source.arrived(2)
      const path = `${P}/workflow-runs/${leaving}/cancel`
      assert.equal((await api.call({ method: 'POST', path, json: {} })).status, 200)
      await settled(leaving)
      const events = receiver.received.map(verified)
      assert.deepEqual(
        events.map(({ type, data }) => [type, data.runId, data.status]),
        [
          ['workflow.run.failed', failing, 'FAILED'],
          ['workflow.run.cancelled', leaving, 'CANCELLED'],
        ],
      )
      const { nodeErrors } = await readRun(api, failing)
      assert.deepEqual(events[0]?.data.nodeErrors, nodeErrors)
      assert.equal(nodeErrors[0]?.code, 'HTTP_FAILED')
    })

    test('results too large for a webhook are left out and can be read', async () => {
      await using receiver = await startReceiver()
      const text = 'é'.repeat(40_000)
      const runId = await started(api, await addWorkflow(api, echo), {
        inputs: { in: text },
        callbackUrl: receiver.url,
      })
      const run = await settled(runId)
      assert.equal(run.outputs.out, text)
      const [received] = receiver.received
      assert.ok(received)
      const { data } = verified(received)
      assert.deepEqual([data.truncated, data.status], [true, 'COMPLETED'])
      assert.ok(!('outputs' in data) && !('nodeErrors' in data))
    })

    test('a private address is refused when the run is submitted', async () => {
      const workflowId = await addWorkflow(api, echo)
      const answer = await api.call({
        method: 'POST',
        path: `${P}/workflows/${workflowId}/runs`,
        headers: { 'idempotency-key': 'private' },
        json: { inputs: { in: 'x' }, callbackUrl: 'http://10.0.0.1/' },
      })
      assert.deepEqual([answer.status, answer.body.error.code], [422, 'CALLBACK_URL_REJECTED'])
    })

    test('the owner sees a delivery and can repeat it; a stranger can do neither', async () => {
      await using receiver = await startReceiver()
      receiver.script({ status: 410 })
      const runId = await started(api, await addWorkflow(api, echo), {
        inputs: { in: 'x' },
        callbackUrl: `${receiver.url}?token=secret`,
      })
      assert.equal((await settled(runId)).callback.status, 'DISABLED')
      const list = await me.call({ path: `${consolePath}/deliveries?size=1` })
      const [first] = list.body.data.items
      assert.deepEqual(
        [first.runId, first.status, first.url, first.lastStatusCode],
        [runId, 'DISABLED', receiver.url, 410],
      )
      const path = `${consolePath}/deliveries/${first.id}/redeliver`
      const forbidden = await stranger.call({ method: 'POST', path })
      assert.equal(forbidden.status, 404, forbidden.text)
      const theirs = await stranger.call({ path: `${consolePath}/deliveries` })
      assert.deepEqual(theirs.body.data.items, [])
      const foreign = await me.call({
        method: 'POST',
        path,
        headers: { origin: 'https://e.example' },
      })
      assert.equal(foreign.status, 403)
      assert.equal(receiver.received.length, 1)

      const again = await me.call({ method: 'POST', path })
      assert.equal(again.status, 200, again.text)
      assert.deepEqual([again.body.data.webhookId, again.body.data.attempts], [first.webhookId, 0])
      assert.equal((await settled(runId)).callback.status, 'DELIVERED')
      const [one, two] = receiver.received
      assert.ok(one && two && verified(two))
      assert.equal(two.body, one.body)
      assert.equal(two.headers['webhook-id'], one.headers['webhook-id'])
    })

    test('after a rotation old and new secret both verify', async () => {
      await using receiver = await startReceiver()
      const rotated = await me.call({
        method: 'POST',
        path: `${consolePath}/webhook-secret/rotate`,
      })
      const runId = await started(api, await addWorkflow(api, echo), {
        inputs: { in: 'x' },
        callbackUrl: receiver.url,
      })
      await settled(runId)
      const [received] = receiver.received
      assert.ok(received && verified(received))
      webhook = new Webhook(rotated.body.data.secret)
      assert.ok(verified(received))
    })
  })
}
