// What readers are told of a long value whose blob was lost, as after a damaged disk.
import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { readdir, readFile, rm } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { test } from 'node:test'
import { consolePath, signUp } from '../../support/console.ts'
import { P, startServer } from '../../support/server.ts'
import { callerOf } from '../triggers/hook-setting.ts'
import { addWorkflow, ended, graph, started } from './setting.ts'

const long = 'long '.repeat(40_000)

/** Deletes every stored blob that holds the text. */
async function lose(dataDir: string, text: string) {
  const entries = await readdir(join(dataDir, 'media'), { recursive: true, withFileTypes: true })
  let lost = 0
  for (const entry of entries) {
    const path = join(entry.parentPath, entry.name)
    if (!entry.isFile() || !(await readFile(path, 'utf8')).includes(text)) continue
    await rm(path)
    lost++
  }
  assert.notEqual(lost, 0)
}

async function open(env: Record<string, string> = {}) {
  const server = await startServer({ SIGN_UP: 'open', ...env })
  const person = await signUp(server)
  const api = callerOf(server, await person.newKey())
  return { server, person, api, [Symbol.asyncDispose]: () => server.stop() }
}

test('a run whose long value was lost is not found, instead of an error to be tried again', async () => {
  await using on = await open()
  const workflowId = await addWorkflow(
    on.api,
    graph(
      [
        { id: 'in', type: 'input.json' },
        { id: 'out', type: 'output' },
      ],
      ['in -> out'],
    ),
  )
  const inputs = { in: { text: long } }
  const { runId } = await ended(on.api, await started(on.api, workflowId, { inputs }))
  await lose(on.server.dataDir, long)
  const { status, body } = await on.api.call(`${P}/workflow-runs/${runId}`)
  assert.deepEqual([status, body.error?.code], [404, 'RECORD_NOT_FOUND'])
  assert.equal(body.error.retryable, false)
  assert.match(body.error.message, /value/)
  const view = await on.person.call({ path: `${consolePath}/runs/${runId}/view` })
  assert.deepEqual([view.status, view.body.error.code], [404, 'RECORD_NOT_FOUND'])
  for (const list of ['/runs', '/usage/estimates']) {
    const shown = await on.person.call({ path: consolePath + list })
    assert.equal(shown.status, 200, shown.text)
  }
})

test('the list of runs shows a run whose long answer was lost', async () => {
  await using on = await open()
  const workflowId = await addWorkflow(
    on.api,
    graph(
      [
        { id: 'in', type: 'input.text' },
        { id: 'ok', type: 'wait.approval', data: { title: 'Good?', mayEdit: true } },
        { id: 'out', type: 'output' },
      ],
      ['in -> ok', 'ok.approved -> out'],
    ),
  )
  const runId = await started(on.api, workflowId, { inputs: { in: 'short' } })
  const openNow = async () =>
    (await on.person.call({ path: `${consolePath}/waits` })).body.data.items
  let waits = await openNow()
  while (waits.length === 0) waits = await openNow()
  const json = { decision: 'approve', value: long }
  const path = `${consolePath}/runs/${runId}/waits/${waits[0].waitId}`
  const answered = await on.person.call({ method: 'POST', path, json })
  assert.equal(answered.status, 200, answered.text.slice(0, 500))
  await ended(on.api, runId)
  await lose(on.server.dataDir, '"decision"')
  const { status, body, text } = await on.person.call({ path: `${consolePath}/runs` })
  assert.equal(status, 200, text)
  assert.equal(body.data.items[0].runId, runId)
})

test('a retry makes again what the lost answer of a call held, as with lost media', async () => {
  const asked = new Map<string, number>()
  let isOpen = false
  const host = createServer((request, response) => {
    const path = request.url ?? ''
    asked.set(path, (asked.get(path) ?? 0) + 1)
    response.writeHead(path === '/gate' && !isOpen ? 400 : 200, { 'content-type': 'text/plain' })
    response.end(long)
  })
  host.listen(0, '127.0.0.1')
  await once(host, 'listening')
  await using _ = { [Symbol.asyncDispose]: async () => void host.close() }
  const url = `http://127.0.0.1:${(host.address() as AddressInfo).port}`
  await using on = await open({ OUTBOUND_ALLOW: '127.0.0.1/32' })
  const workflowId = await addWorkflow(
    on.api,
    graph(
      [
        { id: 'ask', type: 'http.request', data: { url: `${url}/ask` } },
        { id: 'gate', type: 'http.request', data: { url: `${url}/gate`, method: 'POST' } },
        { id: 'out', type: 'output' },
      ],
      ['ask.body -> gate.body', 'gate.status -> out'],
    ),
  )
  const failed = await ended(on.api, await started(on.api, workflowId))
  assert.equal(failed.status, 'FAILED')
  await lose(on.server.dataDir, long)
  isOpen = true
  const again = await on.api.call({
    ...{ method: 'POST', path: `${P}/workflow-runs/${failed.runId}/retry` },
    headers: { 'idempotency-key': randomUUID() },
  })
  assert.equal(again.status, 202, again.text)
  const run = await ended(on.api, again.body.data.runId)
  assert.deepEqual([run.status, asked.get('/ask')], ['COMPLETED', 2], JSON.stringify(run))
})
