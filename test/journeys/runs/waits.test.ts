// Runs that wait for somebody: asked over HTTP, answered by people, programs and links, and woken.
import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { after, before, describe, test } from 'node:test'
import { consolePath, type Person, signUp } from '../../support/console.ts'
import { databases, type TestDatabase } from '../../support/databases.ts'
import { type Body, P, startServer, type TestServer } from '../../support/server.ts'
import { addWorkflow, type Caller, ended, graph, started, until } from './setting.ts'

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
