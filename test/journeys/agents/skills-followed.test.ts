import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, before, describe, test } from 'node:test'
import { bindCall, checkArguments, toolList } from '#agents/tools/tool-list.ts'
import { operations } from '#api/public/registry.ts'
import { P, startServer, type TestServer } from '../../support/server.ts'
import { addWorkflow, graph } from '../runs/setting.ts'
import {
  follow,
  type Goal,
  type Host,
  type Outcome,
  stepsOf,
  type ToolAnswer,
} from './skill-agent.ts'

let server: TestServer
let workflows: string
let generation: string
before(async () => {
  server = await startServer({ EMBEDDED_OPTIONS: 'delayMs=400' })
  const skillMd = async (name: string) =>
    (await server.call({ path: `${P}/skills/${name}`, key: null })).body.data.skillMd
  workflows = await skillMd('service-workflows')
  generation = await skillMd('service-generation')
  const decoy = graph([{ id: 'out', type: 'output', data: { value: 1 } }])
  await addWorkflow(server, decoy, 'Something else')
  await addWorkflow(server, story, goal.name)
  await addWorkflow(server, decoy, 'Newest, but not meant')
})
after(() => server.stop())

const goal = { name: 'Story writer', words: 'a lighthouse at dusk' } satisfies Goal
/** A few sequential calls, so that there is time to read the run and to cancel it. */
const story = graph(
  [
    { id: 'topic', type: 'input.text' },
    ...['draft', 'second', 'third', 'writer'].map((id) => ({
      id,
      type: 'text.generate',
      data: { model: 'demo-text', maxTokens: 60 },
    })),
    { id: 'story', type: 'output' },
  ],
  [
    'topic -> draft.prompt',
    'draft -> second.prompt',
    'second -> third.prompt',
    'third -> writer.prompt',
    'writer -> story',
  ],
)

const bound = new Map(toolList(operations).map((tool) => [tool.name, tool]))

/** Makes the agent's calls, like a program with function calling. */
async function openHost(lose: (tool: string) => boolean = () => false) {
  const { body } = await server.call({ path: `${P}/tools?format=anthropic`, key: null })
  const waited: number[] = []
  const answers: { tool: string; answer: ToolAnswer }[] = []
  const host: Host = {
    tools: body.data.items,
    async call(name, args) {
      const tool = bound.get(name)
      assert.ok(tool, name)
      assert.equal(checkArguments(tool, args), null)
      const { method, path, headers, body } = bindCall(tool, args)
      const answer = await server.call({
        method,
        path,
        headers,
        ...(body === undefined ? {} : { body }),
      })
      answers.push({ tool: name, answer })
      if (lose(name)) throw new Error('the answer was lost')
      return answer
    },
    // Only the advice matters; the test does not have to wait that long.
    async wait(seconds) {
      waited.push(seconds)
      await new Promise((resolve) => setTimeout(resolve, 20))
    },
    newKey: randomUUID,
  }
  return { host, waited, answers }
}

const statusOf = ({ read, memory, called }: Outcome) => ({
  outputs: read.get('data.outputs'),
  cost: read.get('data.estimatedCost'),
  runId: memory.runId,
  called: called.filter((name, i) => name !== called[i - 1]),
})

describe('an agent with the workflow skill and the tools, and nothing else', () => {
  test('finds the workflow, reads its schema, estimates, runs it with a key, polls as advised and reads the outputs', async () => {
    const { host, waited, answers } = await openHost()
    const outcome = await follow(stepsOf(workflows, 'Run a workflow'), host, goal)
    const { outputs, cost, runId, called } = statusOf(outcome)
    assert.deepEqual(called, [
      'svc_list_workflows',
      'svc_get_workflow_schema',
      'svc_estimate_workflow',
      'svc_run_workflow',
      'svc_get_workflow_run',
    ])
    assert.equal(typeof cost, 'number')
    assert.deepEqual(outcome.memory.inputs, { topic: goal.words })
    assert.match(String((outputs as { story: string }).story), /\S/)
    const polls = answers
      .filter(({ tool }) => tool === 'svc_get_workflow_run')
      .map(({ answer }) => answer.body.data)
    assert.deepEqual(
      waited,
      polls.slice(0, -1).map((run) => run.retryAfterSeconds),
    )
    assert.ok(waited.length > 0 && waited.every((seconds) => seconds >= 1))
    const { body } = await server.call(`${P}/workflow-runs/${runId}`)
    assert.deepEqual([body.data.status, body.data.workflowName], ['COMPLETED', goal.name])
  })

  test('does not get there without any one of the steps', async () => {
    const steps = stepsOf(workflows, 'Run a workflow')
    for (const [i, step] of steps.entries()) {
      const { host } = await openHost()
      const outcome = await follow(steps.toSpliced(i, 1), host, goal).catch(() => null)
      const { outputs, cost } = outcome ? statusOf(outcome) : {}
      assert.ok(outputs === undefined || cost === undefined, `not needed: ${step}`)
    }
  })

  test('stops another run and sees it end', async () => {
    const { host } = await openHost()
    const submit = stepsOf(workflows, 'Run a workflow').slice(0, 4)
    const begun = await follow(submit, host, goal)
    const stopped = await follow(stepsOf(workflows, 'Stop a run'), host, goal, {
      runId: begun.memory.runId,
    })
    assert.equal(stopped.called[0], 'svc_cancel_workflow_run')
    const { body } = await server.call(`${P}/workflow-runs/${begun.memory.runId}`)
    assert.equal(body.data.status, 'CANCELLED')
  })

  test('gets the same run by repeating a submission whose answer was lost, with the same key', async () => {
    const steps = stepsOf(workflows, 'Run a workflow')
    assert.match(workflows, /call `svc_run_workflow` again with the \*\*same\*\* `idempotencyKey`/)
    let key = ''
    const { host, answers } = await openHost((tool) => tool === 'svc_run_workflow')
    const newKey = () => (key = randomUUID())
    await assert.rejects(follow(steps, { ...host, newKey }, goal), /lost/)
    const first = answers.at(-1)?.answer.body.data.runId
    const { host: again } = await openHost()
    const outcome = await follow(steps, { ...again, newKey: () => key }, goal)
    assert.equal(outcome.memory.runId, first)
  })

  test('finds a run again by listing', async () => {
    const { host } = await openHost()
    const begun = await follow(stepsOf(workflows, 'Run a workflow').slice(0, 4), host, goal)
    const { workflowId, runId } = begun.memory
    const found = await follow(stepsOf(workflows, 'Find a run again'), host, goal, { workflowId })
    assert.equal(found.memory.runId, runId)
  })
})

describe('an agent with the generation skill and the tools, and nothing else', () => {
  test('makes a picture', async () => {
    const { host } = await openHost()
    const outcome = await follow(stepsOf(generation, 'Generate an image'), host, goal)
    const pictures = outcome.read.get('data.imageContent') as { mimeType: string }[]
    assert.match(pictures[0]?.mimeType ?? '', /^image\//)
  })

  test('writes a text', async () => {
    const { host } = await openHost()
    const outcome = await follow(stepsOf(generation, 'Generate text'), host, goal)
    assert.match(String(outcome.read.get('data.content')), /\S/)
  })

  test('recovers a task whose answer was lost by listing, and submits nothing twice', async () => {
    const steps = stepsOf(generation, 'Generate an image')
    const mine = { words: `${goal.words}, ${'seen from the sea '.repeat(20)}` }
    const { host, answers } = await openHost((tool) => tool === 'svc_generate_image')
    await assert.rejects(follow(steps, host, mine), /lost/)
    const lost = answers.at(-1)?.answer.body.data.taskId
    const { host: other } = await openHost()
    await other.call('svc_generate_image', {
      model: 'demo-image',
      messages: [{ role: 'user', content: 'another picture' }],
    })
    const sent = { kind: 'IMAGE', model: 'demo-image' }
    const { host: later, answers: asked } = await openHost()
    const heading = 'When the answer to a submission is lost'
    const found = await follow(stepsOf(generation, heading), later, mine, sent)
    assert.equal(found.memory.taskId, lost)
    assert.equal(asked.at(-1)?.answer.body.data.status, 'COMPLETED')
    assert.ok(asked.every(({ tool }) => tool !== 'svc_generate_image'))
  })
})

test('the graph in the workflow skill is valid and runs with the inputs it names', async () => {
  const json = /```json\n([\s\S]*?)```/.exec(workflows)?.[1] ?? ''
  const data = JSON.parse(json.replace('MODEL_ID', 'demo-text'))
  const { host } = await openHost()
  const { body } = await host.call('svc_validate_workflow', { data })
  assert.deepEqual([body.data.valid, body.data.errors, body.data.warnings], [true, [], []])
  await host.call('svc_create_workflow', { name: 'From the skill', data })
  const outcome = await follow(stepsOf(workflows, 'Run a workflow'), host, {
    ...goal,
    name: 'From the skill',
  })
  assert.deepEqual(Object.keys(outcome.memory.inputs as object), ['topic'])
  assert.deepEqual(Object.keys(outcome.read.get('data.outputs') as object), ['text'])
})
