import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import OpenAI from 'openai'
import { startServer, type TestServer } from '../../../support/server.ts'
import { addWorkflow, graph } from '../../runs/setting.ts'
import { type Loop, runLoop, serviceTools } from './agent.ts'

let server: TestServer
let client: OpenAI

before(async () => {
  server = await startServer()
  client = new OpenAI({ baseURL: `${server.url}/v1`, apiKey: server.ownerKey, maxRetries: 0 })
  const greeting = graph(
    [
      { id: 'phrase', type: 'input.text' },
      { id: 'greet', type: 'text.template', data: { template: 'Well, {{words}}!' } },
      { id: 'greeting', type: 'output' },
    ],
    ['phrase -> greet.words', 'greet -> greeting'],
  )
  await addWorkflow(server, greeting, 'First')
  await addWorkflow(server, greeting, 'Second')
  await addWorkflow(server, greeting, 'Third')
})
after(() => server.stop())

const ask = async (messages: OpenAI.ChatCompletionMessageParam[]) => {
  const answer = await client.chat.completions.create({
    model: 'demo-text',
    messages,
    tools: serviceTools,
  })
  const [choice] = answer.choices
  assert.ok(choice)
  return choice
}

const streamed = async (messages: OpenAI.ChatCompletionMessageParam[]) => {
  const stream = client.chat.completions.stream({
    model: 'demo-text',
    messages,
    tools: serviceTools,
  })
  const [choice] = (await stream.finalChatCompletion()).choices
  assert.ok(choice)
  return choice
}

const names = ({ calls }: Loop) => calls.map(({ name }) => name)

describe('the demo model, given the functions of this service', () => {
  const goal =
    "list the workflows, run workflow 3 with input text 'hello', wait until it ends and tell me the output"

  for (const [how, way] of [
    ['whole', ask],
    ['piece by piece', streamed],
  ] as const) {
    test(`lists workflows, runs one, waits until it ends and tells its output, ${how}`, async () => {
      const loop = await runLoop(way, server, goal)
      assert.deepEqual(
        [...new Set(names(loop))],
        [
          'svc_list_workflows',
          'svc_get_workflow_schema',
          'svc_run_workflow',
          'svc_get_workflow_run',
        ],
      )
      const run = loop.calls.find(({ name }) => name === 'svc_run_workflow')
      assert.equal(run?.args.workflowId, 3)
      assert.deepEqual(run?.args.inputs, { phrase: 'hello' })
      assert.match(loop.text, /Third/)
      assert.match(loop.text, /Well, hello!/)
      assert.match(loop.text, /demo model/)
    })
  }

  test('finds a workflow by its name', async () => {
    const loop = await runLoop(
      ask,
      server,
      "Run the workflow 'Second' with 'good morning' and show me the result",
    )
    assert.equal(names(loop)[0], 'svc_list_workflows')
    assert.match(loop.text, /Well, good morning!/)
  })

  test('chooses a model, generates a picture and says where it is', async () => {
    const loop = await runLoop(ask, server, 'make an image of a red door')
    assert.deepEqual(names(loop).slice(0, 3), [
      'svc_list_models',
      'svc_generate_image',
      'svc_get_task',
    ])
    assert.deepEqual(loop.calls[1]?.args, {
      model: 'demo-image',
      messages: [{ role: 'user', content: 'a red door' }],
    })
    assert.match(loop.text, /COMPLETED/)
    assert.match(loop.text, /\/media\//)
  })

  test('goes on from what an earlier question found', async () => {
    const first = await runLoop(ask, server, "Run workflow 1 with 'again'")
    const second = await runLoop(ask, server, 'Cancel the workflow run', first.messages)
    assert.deepEqual(names(second), ['svc_cancel_workflow_run'])
    const run = first.calls.find(({ name }) => name === 'svc_get_workflow_run')
    assert.equal(second.calls[0]?.args.runId, run?.args.runId)
  })

  test('asks for what it cannot find, and starts nothing', async () => {
    const loop = await runLoop(ask, server, 'Delete a workflow')
    assert.ok(!names(loop).includes('svc_delete_workflow'))
    assert.match(loop.text, /I need workflowId/)
  })

  test('leaves alone what it was told not to touch', async () => {
    const loop = await runLoop(ask, server, 'Do not delete workflow 1; list the models')
    assert.deepEqual(names(loop), ['svc_list_models'])
  })

  test('reports the error that an answer contains', async () => {
    const loop = await runLoop(ask, server, 'Get workflow 999')
    assert.deepEqual(names(loop), ['svc_get_workflow'])
    assert.match(loop.text, /did not work: There is no such workflow/)
  })
})
