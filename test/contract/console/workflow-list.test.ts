import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { P } from '../../support/server.ts'
import { addWorkflow, at, type Console, dataOf, onBothDatabases, refusedAs } from './setting.ts'

const folder = mkdtempSync(join(tmpdir(), 'atelier-workflow-list-'))
const MODELS_FILE = join(folder, 'models.json')
const pricing = { inputPerMillionTokens: 700, outputPerMillionTokens: 2_100 }
writeFileSync(MODELS_FILE, JSON.stringify({ models: [{ id: 'demo-text', pricing }] }))
after(() => rmSync(folder, { recursive: true }))

const graph = {
  nodes: [
    { id: 'text', type: 'text.generate', data: { model: 'demo-text', prompt: 'Who are you?' } },
    { id: 'out', type: 'output', data: {} },
  ],
  connections: [{ source: 'text', sourceHandle: 'text', target: 'out' }],
}

async function run(on: Console, workflowId: number) {
  const accepted = await on.api({
    method: 'POST',
    path: `${P}/workflows/${workflowId}/runs`,
    headers: { 'idempotency-key': crypto.randomUUID() },
  })
  for (;;) {
    const { data } = (await on.api(`${P}/workflow-runs/${accepted.body.data.runId}`)).body
    if (data.completedAt !== null) return data
    await pause(20)
  }
}

type Listed = { id: number; lastRun: { runId: string } | null; spent: { amount: number } }

onBothDatabases(
  'workflows with their runs',
  (on) => {
    test('every row has its last run and what its runs cost, however many there are', async () => {
      const ids: number[] = []
      for (let count = 0; count < 12; count++) ids.push(await addWorkflow(on, graph, `w${count}`))
      const [first = 0, second = 0] = ids
      const runs = [await run(on, first), await run(on, first), await run(on, second)]
      const page = await dataOf(on.owner, '/workflows?size=5')
      assert.deepEqual([page.items.length, page.total, page.totalIsExact], [5, 12, true])
      const rows: Listed[] = (await dataOf(on.owner, '/workflows')).items
      const rowOf = (id: number) => rows.find((row) => row.id === id)
      const cost = (index: number) => runs[index].cost.amount
      assert.ok(cost(0) > 0)
      assert.equal(rowOf(first)?.lastRun?.runId, runs[1].runId)
      assert.equal(
        Math.round((rowOf(first)?.spent.amount ?? 0) * 1e6),
        Math.round((cost(0) + cost(1)) * 1e6),
      )
      assert.equal(rowOf(second)?.spent.amount, cost(2))
      const never = rows.filter(({ id }) => id !== first && id !== second)
      assert.ok(never.every(({ lastRun, spent }) => lastRun === null && spent.amount === 0))
    })

    test('a stranger sees none of it, and nobody without a session', async () => {
      assert.deepEqual((await dataOf(on.stranger, '/workflows')).items, [])
      const path = '/api/console/v1/workflows'
      refusedAs(await on.server.call({ path, key: null }), 401, 'AUTH_REQUIRED')
      refusedAs(await at(on.owner, '/workflows?size=0'), 400, 'INVALID_REQUEST')
    })
  },
  { MODELS_FILE },
)
