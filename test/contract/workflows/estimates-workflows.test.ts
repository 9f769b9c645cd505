import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { openAttempt, settleAttempts } from '#store/tables/ledger.ts'
import { databases, type TestDatabase } from '../../support/databases.ts'
import { migrations, openApi } from './api.ts'

const data = {
  nodes: [
    { id: 'topic', type: 'input.text', data: { label: 'Topic', maxLength: 20 } },
    {
      id: 'size',
      type: 'input.json',
      data: { required: false, schema: { type: 'object', properties: { w: { type: 'integer' } } } },
    },
    { id: 'ask', type: 'text.template', data: { template: 'Write about {{topic}}.' } },
    { id: 'write', type: 'text.generate', data: { model: 'paid-text', maxTokens: 100 } },
    { id: 'poem', type: 'output', data: { label: 'Poem' } },
  ],
  connections: [
    { source: 'topic', target: 'ask' },
    { source: 'ask', target: 'write' },
    { source: 'write', target: 'poem' },
  ],
}

for (const { name, open } of databases) {
  describe(`schemas and estimates on ${name}`, () => {
    let database: TestDatabase
    let api: ReturnType<typeof openApi>
    let workflowId: number
    before(async () => {
      database = await open({ migrations })
      api = openApi(database.db)
      workflowId = (await api.create(data)).id
    })
    after(async () => {
      await api.close()
      await database.close()
    })
    const estimate = (body?: unknown) => api.call('estimateWorkflow', { workflowId, body })

    test('the schema tells inputs, outputs and what cannot run', async () => {
      const { status, data: schema } = await api.call('getWorkflowSchema', { workflowId })
      assert.equal(status, 200)
      assert.equal(schema.inputSchema.properties.topic.title, 'Topic')
      assert.deepEqual(schema.inputSchema.required, ['topic'])
      assert.deepEqual(schema.outputSchema.properties.poem, {
        type: 'string',
        title: 'Poem',
        'x-port-type': 'text',
      })
      assert.equal(schema.unsupportedNodes[0].reason, 'PROVIDER_NOT_CONFIGURED')
    })

    test('an estimate counts real tokens and names what it assumed', async () => {
      const { status, data: answer } = await estimate({ inputs: { topic: 'grey cats' } })
      assert.equal(status, 200)
      const write = answer.nodeEstimates.find((node: { nodeId: string }) => node.nodeId === 'write')
      // "Write about grey cats." is five tokens of o200k, and a message is framed by seven more.
      assert.deepEqual(write.units, { inputTokens: 5 + 7, outputTokens: 100 })
      assert.equal(write.estimatedCost, ((5 + 7) * 2 + 100 * 8) / 1e6)
      assert.equal(answer.estimatedCost, write.estimatedCost)
      assert.deepEqual(
        [answer.exact, answer.currency, answer.workflowId],
        [false, 'USD', workflowId],
      )
      assert.ok(answer.lowCost < answer.highCost)
      assert.equal(answer.unsupportedNodes.length, 1)
    })

    test('the body may be absent or empty; missing inputs are no mistake', async () => {
      assert.equal((await estimate()).status, 200)
      const { status, data: answer } = await estimate({})
      assert.equal(status, 200)
      assert.ok(
        answer.assumptions.some((sentence: string) => sentence.includes('"topic" is not given')),
      )
    })

    const wrong: [unknown, string][] = [
      [{ inputs: { topic: 5 } }, '/inputs/topic'],
      [{ inputs: { topic: 'x'.repeat(21) } }, '/inputs/topic'],
      [{ inputs: { size: { w: 1.5 } } }, '/inputs/size/w'],
      [{ inputs: { other: 1 } }, '/inputs/other'],
      [{ inputs: [] }, '/inputs'],
      [{ input: {} }, '/input'],
    ]
    for (const [body, path] of wrong) {
      test(`${JSON.stringify(body).slice(0, 40)} is 422 INPUT_INVALID at ${path}`, async () => {
        const { status, code, details } = await estimate(body)
        assert.deepEqual([status, code], [422, 'INPUT_INVALID'])
        assert.equal(details.issues[0].path, path)
      })
    }

    test('a callback address that is not public is refused here too', async () => {
      const { code } = await estimate({ callbackUrl: 'http://localhost/hook' })
      assert.equal(code, 'CALLBACK_URL_REJECTED')
      assert.equal((await estimate({ callbackUrl: 'https://example.com/hook' })).status, 200)
    })

    test('twenty finished calls of the model set the length of its answers', async () => {
      const nowMs = Date.UTC(2026, 10, 14)
      for (let i = 0; i < 20; i++) {
        await openAttempt(api.db, {
          attempt: `a${i}`,
          accountId: api.accountId,
          keyId: null,
          taskId: null,
          runId: null,
          nodeId: null,
          operation: 'chat',
          provider: 'openai',
          model: 'paid-text',
          unitPrice: null,
          reservedMicros: 0,
          createdAtMs: nowMs,
        })
      }
      await api.db.transaction((tx) =>
        settleAttempts(
          tx,
          Array.from({ length: 20 }, (_, i) => ({
            attempt: `a${i}`,
            outcome: 'SUCCEEDED' as const,
            units: { inputTokens: 10, outputTokens: 30 },
            costMicros: 1,
            nowMs,
          })),
        ),
      )
      const { data: answer } = await estimate({ inputs: { topic: 'grey cats' } })
      const write = answer.nodeEstimates.find((node: { nodeId: string }) => node.nodeId === 'write')
      assert.equal(write.units.outputTokens, 30)
      assert.ok(
        answer.assumptions.some((sentence: string) => /20 calls of "paid-text"/.test(sentence)),
      )
    })
  })
}
