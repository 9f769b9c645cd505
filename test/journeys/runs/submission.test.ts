import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, before, describe, test } from 'node:test'
import { type Answer, P } from '../../support/server.ts'
import { assertFailure, type Bench, openBench } from '../generation/setting.ts'
import { addWorkflow, ended, graph, readRun, started, submit } from './setting.ts'

const data = graph(
  [
    { id: 'a', type: 'input.text' },
    { id: 'n', type: 'input.number', data: { required: false, maximum: 5 } },
    { id: 'o', type: 'output' },
  ],
  ['a -> o'],
)
const good = { inputs: { a: 'x' } }

/** A local host that answers only when it is released. */
async function holdingHost() {
  const asked = Promise.withResolvers<void>()
  const held = Promise.withResolvers<void>()
  const server = createServer((_request, response) => {
    asked.resolve()
    void held.promise.then(() => response.end('now'))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}/`,
    asked: asked.promise,
    answer: held.resolve,
    close: () => server.close(),
  }
}

/** On a busy machine the first may be undecided for two seconds; a duplicate may then be refused. */
async function submitPatiently(bench: Bench, workflowId: number, key: string): Promise<Answer> {
  const sentAtMs = performance.now()
  const answer = await submit(bench, workflowId, good, { key })
  if (answer.body.error?.code !== 'IDEMPOTENCY_IN_PROGRESS') return answer
  assert.ok(performance.now() - sentAtMs >= 2_000, 'refused too early')
  return submitPatiently(bench, workflowId, key)
}

for (const database of ['sqlite', 'postgres'] as const) {
  describe(database, () => {
    let bench: Bench
    let workflowId: number
    const closing: (() => unknown)[] = []
    before(async () => {
      const t = { after: (close: () => unknown) => void closing.push(close) }
      bench = await openBench(t as never, { database, env: { OUTBOUND_ALLOW: '127.0.0.1/32' } })
      workflowId = await addWorkflow(bench, data)
    })
    after(async () => {
      for (const close of closing) await close()
    })
    const path = () => `${P}/workflows/${workflowId}/runs`
    const send = (
      headers: Record<string, string | string[]>,
      json: unknown = good,
    ): Promise<Answer> => bench.call({ method: 'POST', path: path(), headers, json })

    test('a new key answers 202 with the address of the run', async () => {
      const { status, headers, body } = await submit(bench, workflowId, good)
      assert.equal(status, 202)
      assert.equal(headers.location, `${P}/workflow-runs/${body.data.runId}`)
      assert.equal(headers['retry-after'], '1')
      assert.equal(body.data.idempotentReplay, false)
      assert.equal(body.data.status, 'QUEUED')
      const done = await ended(bench, body.data.runId)
      assert.deepEqual(done.outputs, { o: 'x' })
      assert.equal(done.retryAfterSeconds, 0)
    })

    test('the same key and content gives the same run, in any state, whatever became of the graph', async () => {
      const key = randomUUID()
      const id = await addWorkflow(bench, data)
      const first = await submit(bench, id, { ...good, metadata: { b: 1, a: 2 } }, { key })
      const { runId } = first.body.data
      await ended(bench, runId)
      const changed = { name: 'w', data: graph([]) }
      await bench.call({ method: 'PUT', path: `${P}/workflows/${id}`, json: changed })
      const again = await submit(
        bench,
        id,
        { metadata: { a: 2, b: 1 }, ...good },
        { key: `"${key}"` },
      )
      assert.equal(again.status, 200)
      assert.equal(again.headers['idempotent-replayed'], 'true')
      assert.equal(again.headers.location, first.headers.location)
      assert.deepEqual(
        [again.body.data.runId, again.body.data.status, again.body.data.idempotentReplay],
        [runId, 'COMPLETED', true],
      )
    })

    test('a key still finds its run after the workflow was deleted', async () => {
      const key = randomUUID()
      const id = await addWorkflow(bench, data)
      const { runId } = (await submit(bench, id, good, { key })).body.data
      await bench.call({ method: 'DELETE', path: `${P}/workflows/${id}` })
      const again = await submit(bench, id, good, { key })
      assert.deepEqual(
        [again.status, again.body.data.runId, again.headers['idempotent-replayed']],
        [200, runId, 'true'],
      )
      assertFailure(await submit(bench, id, {}, { key }), 409, 'IDEMPOTENCY_KEY_REUSED')
      assertFailure(await submit(bench, id, good), 404, 'WORKFLOW_NOT_FOUND')
    })

    test('the same key with other content is refused and names the run', async () => {
      const key = randomUUID()
      const { body } = await submit(bench, workflowId, good, { key })
      for (const other of [
        { inputs: { a: 'y' } },
        { ...good, metadata: { a: 1 } },
        { ...good, callbackUrl: 'https://example.com/' },
        { ...good, maxCost: 1 },
        {},
      ]) {
        const error = assertFailure(
          await submit(bench, workflowId, other, { key }),
          409,
          'IDEMPOTENCY_KEY_REUSED',
        )
        assert.equal(error.details.runId, body.data.runId)
        assert.equal(error.retryable, false)
      }
    })

    test('one key may serve two workflows', async () => {
      const key = randomUUID()
      const other = await addWorkflow(bench, data)
      assert.equal((await submit(bench, workflowId, good, { key })).status, 202)
      assert.equal((await submit(bench, other, good, { key })).status, 202)
    })

    test('32 duplicates at once give one 202 and 31 replays of one run', async () => {
      const key = randomUUID()
      const answers = await Promise.all(
        Array.from({ length: 32 }, () => submitPatiently(bench, workflowId, key)),
      )
      const statuses = answers.map(({ status }) => status).sort()
      assert.deepEqual(statuses, [...Array(31).fill(200), 202])
      assert.equal(new Set(answers.map(({ body }) => body.data.runId)).size, 1)
    })

    test('of different contents with one key at once, one is accepted and named to the others', async () => {
      const key = randomUUID()
      const answers = await Promise.all(
        Array.from({ length: 8 }, (_, n) =>
          submit(bench, workflowId, { inputs: { a: `${n}` } }, { key }),
        ),
      )
      const accepted = answers.filter(({ status }) => status === 202)
      assert.equal(accepted.length, 1)
      const runId = accepted[0]?.body.data.runId
      for (const { status, body } of answers) {
        if (status === 202) continue
        assert.deepEqual([status, body.error.code], [409, 'IDEMPOTENCY_KEY_REUSED'])
        assert.equal(body.error.details.runId, runId)
      }
    })

    test('32 keys at once give 32 runs, each once in the list, newest first', async () => {
      const id = await addWorkflow(bench, data)
      const answers = await Promise.all(Array.from({ length: 32 }, () => submit(bench, id, good)))
      const ids = new Set(answers.map(({ body }) => body.data.runId))
      assert.equal(ids.size, 32)
      const { body } = await bench.call(`${P}/workflows/${id}/runs?size=20`)
      assert.deepEqual([body.data.total, body.data.totalPages, body.data.items.length], [32, 2, 20])
      const rest = await bench.call(`${P}/workflows/${id}/runs?size=20&page=2`)
      const listed = [...body.data.items, ...rest.body.data.items]
      assert.deepEqual(new Set(listed.map((run) => run.runId)), ids)
      const times = listed.map((run) => run.createdAt)
      assert.deepEqual(times, [...times].sort().reverse())
      assert.equal('outputs' in listed[0] || 'nodes' in listed[0], false)
    })

    test('the header rules', async () => {
      assertFailure(await send({}), 400, 'IDEMPOTENCY_KEY_REQUIRED')
      assertFailure(
        await send({}, { ...good, idempotencyKey: 'k' }),
        400,
        'IDEMPOTENCY_KEY_REQUIRED',
      )
      assertFailure(await send({ 'idempotency-key': '' }), 400, 'IDEMPOTENCY_KEY_REQUIRED')
      assertFailure(await send({ 'idempotency-key': '""' }), 400, 'IDEMPOTENCY_KEY_REQUIRED')
      assertFailure(
        await send({ 'idempotency-key': 'x'.repeat(129) }),
        400,
        'IDEMPOTENCY_KEY_INVALID',
      )
      assertFailure(await send({ 'idempotency-key': 'caf\u00e9' }), 400, 'IDEMPOTENCY_KEY_INVALID')
      assertFailure(await send({ 'idempotency-key': ['a', 'a'] }), 400, 'IDEMPOTENCY_KEY_INVALID')
      assertFailure(
        await send({ 'idempotency-key': 'k1' }, { ...good, idempotencyKey: 'k2' }),
        400,
        'IDEMPOTENCY_KEY_MISMATCH',
      )
      assert.equal((await send({ 'idempotency-key': 'x'.repeat(128) })).status, 202)
    })

    test('headers are checked before the body, the body before the workflow, that before the rest', async () => {
      assertFailure(await send({}, { nonsense: 1 }), 400, 'IDEMPOTENCY_KEY_REQUIRED')
      const nowhere = { path: `${P}/workflows/4000000000/runs` }
      assertFailure(await submit(bench, 0, { nonsense: 1 }, nowhere), 422, 'INPUT_INVALID')
      assertFailure(await submit(bench, 0, { inputs: {} }, nowhere), 404, 'WORKFLOW_NOT_FOUND')
      const key = randomUUID()
      await submit(bench, workflowId, good, { key })
      const broken = { inputs: { a: 7 }, callbackUrl: 'http://10.0.0.1/' }
      assertFailure(await submit(bench, workflowId, broken, { key }), 409, 'IDEMPOTENCY_KEY_REUSED')
    })

    test('inputs are checked against the schema, and a refused submission binds nothing', async () => {
      const key = randomUUID()
      for (const inputs of [{}, { a: 7 }, { a: 'x', n: 6 }, { a: 'x', z: 1 }]) {
        const error = assertFailure(
          await submit(bench, workflowId, { inputs }, { key }),
          422,
          'INPUT_INVALID',
        )
        assert.match(error.details.issues[0].path, /^\/inputs\//)
      }
      assert.equal((await submit(bench, workflowId, good, { key })).status, 202)
    })

    test('metadata is returned as sent; too much of it is refused', async () => {
      const metadata = { text: 'ü\u0000', deep: { a: [1, null] } }
      const runId = await started(bench, workflowId, { ...good, metadata })
      assert.deepEqual((await readRun(bench, runId)).metadata, metadata)
      const many = Object.fromEntries(Array.from({ length: 101 }, (_, i) => [`k${i}`, 1]))
      for (const bad of [many, { ['k'.repeat(65)]: 1 }, { a: 'x'.repeat(16 * 1024) }]) {
        assertFailure(
          await submit(bench, workflowId, { ...good, metadata: bad }),
          422,
          'INPUT_INVALID',
        )
      }
    })

    const refusedCallbacks: [url: string, reason: string][] = [
      ['', 'SYNTAX'],
      ['not an address', 'SYNTAX'],
      [`https://example.com/${'x'.repeat(2048)}`, 'SYNTAX'],
      // As it is stored and sent, it has more than 2048 characters.
      [`https://example.com/${'ü'.repeat(1000)}`, 'SYNTAX'],
      ['mailto:a@example.com', 'SCHEME'],
      ['https://a:b@example.com/', 'USERINFO'],
      ['https://example.com:22/', 'PORT'],
      ['https://printer/', 'HOST'],
      ['http://10.0.0.1/hook', 'ADDRESS'],
      ['http://１０.０.０.１/hook', 'ADDRESS'],
      ['http://0xa000001/hook', 'ADDRESS'],
    ]
    test('a callback address that is not public is refused with the reason, whatever string it is', async () => {
      for (const operation of ['runs', 'estimate']) {
        const path = `${P}/workflows/${workflowId}/${operation}`
        for (const [callbackUrl, reason] of refusedCallbacks) {
          const answer = await submit(bench, workflowId, { ...good, callbackUrl }, { path })
          const { details } = assertFailure(answer, 422, 'CALLBACK_URL_REJECTED')
          assert.equal(details.reason, reason, `${operation} ${callbackUrl.slice(0, 40)}`)
        }
      }
    })

    test('a callback address is read as browsers read it', async () => {
      const written = {
        'https://bücher.example/größe?q=1': 'https://xn--bcher-kva.example/gr%C3%B6%C3%9Fe',
        'http://１２７.０.０.１:1025/hook': 'http://127.0.0.1:1025/hook',
        ' HTTPS://Example.COM/a\u0000b c ': 'https://example.com/a%00b%20c',
      }
      for (const [callbackUrl, url] of Object.entries(written)) {
        const runId = await started(bench, workflowId, { ...good, callbackUrl })
        assert.equal((await readRun(bench, runId)).callback.url, url)
      }
    })

    test('a run shows its callback without the query', async () => {
      const callbackUrl = 'http://127.0.0.1:1025/hook?token=secret'
      const { callback } = await readRun(
        bench,
        await started(bench, workflowId, { ...good, callbackUrl }),
      )
      assert.equal(callback.url, 'http://127.0.0.1:1025/hook')
      assert.equal(callback.status, 'PENDING')
    })

    test('a run survives the change and the deletion of its workflow, and of those it calls', async (t) => {
      const host = await holdingHost()
      t.after(() => host.close())
      const inner = await addWorkflow(bench, data)
      const outer = await addWorkflow(
        bench,
        graph(
          [
            { id: 'in', type: 'input.text' },
            { id: 'wait', type: 'http.request', data: { url: host.url } },
            { id: 'both', type: 'flow.merge', data: { mode: 'list' } },
            { id: 'first', type: 'json.transform', data: { expression: '$[0]' } },
            { id: 'call', type: 'workflow.call', data: { workflowId: inner } },
            { id: 'out', type: 'output' },
          ],
          ['in -> both', 'wait -> both', 'both -> first', 'first -> call.a', 'call -> out'],
        ),
      )
      const runId = await started(bench, outer, { inputs: { in: 'kept' } })
      await host.asked
      await Promise.all(
        [inner, outer].map((id) => bench.call({ method: 'DELETE', path: `${P}/workflows/${id}` })),
      )
      host.answer()
      const run = await ended(bench, runId)
      assert.deepEqual(
        [run.status, run.outputs],
        ['COMPLETED', { out: 'kept' }],
        JSON.stringify(run.nodeErrors),
      )
      assertFailure(await bench.call(`${P}/workflows/${outer}/runs`), 404, 'WORKFLOW_NOT_FOUND')
    })

    test('an unknown run is not found', async () => {
      const id = '00000000-0000-7000-8000-000000000000'
      assertFailure(await bench.call(`${P}/workflow-runs/${id}`), 404, 'RUN_NOT_FOUND')
      const cancel = { method: 'POST', path: `${P}/workflow-runs/${id}/cancel` }
      assertFailure(await bench.call(cancel), 404, 'RUN_NOT_FOUND')
    })
  })
}
