// Runs that wait for somebody: asked over HTTP, answered by people, programs and links, and woken.
import assert from 'node:assert/strict'
import { createHmac, randomUUID } from 'node:crypto'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { after, before, describe, test } from 'node:test'
import { consolePath, type Person, signUp } from '../../support/console.ts'
import { databases, type TestDatabase } from '../../support/databases.ts'
import { png } from '../../support/samples.ts'
import { type Body, P, startServer, type TestServer } from '../../support/server.ts'
import { addWorkflow, type Caller, ended, graph, readRun, started, until } from './setting.ts'

const pixel =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='

const approval = (data: object = {}) =>
  graph(
    [
      { id: 'draft', type: 'input.text' },
      { id: 'ask', type: 'wait.approval', data: { title: 'Publish this?', ...data } },
      { id: 'yes', type: 'output' },
      { id: 'no', type: 'output' },
      { id: 'said', type: 'output' },
    ],
    ['draft -> ask.value', 'ask.approved -> yes', 'ask.rejected -> no', 'ask.response -> said'],
  )

for (const { name, open } of databases) {
  describe(`runs that wait for somebody (${name})`, () => {
    let opened: TestDatabase | undefined
    let server: TestServer
    let me: Person
    let agent: Caller
    let approver: Caller

    before(async () => {
      opened = name === 'postgres' ? await open() : undefined
      server = await startServer({
        SIGN_UP: 'open',
        OUTBOUND_ALLOW: '127.0.0.1/32',
        ...(opened && 'url' in opened.location ? { DATABASE_URL: opened.location.url } : {}),
      })
      me = await signUp(server)
      const callerOf = (key: string): Caller => ({
        call: (call) => server.call({ key, ...(typeof call === 'string' ? { path: call } : call) }),
      })
      agent = callerOf(await me.newKey())
      approver = callerOf(await me.newKey({ scopes: ['runs:read', 'waits:answer'] }))
    })
    after(async () => {
      await server.stop()
      await opened?.close()
    })

    const asked = async (data: object, inputs: object = { draft: 'Hello' }) => {
      const runId = await started(agent, await addWorkflow(agent, data), { inputs })
      // The wait is stored with its step, the state of the node a moment later.
      const run = await until(
        agent,
        runId,
        ({ waitingFor, nodes }) => waitingFor?.length > 0 && nodes[1].status === 'WAITING',
      )
      return { runId, wait: run.waitingFor[0] as Body, run }
    }

    test('a person approves in the console, and the run goes on with the value', async () => {
      const form = {
        type: 'object',
        additionalProperties: false,
        properties: { channel: { type: 'string' } },
        required: ['channel'],
      }
      const { runId, wait, run } = await asked(approval({ form }))
      assert.equal(run.status, 'RUNNING')
      assert.equal(run.nodes[1].status, 'WAITING')
      assert.deepEqual([wait.kind, wait.title, wait.url], ['APPROVAL', 'Publish this?', undefined])
      const list = await me.call({ path: `${consolePath}/waits?mine=true` })
      const mine = list.body.data.items.find((one: Body) => one.runId === runId)
      assert.equal(mine.mayAnswer, true)
      const path = `${consolePath}/runs/${runId}/waits/${wait.waitId}`
      assert.equal((await me.call({ path })).body.data.value, 'Hello')
      const json = { decision: 'approve', response: { channel: 'blog' }, comment: 'Go' }
      const wrong = await me.call({ method: 'POST', path, json: { decision: 'approve' } })
      assert.equal(wrong.body.error.code, 'ANSWER_INVALID')
      const answered = await me.call({ method: 'POST', path, json })
      assert.equal(answered.body.data.answer.by.name, me.email)
      const { status, outputs } = await ended(agent, runId)
      assert.deepEqual(
        [status, outputs],
        ['COMPLETED', { yes: 'Hello', said: { channel: 'blog' } }],
      )
      const replay = await me.call({ method: 'POST', path, json })
      assert.deepEqual([replay.status, replay.body.data.idempotentReplay], [200, true])
      const { comment, by } = (await me.call({ path })).body.data.answer
      assert.deepEqual([comment, by.kind, by.name], ['Go', 'person', me.email])
    })

    test('lists say who or what started a run, and that somebody said no', async () => {
      const { runId, wait } = await asked(approval())
      const path = `${consolePath}/runs/${runId}/waits/${wait.waitId}`
      const listed = async (id: string): Promise<Body> =>
        (await me.call({ path: `${consolePath}/runs?q=${id}` })).body.data.items[0]
      const before = await listed(runId)
      assert.deepEqual([before.startedBy.kind, before.startedBy.name], ['key', 'test'])
      assert.equal('rejected' in before, false)
      await me.call({ method: 'POST', path, json: { decision: 'reject' } })
      await ended(agent, runId)
      assert.equal((await listed(runId)).rejected, true)
      const view = await me.call({ path: `${consolePath}/runs/${runId}/view` })
      assert.deepEqual(
        [view.body.data.run.rejected, view.body.data.run.startedBy],
        [true, before.startedBy],
      )
      const { workflowId } = before
      const triggers = `${P}/workflows/${workflowId}/triggers`
      const settings = {
        name: 'Nightly',
        kind: 'SCHEDULE',
        cron: '0 3 * * 1',
        inputs: { draft: 'x' },
      }
      const made = await agent.call({ method: 'POST', path: triggers, json: settings })
      assert.equal(made.body.data.words, 'Every Monday at 03:00, UTC', made.text)
      const { triggerId } = made.body.data
      const fired = await agent.call({ method: 'POST', path: `${triggers}/${triggerId}/fire` })
      const byTrigger = await listed(fired.body.data.runId)
      assert.deepEqual(byTrigger.startedBy, { kind: 'trigger', id: triggerId, name: 'Nightly' })
    })

    test('a key that was given the right rejects; one that starts runs cannot', async () => {
      const { runId, wait } = await asked(approval({ mayEdit: true }))
      const call = {
        method: 'POST',
        path: `${P}/workflow-runs/${runId}/waits/${wait.waitId}`,
        json: { decision: 'reject', value: 'Goodbye' },
      }
      assert.equal((await agent.call(call)).body.error.code, 'INSUFFICIENT_SCOPE')
      const answered = await approver.call(call)
      assert.equal(answered.status, 200, answered.text)
      assert.equal(answered.body.data.answer.by.kind, 'key')
      assert.deepEqual((await ended(agent, runId)).outputs, { no: 'Goodbye', said: {} })
      const late = await me.call({
        method: 'POST',
        path: `${consolePath}/runs/${runId}/waits/${wait.waitId}`,
        json: { decision: 'approve' },
      })
      assert.equal(late.body.error.code, 'WAIT_ALREADY_ANSWERED')
      assert.match(late.body.error.message, /^test rejected this at 2/)
    })

    test('somebody without an account decides by a link, which is dead afterwards', async () => {
      const { runId, wait } = await asked(approval({ link: true }))
      const seen = await approver.call(`${P}/workflow-runs/${runId}`)
      const { url } = seen.body.data.waitingFor[0]
      assert.equal(wait.url, undefined, 'whoever only starts runs is not shown the link')
      const page = await fetch(url)
      const html = await page.text()
      assert.match(html, /Publish this\?[\s\S]*Hello/)
      const nonce = /name="nonce" value="([^"]+)"/.exec(html)?.[1] ?? ''
      const sent = await fetch(url, {
        method: 'POST',
        headers: { origin: server.url },
        body: new URLSearchParams({ nonce, decision: 'approve' }),
      })
      assert.match(await sent.text(), /Thank you/)
      assert.deepEqual((await ended(agent, runId)).outputs, { yes: 'Hello', said: {} })
      assert.equal((await fetch(url)).status, 410)
      const path = `${consolePath}/runs/${runId}/waits/${wait.waitId}`
      const { by, from } = (await me.call({ path })).body.data.answer
      assert.deepEqual([by.kind, from], ['link', '127.0.0.1'])
    })

    test('a machine answers at the address it was sent, signed with a stored secret', async () => {
      const secret = 'a-signing-secret-of-the-renderer'
      const credential = { name: `hook-${name}`, kind: 'bearer', secret, hosts: ['example.com'] }
      await me.call({ method: 'POST', path: `${consolePath}/credentials`, json: credential })
      // Renders something and reports to the address in its order, first with a wrong signature.
      const reported = Promise.withResolvers<number[]>()
      const renderer = createServer(async (request, response) => {
        const { callbackUrl } = JSON.parse(await text(request))
        response.end('{}')
        const body = '{"rendered":true}'
        const report = async (key: string) => {
          const signature = createHmac('sha256', key).update(body).digest('hex')
          const headers = { 'x-hub-signature-256': `sha256=${signature}` }
          return (await fetch(callbackUrl, { method: 'POST', body, headers })).status
        }
        reported.resolve([await report('wrong'), await report(secret), await report(secret)])
      })
      await new Promise<void>((resolve) => renderer.listen(0, '127.0.0.1', resolve))
      const url = `http://127.0.0.1:${(renderer.address() as AddressInfo).port}/render`
      try {
        const data = {
          request: { method: 'POST', url },
          verify: { method: 'github', credentials: [credential.name] },
        }
        const rendering = graph(
          [
            { id: 'scene', type: 'input.text' },
            { id: 'render', type: 'wait.callback', data },
            { id: 'out', type: 'output' },
          ],
          ['scene -> render.value', 'render.body -> out'],
        )
        const runId = await started(agent, await addWorkflow(agent, rendering), {
          inputs: { scene: 'a forest' },
        })
        const { status, outputs } = await ended(agent, runId)
        assert.deepEqual([status, outputs], ['COMPLETED', { out: { rendered: true } }])
        assert.deepEqual(await reported.promise, [401, 200, 200])
      } finally {
        renderer.close()
      }
    })

    const retry = async (runId: string) => {
      const answer = await agent.call({
        method: 'POST',
        path: `${P}/workflow-runs/${runId}/retry`,
        headers: { 'idempotency-key': randomUUID() },
        json: {},
      })
      assert.equal(answer.status, 202, answer.text)
      return answer.body.data.runId as string
    }
    const approve = (runId: string, waitId: string, change: object = {}) =>
      approver.call({
        method: 'POST',
        path: `${P}/workflow-runs/${runId}/waits/${waitId}`,
        json: { decision: 'approve', ...change },
      })
    /** Nobody answers there. */
    const failing = (id: string) => ({
      ...{ id, type: 'http.request' },
      data: { method: 'POST', url: 'http://127.0.0.1:9/' },
    })

    test('a retry asks again what nobody decided in time, also another system', async () => {
      const orders: string[] = []
      const renderer = createServer(async (request, response) => {
        orders.push(JSON.parse(await text(request)).callbackUrl)
        response.end('{}')
      })
      await new Promise<void>((resolve) => renderer.listen(0, '127.0.0.1', resolve))
      const url = `http://127.0.0.1:${(renderer.address() as AddressInfo).port}/render`
      try {
        const asking = graph(
          [
            { id: 'draft', type: 'input.text' },
            { id: 'ask', type: 'wait.approval', data: { title: 'Ok?', expiresAfterSeconds: 1 } },
            {
              ...{ id: 'render', type: 'wait.callback' },
              data: { request: { method: 'POST', url }, expiresAfterSeconds: 1 },
            },
            ...[failing('late'), failing('later'), { id: 'out', type: 'output' }],
          ],
          [
            ...['draft -> ask.value', 'draft -> render.value', 'ask.expired -> late.body'],
            ...['render.expired -> later.body', 'render.body -> out'],
          ],
        )
        const inputs = { draft: 'Hello' }
        const runId = await started(agent, await addWorkflow(agent, asking), { inputs })
        assert.equal((await ended(agent, runId)).status, 'FAILED')
        const again = await retry(runId)
        const { waitingFor } = await until(agent, again, (run) => run.waitingFor?.length === 2)
        const kinds = waitingFor.map((wait: Body) => wait.kind).sort()
        assert.deepEqual(kinds, ['APPROVAL', 'CALLBACK'])
        await until(agent, again, () => orders.length === 2)
        assert.notEqual(orders[0], orders[1], 'the new order names the new wait')
      } finally {
        renderer.close()
      }
    })

    test('a retry takes an answer about the same picture again, and its media can be read', async () => {
      const png = `data:image/png;base64,${pixel}`
      const picture = graph(
        [
          ...[{ id: 'picture', type: 'input.image' }, failing('post')],
          { id: 'ask', type: 'wait.approval', data: { title: 'This one?', mayEdit: true } },
          ...[{ id: 'out', type: 'output' }],
        ],
        ['picture -> ask.value', 'ask.approved -> out', 'ask.response -> post.body'],
      )
      const runId = await started(agent, await addWorkflow(agent, picture), {
        inputs: { picture: png },
      })
      const { waitingFor } = await until(agent, runId, (run) => run.waitingFor?.length > 0)
      const [{ waitId }] = waitingFor
      const path = `${P}/workflow-runs/${runId}/waits/${waitId}`
      const json = { decision: 'approve', value: 'a sunset' }
      const odd = await approver.call({ method: 'POST', path, json })
      assert.equal(odd.body.error.code, 'ANSWER_INVALID')
      assert.match(odd.body.error.message, /\/value must be an http\(s\) address/)
      const answered = await approve(runId, waitId)
      assert.equal(answered.status, 200, answered.text)
      assert.equal((await ended(agent, runId)).status, 'FAILED')
      const again = await ended(agent, await retry(runId))
      assert.equal(again.status, 'FAILED')
      assert.equal(again.nodes.find((node: Body) => node.nodeId === 'ask').status, 'COMPLETED')
      const node = await agent.call(`${P}/workflow-runs/${again.runId}/nodes/ask`)
      const { url } = node.body.data.outputs.approved
      assert.equal((await fetch(url)).status, 200)
    })

    test('a picture in place of another is read before the decision counts', async () => {
      const film = `data:video/mp4;base64,${pixel}`
      const other = Buffer.from(png({ width: 3, height: 2 }))
      let served = 0
      const host = createServer((request, response) => {
        served++
        if (request.url !== '/good.png') return void response.end('<p>no picture</p>')
        response.setHeader('content-type', 'image/png').end(other)
      })
      await new Promise<void>((resolve) => host.listen(0, '127.0.0.1', resolve))
      const at = `http://127.0.0.1:${(host.address() as AddressInfo).port}`
      const picture = graph(
        [
          { id: 'picture', type: 'input.image' },
          { id: 'ask', type: 'wait.approval', data: { title: 'This one?', mayEdit: true } },
          { id: 'out', type: 'output' },
        ],
        ['picture -> ask.value', 'ask.approved -> out'],
      )
      const runId = await started(agent, await addWorkflow(agent, picture), {
        inputs: { picture: `data:image/png;base64,${pixel}` },
      })
      const { waitingFor } = await until(agent, runId, (run) => run.waitingFor?.length > 0)
      const [{ waitId }] = waitingFor
      try {
        for (const value of [
          `${at}/page.html`,
          'http://127.0.0.1:9/nobody.png',
          'http://10.0.0.1/private.png',
          `${server.url}/media/${randomUUID()}?exp=1&sig=x`,
          'data:image/png;base64,AAAA',
          film,
        ]) {
          const refused = await approve(runId, waitId, { value })
          assert.deepEqual([refused.status, refused.body.error.code], [422, 'ANSWER_INVALID'])
          assert.equal(refused.body.error.details.issues[0].path, '/value', value)
        }
        const open = await readRun(agent, runId)
        assert.deepEqual([open.status, open.waitingFor[0].waitId], ['RUNNING', waitId])
        served = 0
        const answered = await approve(runId, waitId, { value: `${at}/good.png` })
        assert.equal(answered.status, 200, answered.text)
        const replay = await approve(runId, waitId, { value: `${at}/good.png` })
        assert.deepEqual([replay.body.data.idempotentReplay, served], [true, 1])
        assert.equal(replay.body.data.answer.value.mimeType, 'image/png')
        assert.equal((await approve(runId, waitId, { value: film })).status, 409)
      } finally {
        host.close()
      }
      const { status, outputs } = await ended(agent, runId)
      assert.equal(status, 'COMPLETED')
      const { url, width } = outputs.out
      assert.equal(width, 3)
      assert.deepEqual(Buffer.from(await (await fetch(url)).arrayBuffer()), other)
    })

    test('a cancelled run takes no answer, and its waits are closed', async () => {
      const { runId, wait } = await asked(approval())
      await agent.call({ method: 'POST', path: `${P}/workflow-runs/${runId}/cancel`, json: {} })
      assert.equal((await ended(agent, runId)).status, 'CANCELLED')
      const answer = await approver.call({
        method: 'POST',
        path: `${P}/workflow-runs/${runId}/waits/${wait.waitId}`,
        json: { decision: 'approve' },
      })
      assert.equal(answer.body.error.code, 'WAIT_CANCELLED')
    })
  })
}
