import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, before, describe, test } from 'node:test'
import { findGraph } from '#store/tables/workflows.ts'
import { databases, type TestDatabase } from '../../support/databases.ts'
import { emptyGraph, migrations, openApi } from './api.ts'

const odd = {
  nodes: [
    {
      id: 'topic',
      type: 'input.text',
      position: { x: -12.5, y: 1e3 },
      data: { label: 'Grüße 😀 \u0000', color: null },
      measured: { width: 200 },
    },
  ],
  connections: [],
  viewport: { x: 0, zoom: 0.75 },
  'a/b~c': [[], {}, 'x'],
}

for (const { name, open } of databases) {
  describe(`workflows on ${name}`, () => {
    let database: TestDatabase
    let api: ReturnType<typeof openApi>
    before(async () => {
      database = await open({ migrations })
      api = openApi(database.db)
    })
    after(async () => {
      await api.close()
      await database.close()
    })

    test('a new workflow has an id, version 1, an address and an ETag', async () => {
      const { status, data, headers } = await api.call('createWorkflow', {
        body: { name: '  Notes  ', data: odd, canvasScale: 1.5 },
      })
      assert.equal(status, 200)
      assert.ok(Number.isInteger(data.id) && data.id >= 1)
      assert.deepEqual(
        { ...data, id: 1, workflowId: 1 },
        {
          id: 1,
          workflowId: 1,
          name: 'Notes',
          data: odd,
          canvasScale: 1.5,
          version: 1,
          nodeCount: 1,
          connectionCount: 0,
          createdAt: '2026-11-15T00:00:00.000Z',
          updatedAt: '2026-11-15T00:00:00.000Z',
        },
      )
      assert.equal(data.workflowId, data.id)
      assert.equal(headers.Location, `/api/ai-tools/v1/workflows/${data.id}`)
      assert.equal(headers.ETag, '"v1"')
    })

    test('a graph is read back as it was sent, extra keys included', async () => {
      const { id } = await api.create(odd)
      const { data, headers } = await api.call('getWorkflow', { workflowId: id })
      assert.deepEqual(data.data, odd)
      assert.equal(headers.ETag, '"v1"')
    })

    test('the record, sent back as it was read, is taken', async () => {
      const record = await api.create(odd)
      const { status, data } = await api.call('updateWorkflow', {
        workflowId: record.id,
        body: record,
      })
      assert.equal(status, 200)
      assert.equal(data.version, 2)
      assert.equal(data.canvasScale, null)
      assert.equal((await api.call('createWorkflow', { body: record })).status, 200)
    })

    test('a name is trimmed before it is measured', async () => {
      const name = 'ä😀'.repeat(100)
      const padded = `\n   ${name}${' '.repeat(300)}`
      const { id, name: stored } = await api.create(emptyGraph, padded)
      assert.equal(stored, name)
      const short = await api.call('updateWorkflow', { workflowId: id, body: { name: ' x ' } })
      assert.equal(short.data.name, 'x')
    })

    test('the zoom is any number or none, and by itself makes no version', async () => {
      const { id } = await api.create(odd)
      const scales = [0, -3, 2.5, 1e300, -1e300, 5e-324, Number.MAX_VALUE, 1e9, null]
      for (const canvasScale of scales) {
        api.passTime(5)
        const { status, data, headers } = await api.call('updateWorkflow', {
          workflowId: id,
          body: { canvasScale },
          ifMatch: '"v1"',
        })
        assert.deepEqual(
          [status, data.canvasScale, data.version, headers.ETag],
          [200, canvasScale, 1, '"v1"'],
        )
        assert.deepEqual((await api.call('getWorkflow', { workflowId: id })).data, data)
      }
      const named = await api.call('updateWorkflow', {
        workflowId: id,
        body: { name: 'x', canvasScale: 1 },
      })
      assert.deepEqual([named.data.version, named.data.canvasScale], [2, 1])
    })

    test('every name and graph saved is a version; members left out keep their value', async () => {
      const { id } = await api.create(odd, 'First')
      api.passTime(5)
      const renamed = await api.call('updateWorkflow', { workflowId: id, body: { name: 'Second' } })
      assert.equal(renamed.data.version, 2)
      assert.deepEqual(renamed.data.data, odd)
      assert.notEqual(renamed.data.updatedAt, renamed.data.createdAt)
      const scaled = await api.call('updateWorkflow', { workflowId: id, body: { canvasScale: 2 } })
      assert.deepEqual([scaled.data.name, scaled.data.canvasScale], ['Second', 2])
      const emptied = await api.call('updateWorkflow', {
        workflowId: id,
        body: { data: emptyGraph, canvasScale: null },
      })
      assert.deepEqual(
        [emptied.data.version, emptied.data.nodeCount, emptied.data.canvasScale],
        [3, 0, null],
      )
      assert.equal(emptied.headers.ETag, '"v3"')
    })

    test('the graph of an earlier version stays, also after the end of the workflow', async () => {
      const { id } = await api.create(odd)
      await api.call('updateWorkflow', { workflowId: id, body: { data: emptyGraph } })
      await api.call('deleteWorkflow', { workflowId: id })
      assert.deepEqual((await findGraph(api.db, id, 1))?.value, odd)
      assert.deepEqual((await findGraph(api.db, id, 2))?.value, emptyGraph)
    })

    test('a deleted workflow is gone for good, and its id is not given again', async () => {
      const { id } = await api.create()
      const deleted = await api.call('deleteWorkflow', { workflowId: id })
      assert.deepEqual(deleted.data, { id, workflowId: id, deleted: true })
      for (const operation of ['getWorkflow', 'deleteWorkflow', 'getWorkflowSchema'] as const) {
        assert.equal((await api.call(operation, { workflowId: id })).code, 'WORKFLOW_NOT_FOUND')
      }
      assert.ok((await api.create()).id > id)
    })

    test('If-Match lets only the first of two changes through', async () => {
      const { id } = await api.create()
      const change = (ifMatch: string) =>
        api.call('updateWorkflow', { workflowId: id, body: { name: 'x' }, ifMatch })
      assert.equal((await change('"v1"')).status, 200)
      const late = await change('"v1"')
      assert.deepEqual([late.status, late.code], [412, 'PRECONDITION_FAILED'])
      assert.equal((await change('W/"v2"')).status, 412)
      assert.equal((await change('"other", "v2"')).status, 200)
      assert.equal((await change('*')).status, 200)
      assert.equal((await change('v4')).code, 'INVALID_REQUEST')
      const removal = (ifMatch: string) => api.call('deleteWorkflow', { workflowId: id, ifMatch })
      assert.equal((await removal('"v1"')).status, 412)
      assert.equal((await removal('"v4"')).status, 200)
    })

    test('of many changes at once with the same If-Match exactly one wins', async () => {
      const { id } = await api.create()
      const answers = await Promise.all(
        Array.from({ length: 10 }, (_, i) =>
          api.call('updateWorkflow', {
            workflowId: id,
            body: { data: { ...emptyGraph, mark: i } },
            ifMatch: '"v1"',
          }),
        ),
      )
      const statuses = answers.map(({ status }) => status)
      assert.equal(statuses.filter((status) => status === 200).length, 1)
      assert.equal(statuses.filter((status) => status === 412).length, 9)
      const late = answers.filter(({ status }) => status === 412)
      assert.deepEqual([...new Set(late.map(({ details }) => details.currentVersion))], [2])
      const winner = answers.find(({ status }) => status === 200)
      const { data } = await api.call('getWorkflow', { workflowId: id })
      assert.deepEqual(data.data, winner?.data.data)
    })

    test('an answer holds the graph that goes with its version, also if that changes at once', async () => {
      for (let round = 0; round < 10; round++) {
        const { id: workflowId } = await api.create()
        const data = { ...emptyGraph, mark: round }
        const [drawn, renamed] = await Promise.all([
          api.call('updateWorkflow', { workflowId, body: { data } }),
          api.call('updateWorkflow', { workflowId, body: { name: 'renamed' } }),
        ])
        if (drawn.data.version > renamed.data.version) continue
        assert.deepEqual([renamed.data.version, renamed.data.data], [3, data])
      }
    })

    test('changes at once without If-Match all become versions', async () => {
      const { id } = await api.create()
      await Promise.all(
        Array.from({ length: 10 }, (_, i) =>
          api.call('updateWorkflow', {
            workflowId: id,
            body: { data: { ...emptyGraph, mark: i } },
          }),
        ),
      )
      const { data } = await api.call('getWorkflow', { workflowId: id })
      assert.equal(data.version, 11)
    })

    test('another account sees nothing: its answers are those for a missing workflow', async () => {
      const { id } = await api.create(odd)
      const accountId = randomUUID()
      const calls = [
        api.call('getWorkflow', { workflowId: id, accountId }),
        api.call('updateWorkflow', { workflowId: id, accountId, body: { name: 'mine' } }),
        api.call('deleteWorkflow', { workflowId: id, accountId }),
        api.call('getWorkflowSchema', { workflowId: id, accountId }),
        api.call('estimateWorkflow', { workflowId: id, accountId }),
      ]
      for (const { status, code } of await Promise.all(calls)) {
        assert.deepEqual([status, code], [404, 'WORKFLOW_NOT_FOUND'])
      }
      const nodes = [{ id: 'c', type: 'workflow.call', data: { workflowId: id } }]
      const { data } = await api.call('validateWorkflow', {
        accountId,
        body: { data: { nodes, connections: [] } },
      })
      assert.equal(data.errors[0].code, 'SUBWORKFLOW_NOT_FOUND')
      assert.equal((await api.call('listWorkflows', { accountId })).data.total, 0)
      assert.equal((await api.call('getWorkflow', { workflowId: id })).data.name, 'A workflow')
    })

    test('a list that is read by cursor skips nothing and repeats nothing, whatever changes meanwhile', async () => {
      const own = openApi(api.db)
      try {
        for (let i = 0; i < 9; i++) {
          if (i % 3 === 0) own.passTime(1)
          await own.create(emptyGraph, `w${i}`)
        }
        const seen: { id: number; name: string }[] = []
        let query: Record<string, string> = { size: '2' }
        for (;;) {
          const { data, code, details } = await own.call('listWorkflows', { query })
          assert.equal(code, null, JSON.stringify([query, details]))
          seen.push(...data.items)
          if (data.next === null) break
          query = { size: '2', cursor: data.next }
          // What was just read goes, and something new comes: pages would shift by both.
          const [first] = data.items
          await own.call('deleteWorkflow', { workflowId: first.id })
          await own.create(emptyGraph, 'new')
        }
        assert.deepEqual(
          seen.map(({ name }) => name),
          ['w8', 'w7', 'w6', 'w5', 'w4', 'w3', 'w2', 'w1', 'w0'],
        )
        const cursor = query.cursor ?? ''
        const bad = [
          { cursor: 'x' },
          { cursor: `${cursor}A` },
          { cursor, page: '2' },
          { cursor: '' },
        ]
        for (const query of bad as Record<string, string>[]) {
          const refused = await own.call('listWorkflows', { query })
          assert.equal(refused.code, 'INVALID_REQUEST', JSON.stringify(query))
        }
      } finally {
        await own.close()
      }
    })

    test('the list is newest first, without graphs, in pages', async () => {
      const own = openApi(api.db)
      try {
        for (let i = 0; i < 5; i++) {
          if (i % 2) own.passTime(1)
          await own.create(odd, `w${i}`)
        }
        const list = async (query: Record<string, string> = {}) =>
          (await own.call('listWorkflows', { query })).data
        const all = await list()
        assert.deepEqual(
          all.items.map((item: { name: string }) => item.name),
          ['w4', 'w3', 'w2', 'w1', 'w0'],
        )
        assert.equal('data' in all.items[0], false)
        assert.deepEqual([all.page, all.size, all.total, all.totalPages], [1, 200, 5, 1])
        const second = await list({ page: '2', size: '2' })
        assert.deepEqual(
          second.items.map((item: { name: string }) => item.name),
          ['w2', 'w1'],
        )
        assert.equal(second.totalPages, 3)
        assert.deepEqual((await list({ page: '9007199254740991' })).items, [])
        const wrong: Record<string, string>[] = [{ size: '201' }, { page: '0' }, { size: 'x' }]
        for (const query of wrong) {
          assert.equal((await own.call('listWorkflows', { query })).code, 'INVALID_REQUEST')
        }
      } finally {
        await own.close()
      }
    })
  })
}
