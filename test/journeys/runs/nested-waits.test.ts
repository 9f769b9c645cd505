// Waits inside loops and called workflows: what a reader of the run sees of them, and that each is
// answered for itself.
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { signUp } from '../../support/console.ts'
import { databases, type TestDatabase } from '../../support/databases.ts'
import { type Body, P, startServer, type TestServer } from '../../support/server.ts'
import { addWorkflow, type Caller, ended, graph, started, submit, until } from './setting.ts'

const asking = graph(
  [
    { id: 'draft', type: 'input.text' },
    { id: 'ask', type: 'wait.approval', data: { title: 'Better?', mayEdit: true } },
    { id: 'better', type: 'output' },
  ],
  ['draft -> ask.value', 'ask.approved -> better'],
)

/** Each item of a list is given to another workflow, again and again, until it is long enough. */
const improving = (workflowId: number) =>
  graph(
    [
      { id: 'drafts', type: 'input.json' },
      {
        ...{ id: 'each', type: 'flow.map' },
        data: {
          apply: {
            type: 'flow.repeat',
            data: {
              apply: { type: 'workflow.call', data: { workflowId } },
              until: '$length(value) >= 3',
              maxIterations: 5,
            },
          },
        },
      },
      { id: 'all', type: 'output' },
    ],
    ['drafts -> each.items', 'each.results -> all'],
  )

const pathsOf = ({ waitingFor = [] }: Body): string[] =>
  waitingFor.map(({ path }: Body) => path).sort()
const statusOf = ({ nodes }: Body, id: string) =>
  nodes.find(({ nodeId }: Body) => nodeId === id).status

for (const { name, open } of databases) {
  describe(`waits inside other nodes (${name})`, () => {
    let opened: TestDatabase | undefined
    let server: TestServer
    let on: Caller

    before(async () => {
      opened = name === 'postgres' ? await open() : undefined
      server = await startServer({
        SIGN_UP: 'open',
        ...(opened && 'url' in opened.location ? { DATABASE_URL: opened.location.url } : {}),
      })
      const me = await signUp(server)
      const key = await me.newKey({
        scopes: ['workflows:write', 'runs:read', 'runs:write', 'waits:answer'],
      })
      on = {
        call: (call) => server.call({ key, ...(typeof call === 'string' ? { path: call } : call) }),
      }
    })
    after(async () => {
      await server.stop()
      await opened?.close()
    })

    const answer = async (runId: string, path: string, run: Body, json: object) => {
      const { waitId } = run.waitingFor.find((wait: Body) => wait.path === path)
      const sent = { method: 'POST', path: `${P}/workflow-runs/${runId}/waits/${waitId}`, json }
      const answered = await on.call(sent)
      assert.equal(answered.status, 200, answered.text)
    }

    /** Until it waits for exactly these, and for nothing else. */
    const waitsAt = (runId: string, id: string, ...paths: string[]) =>
      until(
        on,
        runId,
        (run) => pathsOf(run).join() === paths.join() && statusOf(run, id) === 'WAITING',
      )

    const statusesIn = async (runId: string, path: string): Promise<string[]> => {
      const query = new URLSearchParams({ path })
      const { body } = await on.call(`${P}/workflow-runs/${runId}/items?${query}`)
      return body.data.items.map((item: Body) => `${item.path} ${item.status}`)
    }

    test('in a call in a repeat in a list, each is shown by its path and answered for itself', async () => {
      const data = improving(await addWorkflow(on, asking))
      const inputs = { drafts: ['a', 'b'] }
      const runId = await started(on, await addWorkflow(on, data), { inputs })
      let run = await waitsAt(runId, 'each', 'each[0][0]/ask', 'each[1][0]/ask')
      assert.deepEqual([run.status, run.waitingFor[0].nodeId], ['RUNNING', 'each'])
      await answer(runId, 'each[1][0]/ask', run, { decision: 'approve', value: 'bb' })
      run = await waitsAt(runId, 'each', 'each[0][0]/ask', 'each[1][1]/ask')
      const items = await statusesIn(runId, 'each')
      assert.deepEqual(items, ['each[0] WAITING', 'each[1] WAITING'])
      const passes = await statusesIn(runId, 'each[1]')
      assert.deepEqual(passes, ['each[1][0] COMPLETED', 'each[1][1] WAITING'])
      await answer(runId, 'each[1][1]/ask', run, { decision: 'approve', value: 'bbb' })
      run = await waitsAt(runId, 'each', 'each[0][0]/ask')
      await answer(runId, 'each[0][0]/ask', run, { decision: 'approve', value: 'aaaa' })
      run = await ended(on, runId)
      assert.deepEqual([run.status, run.outputs], ['COMPLETED', { all: ['aaaa', 'bbb'] }])
      assert.equal('waitingFor' in run, false)
    })

    for (const [what, type, data, input] of [
      ['a list', 'flow.map', {}, ['a']],
      ['a repeat', 'flow.repeat', { until: 'true' }, 'a'],
    ] as const) {
      test(`directly in ${what}, it is shown and the node is WAITING`, async () => {
        const apply = { type: 'wait.approval', data: { title: 'Fine?' } }
        const loop = graph(
          [
            { id: 'in', type: 'input.json' },
            { id: 'loop', type, data: { ...data, apply } },
            { id: 'out', type: 'output' },
          ],
          ['in -> loop', 'loop -> out'],
        )
        const runId = await started(on, await addWorkflow(on, loop), { inputs: { in: input } })
        const run = await waitsAt(runId, 'loop', 'loop[0]')
        assert.equal(run.waitingFor[0].title, 'Fine?')
        await answer(runId, 'loop[0]', run, { decision: 'approve' })
        assert.deepEqual((await ended(on, runId)).outputs, { out: input })
      })
    }

    test('while it sleeps there is no need to look again soon, whoever asks', async () => {
      const workflowId = await addWorkflow(on, asking)
      const sent = { inputs: { draft: 'a' } }
      const first = await submit(on, workflowId, sent, { key: 'asleep' })
      const { runId } = first.body.data
      await until(on, runId, (run) => run.retryAfterSeconds === 15)
      const again = await submit(on, workflowId, sent, { key: 'asleep' })
      const { retryAfterSeconds, idempotentReplay } = again.body.data
      assert.deepEqual([idempotentReplay, retryAfterSeconds], [true, 15])
      assert.equal(again.headers['retry-after'], '15')
    })

    test('in a called workflow, the node that calls it is WAITING', async () => {
      const workflowId = await addWorkflow(on, asking)
      const calling = graph(
        [
          { id: 'in', type: 'input.text' },
          { id: 'call', type: 'workflow.call', data: { workflowId } },
          { id: 'out', type: 'output' },
        ],
        ['in -> call.draft', 'call.better -> out'],
      )
      const runId = await started(on, await addWorkflow(on, calling), { inputs: { in: 'a' } })
      const run = await waitsAt(runId, 'call', 'call/ask')
      await answer(runId, 'call/ask', run, { decision: 'approve' })
      assert.deepEqual((await ended(on, runId)).outputs, { out: 'a' })
    })
  })
}
