import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { describe, test } from 'node:test'
import { checkArguments, type Tool, toolList } from '#agents/tools/tool-list.ts'
import { operations } from '#api/public/registry.ts'

type Argument = { name: string; required: boolean; limit?: number; isUri: boolean; inner: string[] }
type Row = { tool: string; operation: string; args: Argument[] }

/** `data* (with nodes*, connections*)`, `reason (max 500)`, `callbackUrl (URI)`. */
function readArgument(text: string): Argument {
  const [, name = '', star, note = ''] = /^(\w+)(\*?)(?: \((.*)\))?$/.exec(text) ?? []
  const limit = /^max (\d+)$/.exec(note)?.[1]
  return {
    name,
    required: star === '*',
    ...(limit ? { limit: Number(limit) } : {}),
    isUri: note === 'URI',
    inner: [...note.matchAll(/(\w+)\*/g)].map((match) => match[1] ?? ''),
  }
}

const table: Row[] = readFileSync(new URL('./fixtures/tool-table.md', import.meta.url), 'utf8')
  .trim()
  .split('\n')
  .slice(2)
  .map((line) => {
    const [tool = '', operation = '', args = ''] = line
      .split('|')
      .map((cell) => cell.trim())
      .filter((cell) => cell !== '')
    const list = args === 'none' ? [] : args.split(/, (?![^(]*\))/)
    return { tool, operation, args: list.map(readArgument) }
  })

const tools = toolList(operations)
const named = (name: string): Tool => {
  const tool = tools.find((one) => one.name === name)
  assert.ok(tool, name)
  return tool
}
type Property = { [key: string]: unknown; properties?: Record<string, unknown> }
const property = (tool: Tool, name: string) => tool.parameters.properties[name] as Property

describe('the 18 tools of the specification', () => {
  test('are there, in order, each bound to its operation', () => {
    assert.equal(table.length, 18)
    assert.deepEqual(
      tools.map((tool) => [tool.name, tool.operation.id]),
      table.map((row) => [row.tool, row.operation]),
    )
  })

  for (const { tool: name, args } of table) {
    test(`${name} takes exactly its arguments`, () => {
      const tool = named(name)
      assert.deepEqual(
        Object.keys(tool.parameters.properties).sort(),
        args.map((arg) => arg.name).sort(),
      )
      assert.deepEqual(
        (tool.parameters.required ?? []).toSorted(),
        args
          .filter((arg) => arg.required)
          .map((arg) => arg.name)
          .sort(),
      )
      assert.equal(tool.parameters.additionalProperties, false)
      for (const arg of args) {
        const { maxLength, format, required } = property(tool, arg.name)
        if (arg.limit !== undefined) assert.equal(maxLength, arg.limit, arg.name)
        if (arg.isUri) assert.equal(format, 'uri')
        if (arg.inner.length > 0) assert.deepEqual(required, arg.inner)
      }
    })

    test(`${name} refuses an argument it does not know`, () => {
      const issues = checkArguments(named(name), { unheardOf: 1 })
      assert.ok(issues?.some((issue) => issue.path === '/unheardOf'))
    })
  }
})

test('limits are those of the specification', () => {
  const limits: [string, string, string, unknown][] = [
    ['svc_list_tasks', 'page', 'minimum', 1],
    ['svc_list_tasks', 'page', 'default', 1],
    ['svc_list_tasks', 'size', 'minimum', 1],
    ['svc_list_tasks', 'size', 'maximum', 200],
    ['svc_list_tasks', 'size', 'default', 50],
    ['svc_chat', 'messages', 'minItems', 1],
    ['svc_chat', 'maxTokens', 'minimum', 1],
    ['svc_chat', 'maxTokens', 'type', 'integer'],
    ['svc_generate_image', 'messages', 'minItems', 1],
    ['svc_generate_video', 'videoSeconds', 'minimum', 1],
    ['svc_generate_video', 'videoSeconds', 'type', 'integer'],
    ['svc_run_workflow', 'metadata', 'maxProperties', 100],
    ['svc_run_workflow', 'workflowId', 'minimum', 1],
    ['svc_get_workflow_run', 'runId', 'format', 'uuid'],
    ['svc_get_task', 'taskId', 'format', 'uuid'],
  ]
  for (const [tool, argument, keyword, value] of limits) {
    assert.deepEqual(property(named(tool), argument)[keyword], value, `${tool} ${argument}`)
  }
  for (const name of ['svc_validate_workflow', 'svc_create_workflow', 'svc_update_workflow']) {
    const { nodes, connections } = (property(named(name), 'data').properties ?? {}) as Record<
      string,
      Property
    >
    assert.equal(nodes?.maxItems, 200, name)
    assert.equal(connections?.maxItems, 1000, name)
  }
})

test('items of creative messages, of nodes and of connections are plain objects', () => {
  const items = (tool: string, path: string[]) => {
    let at: Property = { properties: named(tool).parameters.properties }
    for (const name of path) at = at.properties?.[name] as Property
    return at.items
  }
  assert.deepEqual(items('svc_generate_image', ['messages']), { type: 'object' })
  assert.deepEqual(items('svc_generate_video', ['messages']), { type: 'object' })
  for (const tool of ['svc_validate_workflow', 'svc_create_workflow', 'svc_update_workflow']) {
    assert.deepEqual(items(tool, ['data', 'nodes']), { type: 'object' })
    assert.deepEqual(items(tool, ['data', 'connections']), { type: 'object' })
  }
})

test('hints say what only reads, what is destructive, what may be repeated and what calls providers', () => {
  const withHint = (hint: keyof Tool['hints']) =>
    tools.filter((tool) => tool.hints[hint]).map((tool) => tool.name.slice('svc_'.length))
  assert.deepEqual(withHint('readOnlyHint'), [
    'list_models',
    'get_task',
    'list_tasks',
    'list_workflows',
    'get_workflow',
    'validate_workflow',
    'get_workflow_schema',
    'estimate_workflow',
    'get_workflow_run',
    'list_workflow_runs',
  ])
  assert.deepEqual(withHint('destructiveHint'), [
    'update_workflow',
    'delete_workflow',
    'cancel_workflow_run',
  ])
  assert.deepEqual(withHint('idempotentHint'), [
    'update_workflow',
    'delete_workflow',
    'run_workflow',
    'cancel_workflow_run',
  ])
  assert.deepEqual(withHint('openWorldHint'), [
    'chat',
    'generate_image',
    'generate_video',
    'run_workflow',
  ])
})

test('descriptions contain the rules of use', () => {
  const rules: [string, RegExp][] = [
    ['svc_list_models', /before choosing/],
    ['svc_chat', /TEXT or CODE model/],
    ['svc_generate_image', /Keep the taskId/],
    ['svc_generate_image', /time-out.*do not submit again.*svc_list_tasks/],
    ['svc_generate_video', /time-out.*do not submit again.*svc_list_tasks/],
    ['svc_list_tasks', /time-out.*taskId/],
    ['svc_get_task', /retryAfterSeconds/],
    ['svc_create_workflow', /authorization of the user/],
    ['svc_update_workflow', /authorization of the user/],
    ['svc_delete_workflow', /authorization of the user.*exact workflow ID/],
    ['svc_estimate_workflow', /not the final charge/],
    ['svc_run_workflow', /time-out.*same key.*new key/],
    ['svc_get_workflow_run', /retryAfterSeconds/],
    ['svc_cancel_workflow_run', /may still finish and be billed/],
  ]
  for (const [name, rule] of rules) assert.match(named(name).description, rule, name)
})
