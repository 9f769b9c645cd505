import assert from 'node:assert/strict'
import { test } from 'node:test'
import { bindCall, checkArguments, type ToolArguments, toolList } from '#agents/tools/tool-list.ts'
import { operations } from '#api/public/registry.ts'

const tools = new Map(toolList(operations).map((tool) => [tool.name, tool]))
const toolNamed = (name: string) => {
  const tool = tools.get(name)
  assert.ok(tool, name)
  return tool
}
const bind = (name: string, args: ToolArguments) => {
  assert.equal(checkArguments(toolNamed(name), args), null)
  return bindCall(toolNamed(name), args)
}
const problems = (name: string, args: unknown) =>
  (checkArguments(toolNamed(name), args) ?? []).map(({ path, rule }) => `${path} ${rule}`)

const P = '/api/ai-tools/v1'
const uuid = '00000000-0000-7000-8000-000000000000'

test('arguments named in the path go there', () => {
  assert.deepEqual(bind('svc_get_workflow', { workflowId: 7 }), {
    method: 'GET',
    path: `${P}/workflows/7`,
    headers: {},
    body: undefined,
  })
})

test('page and size go to the query', () => {
  assert.equal(bind('svc_list_tasks', { size: 10, page: 2 }).path, `${P}/tasks?page=2&size=10`)
  assert.equal(bind('svc_list_tasks', {}).path, `${P}/tasks`)
})

test('the idempotency key becomes the header and leaves the body', () => {
  const call = bind('svc_run_workflow', { workflowId: 7, idempotencyKey: 'k 1', inputs: { a: 1 } })
  assert.deepEqual(call, {
    method: 'POST',
    path: `${P}/workflows/7/runs`,
    headers: { 'idempotency-key': 'k 1', 'content-type': 'application/json' },
    body: '{"inputs":{"a":1}}',
  })
})

test('all other arguments form the body', () => {
  const { method, path, body } = bind('svc_cancel_workflow_run', { runId: uuid, reason: 'x' })
  assert.deepEqual(
    [method, path, body],
    ['POST', `${P}/workflow-runs/${uuid}/cancel`, '{"reason":"x"}'],
  )
  assert.equal(bind('svc_estimate_workflow', { workflowId: 1 }).body, '{}')
})

test('a key that no header could carry is refused before it is sent', () => {
  for (const idempotencyKey of ['', 'a\r\nx: y', 'schlüssel', 'k'.repeat(129)]) {
    const found = problems('svc_run_workflow', { workflowId: 1, idempotencyKey })
    assert.ok(
      found.some((problem) => problem.startsWith('/idempotencyKey ')),
      idempotencyKey,
    )
  }
})

test('each creative tool takes the fields of its own kind only', () => {
  const common = { model: 'm', messages: [{ anything: 1 }] }
  assert.deepEqual(problems('svc_generate_image', { ...common, videoSeconds: 3 }), [
    '/videoSeconds additionalProperties',
  ])
  assert.deepEqual(problems('svc_generate_video', { ...common, imageQuality: 'high' }), [
    '/imageQuality additionalProperties',
  ])
})

test('all problems of a call are reported at once', () => {
  assert.deepEqual(problems('svc_run_workflow', { workflowId: '1', more: true }).sort(), [
    '/idempotencyKey required',
    '/more additionalProperties',
    '/workflowId type',
  ])
})

test('anything but an object is refused', () => {
  for (const args of [null, undefined, [], 'x', 5]) {
    assert.deepEqual(problems('svc_list_models', args), [' type'])
  }
})

test('a large call full of mistakes gets only one message', () => {
  const messages = Array.from({ length: 50_000 }, () => 'not an object')
  assert.equal(checkArguments(toolNamed('svc_generate_image'), { model: 'm', messages })?.length, 1)
})
