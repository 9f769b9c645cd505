import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { test } from 'node:test'
import { ended, graph, started } from '../../journeys/runs/setting.ts'
import { type Body, P } from '../../support/server.ts'
import { addWorkflow, at, dataOf, onBothDatabases, refusedAs } from './setting.ts'

/** A graph that answers one word. */
const says = (word: string) =>
  graph(
    [
      { id: 'word', type: 'text.template', data: { template: word } },
      { id: 'out', type: 'output' },
    ],
    ['word -> out'],
  )

const halfBuilt = { nodes: [{ id: 'x', type: 'no.such.type' }, 'not even a node'], zoom: { x: 1 } }

onBothDatabases('drafts', (on) => {
  const put = (id: string, json: object, headers: Record<string, string> = {}) =>
    at(on.owner, `/drafts/${id}`, { method: 'PUT', json, headers })

  test('a graph that is not valid is kept as it was sent, and its revision counts', async () => {
    const id = randomUUID()
    const first = await put(id, { name: ' New ', data: halfBuilt })
    assert.equal(first.status, 200, first.text)
    assert.equal(first.headers.etag, '"v1"')
    assert.deepEqual([first.body.data.name, first.body.data.revision], ['New', 1])
    const second = await put(
      id,
      { name: 'New', data: { nodes: [] }, workflowId: 7, baseVersion: 3, canvasScale: 0.5 },
      { 'if-match': '"v1"' },
    )
    assert.equal(second.body.data.revision, 2)
    const read = await at(on.owner, `/drafts/${id.toUpperCase()}`)
    assert.equal(read.headers.etag, '"v2"')
    const { data, workflowId, baseVersion, canvasScale } = read.body.data
    assert.deepEqual([data, workflowId, baseVersion, canvasScale], [{ nodes: [] }, 7, 3, 0.5])
  })

  test('pinned results are kept with the draft, and end with it', async () => {
    const id = randomUUID()
    const pins = { draw: randomUUID() as string }
    const pinned = { name: 'a', data: { n: 1 }, pins }
    await put(id, pinned)
    assert.deepEqual((await dataOf(on.owner, `/drafts/${id}`)).pins, pins)
    const again = await put(id, pinned, { 'if-match': '"v1"' })
    assert.equal(again.body.data.revision, 1, 'the same is not written again')
    const other = { draw: randomUUID() as string }
    const moved = await put(id, { ...pinned, pins: other }, { 'if-match': '"v1"' })
    assert.equal(moved.body.data.revision, 2)
    assert.deepEqual((await dataOf(on.owner, `/drafts/${id}`)).pins, other)
    refusedAs(await put(id, pinned, { 'if-match': '"v1"' }), 412, 'PRECONDITION_FAILED')
    await put(id, { name: 'a', data: { n: 1 } }, { 'if-match': '"v2"' })
    assert.deepEqual((await dataOf(on.owner, `/drafts/${id}`)).pins, {})
    const odd = { ...pinned, pins: { draw: 'yesterday' } }
    refusedAs(await put(id, odd), 400, 'INVALID_REQUEST')
  })

  test('a change that builds on another revision is refused, and nothing is overwritten', async () => {
    const id = randomUUID()
    await put(id, { name: 'a', data: { by: 'me' } })
    await put(id, { name: 'a', data: { by: 'other tab' } }, { 'if-match': '"v1"' })
    const late = await put(id, { name: 'a', data: { by: 'me again' } }, { 'if-match': '"v1"' })
    refusedAs(late, 412, 'PRECONDITION_FAILED')
    assert.deepEqual(late.body.error.details, { currentRevision: 2 })
    refusedAs(
      await put(id, { name: 'a', data: {} }, { 'if-none-match': '*' }),
      412,
      'PRECONDITION_FAILED',
    )
    const unknown = await put(randomUUID(), { name: 'a', data: {} }, { 'if-match': '"v1"' })
    refusedAs(unknown, 412, 'PRECONDITION_FAILED')
    assert.deepEqual((await dataOf(on.owner, `/drafts/${id}`)).data, { by: 'other tab' })
  })

  test('a change whose answer was lost may be sent again', async () => {
    const id = randomUUID()
    await put(id, { name: 'a', data: { n: 1 } })
    const change = { name: 'a', data: { n: 2 } }
    for (const _ of [1, 2]) {
      const answer = await put(id, change, { 'if-match': '"v1"' })
      assert.deepEqual([answer.status, answer.body.data?.revision], [200, 2], answer.text)
    }
  })

  test('they are listed without their graphs, changed last first, and deleted for good', async () => {
    const [a, b] = [randomUUID() as string, randomUUID() as string]
    await put(a, { name: 'a', data: {} })
    await put(b, { name: 'b', data: {} })
    await put(a, { name: 'a2', data: {} })
    const { items } = await dataOf(on.owner, '/drafts')
    const mine = items.filter((draft: { draftId: string }) => [a, b].includes(draft.draftId))
    assert.equal(mine.length, 2)
    assert.ok(mine[0].updatedAt >= mine[1].updatedAt)
    assert.ok(!('data' in mine[0]))
    const remove = (headers = {}) => at(on.owner, `/drafts/${a}`, { method: 'DELETE', headers })
    refusedAs(await remove({ 'if-match': '"v1"' }), 412, 'PRECONDITION_FAILED')
    assert.equal((await remove({ 'if-match': '"v2"' })).status, 200)
    refusedAs(await remove(), 404, 'DRAFT_NOT_FOUND')
    refusedAs(await at(on.owner, `/drafts/${a}`), 404, 'DRAFT_NOT_FOUND')
  })

  test("another account's draft is not there, and its id is free", async () => {
    const id = randomUUID()
    await put(id, { name: 'mine', data: { secret: 1 } })
    refusedAs(await at(on.stranger, `/drafts/${id}`), 404, 'DRAFT_NOT_FOUND')
    const remove = await at(on.stranger, `/drafts/${id}`, { method: 'DELETE' })
    refusedAs(remove, 404, 'DRAFT_NOT_FOUND')
    const theirs = { method: 'PUT', json: { name: 'theirs', data: {} } }
    assert.equal((await at(on.stranger, `/drafts/${id}`, theirs)).body.data.revision, 1)
    assert.deepEqual((await dataOf(on.owner, `/drafts/${id}`)).data, { secret: 1 })
    assert.equal((await dataOf(on.stranger, '/drafts')).items.length, 1)
  })

  test('a draft runs as it is, its workflow stays as it was, and the run says so', async () => {
    const caller = { call: on.api }
    const workflowId = await addWorkflow(on, says('saved'))
    const draftId = randomUUID()
    const keep = (word: string, revision: number) =>
      put(draftId, { name: 'w', data: says(word), workflowId, baseVersion: 1 }).then((answer) =>
        assert.equal(answer.body.data.revision, revision),
      )
    const run = async (revision: number) =>
      ended(caller, await started(caller, workflowId, { draft: { draftId, revision } }))
    await keep('first', 1)
    const first = await run(1)
    assert.deepEqual([first.outputs.out, first.isDraft, first.workflowVersion], ['first', true, 1])
    await keep('second', 2)
    assert.deepEqual((await run(2)).outputs, { out: 'second' })
    const view = await dataOf(on.owner, `/runs/${first.runId}/view`)
    assert.deepEqual([view.graph, view.run.isDraft], [says('first'), true])

    const saved = await ended(caller, await started(caller, workflowId))
    assert.deepEqual([saved.outputs.out, 'isDraft' in saved], ['saved', false])
    const versions = await dataOf(on.owner, `/workflows/${workflowId}/versions`)
    assert.deepEqual(
      versions.items.map(({ version, runs }: Body) => [version, runs]),
      [[1, 1]],
    )
    // A failed run of a draft is retried as it ran, whatever became of the draft.
    await at(on.owner, `/drafts/${draftId}`, { method: 'DELETE' })
    assert.deepEqual((await dataOf(on.owner, `/runs/${first.runId}/view`)).graph, says('first'))
  })

  test('an estimate of a draft is that of the draft', async () => {
    const workflowId = await addWorkflow(on, says('saved'))
    const [draftId, revision] = [randomUUID(), 1]
    const nodes = [{ id: 'picture', type: 'image.generate', data: { model: 'demo-image' } }]
    const topic = { id: 'topic', type: 'input.text', data: { default: 'tea' } }
    const connections = [{ source: 'topic', target: 'picture', targetHandle: 'prompt' }]
    await put(draftId, { name: 'w', data: { nodes: [topic, ...nodes], connections }, workflowId })
    const estimate = (json: object) =>
      on.api({ method: 'POST', path: `${P}/workflows/${workflowId}/estimate`, json })
    const ids = ({ body }: { body: Body }) =>
      body.data.nodeEstimates.map(({ nodeId }: Body) => nodeId)
    assert.deepEqual(ids(await estimate({ draft: { draftId, revision } })), ['topic', 'picture'])
    assert.deepEqual(
      ids(await estimate({})),
      says('saved').nodes.map(({ id }) => id),
    )
    const late = await estimate({ draft: { draftId, revision: 2 } })
    refusedAs(late, 412, 'PRECONDITION_FAILED')
    const other = await addWorkflow(on, says('other'))
    const path = `${P}/workflows/${other}/estimate`
    const json = { draft: { draftId, revision } }
    refusedAs(await on.api({ method: 'POST', path, json }), 404, 'DRAFT_NOT_FOUND')
  })

  test('a draft that changed, is broken or belongs elsewhere is not run', async () => {
    const workflowId = await addWorkflow(on, says('saved'))
    const other = await addWorkflow(on, says('other'))
    const draftId = randomUUID()
    await put(draftId, { name: 'w', data: says('mine'), workflowId })
    const key = randomUUID()
    const run = (id: number, revision: number, idempotencyKey: string = randomUUID()) =>
      on.api({
        method: 'POST',
        path: `${P}/workflows/${id}/runs`,
        json: { draft: { draftId, revision } },
        headers: { 'idempotency-key': idempotencyKey },
      })
    const first = await run(workflowId, 1, key)
    assert.equal(first.status, 202, first.text)
    refusedAs(await run(other, 1), 404, 'DRAFT_NOT_FOUND')
    const late = await run(workflowId, 2)
    refusedAs(late, 412, 'PRECONDITION_FAILED')
    assert.deepEqual(late.body.error.details, { currentRevision: 1 })
    await put(draftId, { name: 'w', data: halfBuilt, workflowId })
    refusedAs(await run(workflowId, 2), 422, 'WORKFLOW_INVALID')
    // The answer to the first submission may have been lost.
    const again = await run(workflowId, 1, key)
    assert.deepEqual([again.status, again.body.data.runId], [200, first.body.data.runId])
    refusedAs(await run(workflowId, 2, key), 409, 'IDEMPOTENCY_KEY_REUSED')
    const stranger = await on.stranger.newKey({ name: 'other account' })
    const theirs = await on.server.call({
      method: 'POST',
      path: `${P}/workflows/${workflowId}/runs`,
      key: stranger,
      json: { draft: { draftId, revision: 2 } },
      headers: { 'idempotency-key': randomUUID() },
    })
    refusedAs(theirs, 404, 'WORKFLOW_NOT_FOUND')
  })

  test('what is not a draft is refused', async () => {
    const id = randomUUID()
    const bodies = [
      {},
      { name: '', data: {} },
      { name: 'a' },
      { name: 'a', data: [] },
      { name: 'a', data: {}, workflowId: 0 },
      { name: 'a', data: {}, baseVersion: 2 ** 31 },
      { name: 'a', data: {}, more: true },
    ]
    for (const body of bodies) refusedAs(await put(id, body), 400, 'INVALID_REQUEST')
    refusedAs(await put('one', { name: 'a', data: {} }), 400, 'INVALID_REQUEST')
    refusedAs(await put(id, { name: 'a', data: {} }, { 'if-match': 'v1' }), 400, 'INVALID_REQUEST')
    const large = { name: 'a', data: { text: 'x'.repeat(5 * 1024 * 1024) } }
    refusedAs(await put(id, large), 413, 'PAYLOAD_TOO_LARGE')
    refusedAs(await at(on.owner, `/drafts/${id}`), 404, 'DRAFT_NOT_FOUND')
  })

  test('an account has at most 200, also when many are stored at once', async () => {
    const { items } = await dataOf(on.stranger, '/drafts')
    const answers = await Promise.all(
      Array.from({ length: 203 - items.length }, () =>
        at(on.stranger, `/drafts/${randomUUID()}`, {
          method: 'PUT',
          json: { name: 'many', data: {} },
        }),
      ),
    )
    const refused = answers.filter(({ status }) => status !== 200)
    assert.equal(refused.length, 3)
    for (const answer of refused) refusedAs(answer, 429, 'QUOTA_EXCEEDED')
    assert.equal((await dataOf(on.stranger, '/drafts')).items.length, 200)
  })
})
