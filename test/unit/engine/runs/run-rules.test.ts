import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { fingerprintOf, readKey } from '#api/public/runs/idempotency.ts'
import { sameNodes } from '#api/public/runs/same-nodes.ts'
import { canonicalJson } from '#core/canonical-json.ts'
import { newNode, nodeStatuses, packNodes, totalsOf, unpackNodes } from '#core/run-nodes.ts'
import { isTerminal, mayMove, runStatuses, statesBefore } from '#core/run-states.ts'

test('the legal transitions are those of the contract, and no others', () => {
  const legal = runStatuses.flatMap((from) =>
    runStatuses.filter((to) => mayMove(from, to)).map((to) => `${from} ${to}`),
  )
  assert.deepEqual(legal.sort(), [
    'CANCEL_REQUESTED CANCELLED',
    'CANCEL_REQUESTED COMPLETED',
    'CANCEL_REQUESTED FAILED',
    'QUEUED CANCEL_REQUESTED',
    'QUEUED FAILED',
    'QUEUED RUNNING',
    'RUNNING CANCEL_REQUESTED',
    'RUNNING COMPLETED',
    'RUNNING FAILED',
  ])
  assert.deepEqual(statesBefore('COMPLETED'), ['RUNNING', 'CANCEL_REQUESTED'])
  assert.deepEqual(runStatuses.filter(isTerminal), ['COMPLETED', 'FAILED', 'CANCELLED'])
})

test('canonical JSON follows RFC 8785', () => {
  const value = {
    '\u20ac': 'Euro Sign',
    '\r': 'Carriage Return',
    '\ufb33': 'Hebrew Letter Dalet With Dagesh',
    '1': 'One',
    '\ud83d\ude00': 'Emoji: Grinning Face',
    '\u0080': 'Control',
    '\u00f6': 'Latin Small Letter O With Diaeresis',
  }
  // The order of section 3.2.3.
  assert.deepEqual(
    Object.keys(JSON.parse(canonicalJson(value))).filter((k) => k !== '1'),
    ['\r', '\u0080', '\u00f6', '\u20ac', '\ud83d\ude00', '\ufb33'],
  )
  assert.ok(canonicalJson(value).startsWith('{"\\r":"Carriage Return","1":"One",'))
  assert.equal(
    canonicalJson([333333333.3333333, 1e30, 4.5, 2e-3, 1e-27, -0]),
    '[333333333.3333333,1e+30,4.5,0.002,1e-27,0]',
  )
})

test('the order of members does not change a fingerprint, anything else does', () => {
  fc.assert(
    fc.property(fc.dictionary(fc.string(), fc.jsonValue()), (value) => {
      const turned = Object.fromEntries(Object.entries(value).reverse())
      assert.equal(fingerprintOf(turned), fingerprintOf(value))
      assert.deepEqual(JSON.parse(canonicalJson(value)), JSON.parse(JSON.stringify(value)))
    }),
  )
  assert.notEqual(fingerprintOf({ a: 1 }), fingerprintOf({ a: '1' }))
})

test('a key is read as the contract says', () => {
  const read = (...values: string[]) => readKey(() => values)
  assert.equal(read('"k"'), 'k')
  assert.equal(read('""k""'), '"k"')
  assert.equal(read('a b'), 'a b')
  assert.throws(() => read(), { code: 'IDEMPOTENCY_KEY_REQUIRED' })
  assert.throws(() => read('""'), { code: 'IDEMPOTENCY_KEY_REQUIRED' })
  assert.throws(() => read('a', 'b'), { code: 'IDEMPOTENCY_KEY_INVALID' })
  assert.throws(() => read('a\tb'), { code: 'IDEMPOTENCY_KEY_INVALID' })
})

test('the states of nodes survive packing', () => {
  const progress = fc.record(
    {
      status: fc.constantFrom(...nodeStatuses),
      attempts: fc.nat(),
      startedAtMs: fc.integer({ min: 100 }),
      completedAtMs: fc.option(fc.integer({ min: 100 })),
      taskId: fc.option(fc.uuid()),
      costMicros: fc.option(fc.nat()),
      isCut: fc.boolean(),
      items: fc.option(fc.nat()),
      failedItems: fc.nat(),
    },
    { noNullPrototype: true },
  )
  fc.assert(
    fc.property(fc.array(progress), (nodes) => {
      assert.deepEqual(unpackNodes(JSON.parse(packNodes(nodes, 100)), 100), nodes)
    }),
  )
  const skipped = { ...newNode(), status: 'SKIPPED' as const }
  assert.deepEqual(unpackNodes(JSON.parse(packNodes([skipped], 5)), 5), [skipped])
  assert.deepEqual(totalsOf([skipped, newNode()]), { completed: 0, skipped: 1, failed: 0 })
})

test('a node counts as unchanged only if everything upstream of it is', () => {
  const node = (id: string, data: Record<string, unknown> = {}) => ({ id, type: 't', data })
  const wire = (source: string, target: string) => ({ source, target })
  const wires = [wire('a', 'b'), wire('b', 'c')]
  const before = {
    nodes: [node('a'), node('b'), node('c'), node('d', { workflowId: 7 })],
    connections: wires,
  }
  const same = (nodes: object[], connections = wires, changed: number[] = []) =>
    [...sameNodes(before, { nodes, connections } as typeof before, new Set(changed))].join('')
  assert.equal(same(before.nodes), 'abcd')
  assert.equal(same(before.nodes, wires, [7]), 'abc')
  assert.equal(same([node('a'), node('b', { x: 1 }), node('c')]), 'a')
  assert.equal(same([node('a', { label: 'new' }), node('b'), node('c')]), 'abc')
  assert.equal(same([node('a'), node('b'), node('c')], [wire('a', 'b'), wire('a', 'c')]), 'ab')
})
