import assert from 'node:assert/strict'
import { test } from 'node:test'
import { graph, node, small, validate, wire } from './graphs.ts'

const check = async (data: unknown, options = {}) => (await validate(data, options)).validation

test('an empty graph is valid, with a warning', async () => {
  const { valid, warnings } = await check(graph([]))
  assert.ok(valid)
  assert.deepEqual(
    warnings.map(({ code }) => code),
    ['NO_OUTPUT'],
  )
})

test('a graph without output node is told what becomes the outputs', async () => {
  const { warnings } = await check(
    graph([node('write', 'text.generate', { model: 'text', prompt: 'x' })]),
  )
  assert.equal(warnings[0]?.code, 'NO_OUTPUT')
  assert.match(String(warnings[0]?.message), /"write"/)
})

test('a node no output depends on is an UNREACHABLE_NODE, one that acts elsewhere is not', async () => {
  const data = small()
  data.nodes.push(
    node('idle', 'text.template', { template: 'x' }),
    node('call', 'http.request', { url: 'https://example.com/' }),
  )
  const { warnings } = await check(data)
  assert.deepEqual(
    warnings.map(({ code, nodeId }) => [code, nodeId]),
    [['UNREACHABLE_NODE', 'idle']],
  )
})

test('a node that needs both ways of a condition can never run', async () => {
  const data = graph(
    [
      node('in', 'input.text'),
      node('way', 'flow.condition', { expression: 'true' }),
      node('both', 'text.template', { template: '{{a}}{{b}}' }),
      node('out', 'output'),
    ],
    [
      wire('in', 'way'),
      wire('way.true', 'both.a'),
      wire('way.false', 'both.b'),
      wire('both', 'out'),
    ],
  )
  const { warnings } = await check(data)
  assert.deepEqual(
    warnings.map(({ code, nodeId }) => [code, nodeId]),
    [
      ['UNREACHABLE_NODE', 'both'],
      ['UNREACHABLE_NODE', 'out'],
    ],
  )
})

const unavailable: [string, string][] = [
  ['nowhere', 'MODEL_UNAVAILABLE'],
  ['disabled', 'MODEL_UNAVAILABLE'],
  ['keyless', 'PROVIDER_NOT_CONFIGURED'],
]
for (const [model, reason] of unavailable) {
  test(`the model "${model}" leaves the graph valid, with a warning and the reason ${reason}`, async () => {
    const data = graph(
      [node('w', 'text.generate', { model, prompt: 'x' }), node('o', 'output')],
      [wire('w', 'o')],
    )
    const { valid, warnings, unsupportedNodes } = await check(data)
    assert.ok(valid)
    assert.deepEqual(
      warnings.map(({ code, nodeId }) => [code, nodeId]),
      [['MODEL_UNAVAILABLE', 'w']],
    )
    assert.deepEqual(
      unsupportedNodes.map(({ nodeId, type, reason: told }) => [nodeId, type, told]),
      [['w', 'text.generate', reason]],
    )
  })
}

test('a model inside a map is looked at too', async () => {
  const data = graph(
    [
      node('l', 'input.json'),
      node('m', 'flow.map', { apply: { type: 'image.generate', data: { model: 'nowhere' } } }),
    ],
    [wire('l', 'm')],
  )
  const { unsupportedNodes } = await check(data)
  assert.equal(unsupportedNodes[0]?.nodeId, 'm')
})

test('a browser node takes and gives anything, and is told not to run here', async () => {
  const data = graph(
    [node('a', 'input.image'), node('crop', 'browser.crop', { box: [1, 2] }), node('o', 'output')],
    [wire('a', 'crop.picture'), wire('crop.result', 'o')],
  )
  const { valid, warnings, unsupportedNodes } = await check(data)
  assert.ok(valid)
  assert.equal(warnings[0]?.code, 'UNSUPPORTED_NODE')
  assert.deepEqual(
    unsupportedNodes.map(({ nodeId, type, reason }) => [nodeId, type, reason]),
    [['crop', 'browser.crop', 'BROWSER_ONLY']],
  )
})
