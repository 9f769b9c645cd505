import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ItemFailure, NodeFailure } from '#graph/node/node-failure.ts'
import type { Config, NodeExecution } from '#graph/node/node-type.ts'
import { applicable } from '#graph/types/loop-step.ts'
import { findNodeType, nodeTypes } from '#graph/types/table.ts'
import { graph, node, validate, wire } from './graphs.ts'
import { execution } from './run-plan.ts'

const generate = { type: 'text.generate', data: { model: 'text' } }
const template = (text: string) => ({ type: 'text.template', data: { template: text } })

async function execute(
  type: string,
  config: Config,
  ports: Record<string, unknown>,
  services: Partial<NodeExecution> = {},
) {
  const nodeType = findNodeType(type)
  assert.ok(nodeType?.execute)
  return nodeType.execute(execution(services), { ports, merged: [] }, config)
}

/** Items that fail as the engine reports it, if they may. */
const failing = (...indices: number[]): Partial<NodeExecution> => ({
  forItem: (async ({ index, mayFail }, run) => {
    if (!indices.includes(index)) return run(execution())
    const error = { code: 'CONTENT_REJECTED' as const, message: `no ${index}` }
    if (mayFail) return new ItemFailure(error)
    throw new NodeFailure(error.code, error.message)
  }) as NodeExecution['forItem'],
})

const portsOf = (type: string, data: Config) => {
  const { inputs = [], outputs = [] } = findNodeType(type)?.ports(data, () => undefined) ?? {}
  const named = ({ name, type: portType }: { name: string; type: string }) => `${name}:${portType}`
  return [inputs.map(named), outputs.map(named)]
}

test('every node type that executes, takes a value and has an output may be repeated', () => {
  const types = nodeTypes.filter(({ type, execute: run, inputSchema }) => {
    return run && !inputSchema && type !== 'output'
  })
  assert.deepEqual(types.map(({ type }) => type).sort(), [...applicable].sort())
})

test('a map fails with an item, leaves it out, or keeps null in its place', async () => {
  const run = (data: Config) =>
    execute(
      'flow.map',
      { apply: template('{{item}}!'), ...data },
      { items: ['a', 'b', 'c'] },
      failing(1),
    )
  await assert.rejects(run({}), { code: 'CONTENT_REJECTED' })
  const errors = [{ index: 1, code: 'CONTENT_REJECTED', message: 'no 1' }]
  assert.deepEqual(await run({ onItemError: 'skip' }), { results: ['a!', 'c!'], errors })
  assert.deepEqual(await run({ onItemError: 'collect' }), { results: ['a!', null, 'c!'], errors })
})

test('only a map whose items may fail has a port for errors, so that earlier graphs stay as they are', () => {
  assert.deepEqual(portsOf('flow.map', { apply: generate }), [['items:list'], ['results:list']])
  assert.deepEqual(portsOf('flow.map', { apply: generate, onItemError: 'fail' })[1], [
    'results:list',
  ])
  const collected = portsOf('flow.map', { apply: generate, onItemError: 'collect' })
  assert.deepEqual(collected[1], ['results:list', 'errors:list'])
})

test('context ports have the type of the port they feed, and every item gets their value', async () => {
  const asked: unknown[] = []
  const services: Partial<NodeExecution> = {
    generateText: async ({ prompt, system }) => {
      asked.push([prompt, system])
      return { text: 'x', finish: 'stop' }
    },
  }
  const data = { apply: generate, context: ['system', 'image'] }
  assert.deepEqual(portsOf('flow.map', data)[0], ['items:list', 'system:text', 'image:image'])
  assert.deepEqual(portsOf('flow.repeat', { ...data, until: 'true' })[0], [
    ...['value:any', 'system:text', 'image:image'],
  ])
  const ports = { items: ['a', 'b'], system: 'Be brief.' }
  await execute('flow.map', data, ports, services)
  assert.deepEqual(asked, [
    ['a', 'Be brief.'],
    ['b', 'Be brief.'],
  ])
})

test('a port of the step that must have a value may come from the context, and must then be connected', async () => {
  const told = template('{{item}} in {{language}}')
  const each = (data: object) => node('each', 'flow.map', { items: ['a'], apply: told, ...data })
  const codes = async (data: ReturnType<typeof graph>) =>
    (await validate(data)).validation.errors.map(({ code, path }) => [code, path])
  assert.deepEqual(await codes(graph([each({})])), [
    ['INVALID_CONFIG', '/nodes/0/data/apply/data/language'],
  ])
  const named = each({ context: ['language'] })
  assert.deepEqual(
    (await codes(graph([named]))).map(([code]) => code),
    ['REQUIRED_PORT_UNCONNECTED'],
  )
  const connected = graph([named, node('in', 'input.text')], [wire('in', 'each.language')])
  assert.deepEqual(await codes(connected), [])
})

test('a step inside a step is checked where it stands', async () => {
  const inner = { apply: { type: 'json.transform', data: { expression: '((' } } }
  const data = graph([
    node('m', 'flow.map', { items: [], apply: { type: 'flow.map', data: inner } }),
  ])
  const { validation } = await validate(data, {
    checkExpressions: async (texts) => texts.map(() => 'no good'),
  })
  assert.deepEqual(
    validation.errors.map(({ path }) => path),
    ['/nodes/0/data/apply/data/apply/data/expression'],
  )
  const called = { apply: { type: 'workflow.call', data: { workflowId: 9 } } }
  const missing = graph([
    node('m', 'flow.map', { items: [], apply: { type: 'flow.map', data: called } }),
  ])
  const { validation: other } = await validate(missing)
  assert.deepEqual(
    other.errors.map(({ code, path }) => [code, path]),
    [['SUBWORKFLOW_NOT_FOUND', '/nodes/0/data/apply/data/apply/data/workflowId']],
  )
})

/** An expression is a function here: tests of expressions are elsewhere. */
const until = (isOver: (scope: { value: string; index: number; previous: string }) => unknown) => ({
  evaluateExpression: async (_text: string, input: unknown) => isOver(input as never),
})

test('a loop hands each pass the result of the last, until its expression is true', async () => {
  const seen: unknown[] = []
  const run = (limit: Config, isOver: Parameters<typeof until>[0]) =>
    execute(
      'flow.repeat',
      { apply: template('{{item}}!'), until: 'u', ...limit },
      { value: 'a' },
      until(isOver),
    )
  const done = await run({}, (scope) => {
    seen.push(scope)
    return scope.value.length > 3
  })
  assert.deepEqual(done, { value: 'a!!!', iterations: ['a!', 'a!!', 'a!!!'] })
  assert.deepEqual(seen, [
    { value: 'a!', index: 0, previous: 'a' },
    { value: 'a!!', index: 1, previous: 'a!' },
    { value: 'a!!!', index: 2, previous: 'a!!' },
  ])
  const never = () => false
  await assert.rejects(run({ maxIterations: 2 }, never), { code: 'ITERATION_LIMIT' })
  assert.deepEqual(await run({ maxIterations: 2, onLimit: 'pass' }, never), {
    value: 'a!!',
    iterations: ['a!', 'a!!'],
  })
  await assert.rejects(
    run({}, () => 'yes'),
    { code: 'TYPE_MISMATCH' },
  )
})

test('what a loop collects is bounded', async () => {
  const services = until(() => false)
  const apply = template(`{{item}}${'x'.repeat(100_000)}`)
  await assert.rejects(
    execute('flow.repeat', { apply, until: 'u', maxIterations: 100 }, { value: '' }, services),
    { code: 'EXPRESSION_LIMIT', message: /8 MiB/ },
  )
})
