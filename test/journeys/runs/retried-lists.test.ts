// A list made from another list, of which items failed: a retry does those again, and pays of what is
// behind them only for what is asked differently now.
import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { describe, test } from 'node:test'
import { signUp } from '../../support/console.ts'
import { databases } from '../../support/databases.ts'
import { type Body, P } from '../../support/server.ts'
import { type Bench, openBench, testModels } from '../generation/setting.ts'
import { addWorkflow, type Caller, ended, graph, started, until } from './setting.ts'

const text = { type: 'text.generate', data: { model: 'test/text' } }
const map = (id: string, apply: object, onItemError: string) => ({
  id,
  type: 'flow.map',
  data: { apply, onItemError, concurrency: 1 },
})

/** items -> first -> second -> the sum of all. */
const lists = (onItemError: string, apply: object = text) =>
  graph(
    [
      { id: 'items', type: 'input.json' },
      map('first', text, onItemError),
      map('second', apply, onItemError),
      { id: 'all', type: 'text.template', data: { template: 'all {{list}}' } },
      { id: 'sum', ...text },
    ],
    [
      'items -> first.items',
      'first.results -> second.items',
      'second.results -> all.list',
      'all -> sum.prompt',
    ],
  )

const says = (content: string) =>
  ({
    do: 'say',
    status: 200,
    body: {
      ...{ id: 'x', object: 'chat.completion', created: 1, model: 'm' },
      choices: [{ index: 0, message: { role: 'assistant', content }, finish_reason: 'stop' }],
      usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 },
    },
  }) as const
const refused = { do: 'refuse', status: 400 } as const

const open = (t: Parameters<typeof openBench>[0], database: (typeof databases)[number]['name']) =>
  openBench(t, { database, doubles: ['openai'], models: testModels })

/** What the provider was asked since the last look. */
function asked({ doubles: { openai } }: Bench): string[] {
  const prompts = openai.requests.map(({ body }) => (body as Body).messages.at(-1).content)
  openai.requests.length = 0
  return prompts.map((prompt) => (prompt.startsWith('all ') ? 'all' : prompt))
}

async function retry(on: Caller, runId: string): Promise<string> {
  const answer = await on.call({
    ...{ method: 'POST', path: `${P}/workflow-runs/${runId}/retry` },
    headers: { 'idempotency-key': randomUUID() },
  })
  assert.equal(answer.status, 202, answer.text)
  return answer.body.data.runId
}

async function completed(on: Caller, runId: string): Promise<Body> {
  const run = await ended(on, runId)
  assert.equal(run.status, 'COMPLETED', JSON.stringify(run.nodeErrors))
  return run
}

for (const { name: database } of databases) {
  describe(`a list behind a list with failed items, on ${database}`, () => {
    for (const onItemError of ['skip', 'collect']) {
      test(`is paid once for each item, however often it is retried (${onItemError})`, async (t) => {
        const bench = await open(t, database)
        const { openai } = bench.doubles
        const workflow = await addWorkflow(bench, lists(onItemError))
        openai.script('chat', says('A'), refused, says('C'))
        openai.always('chat', says('fine'))
        const inputs = { items: ['a', 'b', 'c'] }
        const first = await completed(bench, await started(bench, workflow, { inputs }))
        assert.deepEqual(asked(bench), ['a', 'b', 'c', 'A', 'C', 'all'])

        // The same item fails again: nothing behind it has changed.
        openai.script('chat', refused)
        const second = await completed(bench, await retry(bench, first.runId))
        assert.deepEqual(asked(bench), ['b'])
        assert.equal(second.outputs.sum, first.outputs.sum)
        assert.equal(second.cost.amount, 0)

        openai.script('chat', says('B'))
        const third = await completed(bench, await retry(bench, second.runId))
        assert.deepEqual(asked(bench), ['b', 'B', 'all'])
        // Each of them has cost the same.
        assert.equal(third.cost.amount, Number(((first.cost.amount / 5) * 3).toFixed(6)))
        const node = third.nodes.find(({ nodeId }: Body) => nodeId === 'second')
        assert.deepEqual([node.savedCost, node.reusedFrom], [undefined, undefined])
      })
    }

    test('keeps as many answers as there are equal items, and pays for one more', async (t) => {
      const bench = await open(t, database)
      const { openai } = bench.doubles
      const workflow = await addWorkflow(bench, lists('skip'))
      openai.script('chat', says('same'), refused, says('same'), says('one'), says('two'))
      openai.always('chat', says('sum'))
      const inputs = { items: ['a', 'b', 'c'] }
      const first = await completed(bench, await started(bench, workflow, { inputs }))
      asked(bench)
      openai.script('chat', says('same'), says('three'))
      const second = await completed(bench, await retry(bench, first.runId))
      assert.deepEqual(asked(bench), ['b', 'same', 'all'])
      const node = await bench.call(`${P}/workflow-runs/${second.runId}/nodes/second`)
      assert.deepEqual(node.body.data.outputs.results, ['one', 'two', 'three'])
    })

    test('takes no answer that its node could not use', async (t) => {
      const bench = await open(t, database)
      const { openai } = bench.doubles
      const json = { type: 'text.generate', data: { ...text.data, responseFormat: 'json' } }
      const workflow = await addWorkflow(bench, lists('skip', json))
      openai.script('chat', says('A'), refused, says('C'), says('1'), says('no JSON'))
      openai.always('chat', says('fine'))
      const inputs = { items: ['a', 'b', 'c'] }
      const first = await completed(bench, await started(bench, workflow, { inputs }))
      assert.deepEqual(asked(bench), ['a', 'b', 'c', 'A', 'C', 'all'])
      openai.script('chat', refused, says('still no JSON'))
      await completed(bench, await retry(bench, first.runId))
      assert.deepEqual(asked(bench), ['b', 'C'])
    })

    test('takes no answer that another node had for the same request', async (t) => {
      const bench = await open(t, database)
      const { openai } = bench.doubles
      const maps = ['first', 'second', 'third'].map((id) => map(id, text, 'skip'))
      const data = graph(
        [{ id: 'items', type: 'input.json' }, ...maps],
        ['items -> first.items', 'first.results -> second.items', 'second.results -> third.items'],
      )
      const workflow = await addWorkflow(bench, data)
      const second = [says('A'), says('C')]
      openai.script('chat', says('A'), refused, says('C'), ...second, says('one'), refused)
      const inputs = { items: ['a', 'b', 'c'] }
      const first = await completed(bench, await started(bench, workflow, { inputs }))
      assert.deepEqual(asked(bench), ['a', 'b', 'c', 'A', 'C', 'A', 'C'])
      openai.script('chat', refused, says('two'))
      const last = await completed(bench, await retry(bench, first.runId))
      assert.deepEqual(asked(bench), ['b', 'C'])
      assert.deepEqual(last.outputs.third.results, ['one', 'two'])
    })

    test('asks people again only for items that are new', async (t) => {
      const bench = await open(t, database)
      const { openai } = bench.doubles
      const person = await asApprover(bench)
      const approval = { type: 'wait.approval', data: { title: 'Good?' }, itemPort: 'value' }
      const data = graph(
        [
          { id: 'items', type: 'input.json' },
          map('first', text, 'collect'),
          map('second', { ...approval, resultPort: 'approved' }, 'collect'),
        ],
        ['items -> first.items', 'first.results -> second.items'],
      )
      const workflow = await addWorkflow(person, data)
      openai.script('chat', says('A'), refused, says('B'))
      const firstId = await started(person, workflow, { inputs: { items: ['a', 'x', 'b'] } })
      await approveAll(person, firstId, 3)
      await completed(person, firstId)
      openai.script('chat', says('X'))
      const secondId = await retry(person, firstId)
      const waiting = await until(person, secondId, (run) => run.waitingFor?.length > 0)
      assert.deepEqual(
        waiting.waitingFor.map(({ path }: Body) => path),
        ['second[1]'],
      )
    })
  })
}

/** Somebody who may also answer waits. */
async function asApprover(bench: Bench): Promise<Caller> {
  const scopes = ['workflows:write', 'runs:write', 'runs:read', 'waits:answer']
  const key = await (await signUp(bench)).newKey({ scopes })
  return {
    call: (call) => bench.call({ key, ...(typeof call === 'string' ? { path: call } : call) }),
  }
}

async function approveAll(on: Caller, runId: string, count: number) {
  const answered = new Set<string>()
  while (answered.size < count) {
    const isNew = ({ waitId }: Body) => !answered.has(waitId)
    const run = await until(on, runId, ({ waitingFor }) => waitingFor?.some(isNew))
    for (const { waitId } of run.waitingFor.filter(isNew)) {
      const path = `${P}/workflow-runs/${runId}/waits/${waitId}`
      const answer = await on.call({ method: 'POST', path, json: { decision: 'approve' } })
      assert.equal(answer.status, 200, answer.text)
      answered.add(waitId)
    }
  }
}
