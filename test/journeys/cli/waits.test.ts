import assert from 'node:assert/strict'
import { test } from 'node:test'
import { signUp } from '../../support/console.ts'
import { addWorkflow, type Caller, ended, graph, started, until } from '../runs/setting.ts'
import { openSetting } from './setting.ts'

const asking = graph(
  [
    { id: 'in', type: 'input.text' },
    { id: 'ask', type: 'wait.approval', data: { title: 'Publish?', mayEdit: true } },
    { id: 'yes', type: 'output' },
    { id: 'no', type: 'output' },
  ],
  ['in -> ask.value', 'ask.approved -> yes', 'ask.rejected -> no'],
)

test('what runs wait for is listed, approved and rejected from the command line', async (t) => {
  const { server, cli } = await openSetting(t, { SIGN_UP: 'open' })
  const me = await signUp(server)
  const key = await me.newKey({
    scopes: ['workflows:write', 'runs:write', 'runs:read', 'waits:answer'],
  })
  const api: Caller = {
    call: (call) => server.call({ key, ...(typeof call === 'string' ? { path: call } : call) }),
  }
  const env = { ATELIER_API_KEY: key }
  const workflowId = await addWorkflow(api, asking, 'Letters')
  const begin = async () => {
    const runId = await started(api, workflowId, { inputs: { in: 'x' } })
    await until(api, runId, ({ waitingFor }) => waitingFor?.length === 1)
    return runId
  }
  const [first, second] = [await begin(), await begin()]
  const list = await cli(['waits', 'list', '--mine'], { env })
  assert.match(list.stdout, new RegExp(`^RUN .*\\n${first} +[0-9a-f-]{36} +approval +Publish\\?`))
  assert.match(list.stdout, /Letters/)
  const approved = await cli(['waits', 'approve', first, '--value', '"y"', '--comment', 'ok'], {
    env,
  })
  assert.deepEqual([approved.code, approved.stderr], [0, ''])
  assert.match(approved.stdout, /^Approved by test at /)
  assert.deepEqual((await ended(api, first)).outputs, { yes: 'y' })
  const wrong = await cli(['waits', 'reject', second, '--response', 'x'], { env })
  assert.equal(wrong.code, 2)
  const rejected = await cli(['waits', 'reject', second, '--json'], { env })
  assert.equal(JSON.parse(rejected.stdout).answer.decision, 'reject')
  assert.deepEqual((await ended(api, second)).outputs, { no: 'x' })
  const none = await cli(['waits', 'approve', second], { env })
  assert.match(none.stderr, /waits for no approval/)
})
