import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import type { ListedRun, RunCall, RunNode, RunView } from '#console/api/types.ts'
import { exampleInputs } from '#console/canvas/example-inputs.ts'
import { isUnder, mergeView, rootOf, stepsTo } from '#console/canvas/run/run-state.ts'
import { stillBilled } from '#console/canvas/run/still-billed.ts'
import { runSearch } from '#console/screens/runs/address.ts'
import { barsOf, busySpans, readyMsOf, triesOf } from '#console/screens/runs/bars.ts'
import { createTimeline } from '#console/screens/runs/timeline.ts'
import { runAsCurl } from '#console/shared/run-as-code.ts'
import { membersOf, shownAs } from '#console/shared/value-kind.ts'

const at = (ms: number): string => new Date(ms).toISOString()

const node = (nodeId: string, more: Partial<RunNode> = {}): RunNode => ({
  nodeId,
  type: 'text.generate',
  status: 'COMPLETED',
  attempts: 1,
  startedAt: at(0),
  completedAt: at(1_000),
  cost: null,
  ...more,
})

const call = (path: string, more: Partial<RunCall> = {}): RunCall => ({
  path,
  kind: 'TEXT',
  status: 'DONE',
  attempts: 1,
  startedAt: at(0),
  completedAt: at(1_000),
  cost: null,
  error: null,
  ...more,
})

const run = { runId: 'r', status: 'RUNNING', createdAt: at(0), startedAt: at(0) } as ListedRun

const whole = (nodes: RunNode[]): RunView => ({
  rev: 'one',
  run,
  nodes,
  calls: [call('a#0')],
  graph: { nodes: [], connections: [] },
  inputs: {},
})

test('what is approved is shown member by member where that says more than a tree', () => {
  const frame = { url: '/media/1', mimeType: 'image/png', sizeBytes: 1 }
  assert.deepEqual(membersOf({ script: 'A boat', frame }), [
    ['script', 'A boat'],
    ['frame', frame],
  ])
  for (const plain of [{ a: 1, b: 'word' }, frame, [frame], 'text', null])
    assert.equal(membersOf(plain), null)
})

test('an answer that changes nothing leaves the very same state', () => {
  const before = mergeView(null, whole([node('a'), node('b')]))
  const { graph: _, inputs: __, ...same } = whole([node('a')])
  assert.equal(mergeView(before, { ...same, rev: 'two' }), before)
})

test('of an answer only what changed is new, and the graph stays', () => {
  const before = mergeView(null, whole([node('a'), node('b')]))
  const changed = { rev: 'two', run, nodes: [node('b', { status: 'FAILED' })], calls: [] }
  const after = mergeView(before, changed)
  assert.equal(after.rev, 'two')
  assert.equal(after.nodes.a, before.nodes.a)
  assert.equal(after.nodes.b?.status, 'FAILED')
  assert.equal(after.graph, before.graph)
  assert.equal(after.calls, before.calls)
})

test('a whole answer replaces everything', () => {
  const before = mergeView(null, whole([node('a'), node('b')]))
  assert.deepEqual(Object.keys(mergeView(before, whole([node('a')])).nodes), ['a'])
})

test('paths lead from the outside in', () => {
  assert.deepEqual(stepsTo('a[2]/b[0]'), ['a', 'a[2]', 'a[2]/b', 'a[2]/b[0]'])
  assert.equal(rootOf('a[2]/b#0'), 'a')
  assert.ok(isUnder('a', 'a[2]/b#0') && isUnder('a[2]', 'a[2]/b#0') && isUnder('a', 'a#0'))
  assert.ok(!isUnder('a', 'ab#0') && !isUnder('a[2]', 'a[20]#0'))
})

test('a long idle gap is folded and says how long it was', () => {
  const { folds, place } = createTimeline({ fromMs: 0, toMs: 50_000 }, [
    { fromMs: 0, toMs: 4_000 },
    { fromMs: 46_000, toMs: 50_000 },
  ])
  assert.deepEqual(
    folds.map(({ ms }) => ms),
    [42_000],
  )
  assert.ok(place(4_000) > 0.4, 'the work has most of the room')
  assert.ok(place(46_000) - place(4_000) < 0.1)
})

test('short gaps, and those that are small beside the work, stay as they are', () => {
  assert.equal(
    createTimeline({ fromMs: 0, toMs: 3_000 }, [
      { fromMs: 0, toMs: 1_000 },
      { fromMs: 1_900, toMs: 3_000 },
    ]).folds.length,
    0,
  )
  assert.equal(
    createTimeline({ fromMs: 0, toMs: 100_000 }, [
      { fromMs: 0, toMs: 50_000 },
      { fromMs: 60_000, toMs: 100_000 },
    ]).folds.length,
    0,
  )
})

test('time never runs backwards on the line, and all of it fits', () => {
  const spans = fc.array(
    fc
      .tuple(fc.integer({ min: 0, max: 100_000 }), fc.integer({ min: 0, max: 9_000 }))
      .map(([fromMs, length]) => ({ fromMs, toMs: fromMs + length })),
    { maxLength: 12 },
  )
  fc.assert(
    fc.property(spans, fc.array(fc.integer({ min: -9, max: 110_000 })), (busy, times) => {
      const line = createTimeline({ fromMs: 0, toMs: 100_000 }, busy)
      assert.ok(line.place(0) === 0 && Math.abs(line.place(100_000) - 1) < 1e-9)
      const places = times.toSorted((a, b) => a - b).map(line.place)
      for (const [i, place] of places.entries()) assert.ok(place >= (places[i - 1] ?? 0) - 1e-12)
      // No work is hidden inside a fold.
      for (const { fromMs, toMs } of busy) {
        const [from, to] = [line.place(fromMs), line.place(toMs)]
        for (const fold of line.folds) assert.ok(to <= fold.from + 1e-9 || from >= fold.to - 1e-9)
      }
    }),
  )
})

test('a row shows how long it waited, worked and called', () => {
  const worked = node('b', { startedAt: at(3_000), completedAt: at(9_000) })
  const calls = [call('b#0', { startedAt: at(3_100), completedAt: at(8_000), attempts: 3 })]
  const bars = barsOf('b', worked, { calls, readyMs: 1_000, nowMs: 10_000 })
  assert.deepEqual(
    bars.map(({ kind, fromMs, toMs, attempts }) => [kind, fromMs, toMs, attempts]),
    [
      ['wait', 1_000, 3_000, 0],
      ['work', 3_000, 9_000, 1],
      ['call', 3_100, 8_000, 3],
    ],
  )
})

test('a call that was tried again has a bar for each attempt the ledger knows', () => {
  const calls = [call('b#0', { completedAt: at(8_000), attempts: 2 })]
  const attempt = (from: number, to: number) => ({ createdAt: at(from), settledAt: at(to) })
  const kinds = (known: ReturnType<typeof attempt>[]) =>
    barsOf('b', node('b'), {
      calls,
      readyMs: null,
      nowMs: 9_000,
      attempts: new Map([['b#0', known]]),
    })
      .slice(1)
      .map(({ kind, fromMs, toMs }) => [kind, fromMs, toMs])
  assert.deepEqual(kinds([attempt(5_000, 8_000), attempt(0, 1_000)]), [
    ['retry', 0, 1_000],
    ['call', 5_000, 8_000],
  ])
  assert.deepEqual(kinds([attempt(0, 1_000)]), [['call', 0, 8_000]])
})

test('the attempts of a task are bars of the call that waited for it', () => {
  const calls = [call('b#0', { completedAt: at(8_000), kind: 'MEDIA', taskId: 't' })]
  const attempt = (from: number, to: number) => ({ createdAt: at(from), settledAt: at(to) })
  const attempts = new Map([['t', [attempt(0, 1_000), attempt(5_000, 8_000)]]])
  const bars = barsOf('b', node('b'), { calls, readyMs: null, nowMs: 9_000, attempts })
  assert.deepEqual(
    bars.slice(1).map(({ kind, fromMs, toMs }) => [kind, fromMs, toMs]),
    [
      ['retry', 0, 1_000],
      ['call', 5_000, 8_000],
    ],
  )
  assert.equal(triesOf(node('b'), calls, attempts), 2)
})

test('a link from the ledger leads to the node of the call', () => {
  assert.deepEqual(runSearch({ node: 'write[1]#0' }), { node: 'write[1]' })
  assert.deepEqual(runSearch({ node: 7 }), {})
})

test('a node is ready when all before it have ended; skipped ones hold nobody up', () => {
  const nodes = {
    a: node('a', { completedAt: at(2_000) }),
    b: node('b', { status: 'SKIPPED', startedAt: null, completedAt: null }),
    c: node('c', { status: 'RUNNING', completedAt: null }),
  }
  const wires = [
    { source: 'a', target: 'd' },
    { source: 'b', target: 'd' },
  ]
  assert.equal(readyMsOf('d', run, nodes, wires), 2_000)
  assert.equal(readyMsOf('d', run, nodes, [...wires, { source: 'c', target: 'd' }]), null)
})

test('between two calls of one node nobody works, and its ends stay visible', () => {
  const long = node('a', { startedAt: at(0), completedAt: at(60_000) })
  const calls = [
    call('a#0', { startedAt: at(100), completedAt: at(3_000) }),
    call('a#1', { startedAt: at(50_000), completedAt: at(59_000) }),
  ]
  const line = createTimeline({ fromMs: 0, toMs: 60_000 }, busySpans({ a: long }, calls, 60_000))
  assert.deepEqual(
    line.folds.map(({ ms }) => ms),
    [47_000],
  )
})

const nameOf = (id: string) => `Node ${id}`

test('cancelling says which calls may still be billed', () => {
  assert.match(stillBilled([call('a#0')], nameOf), /nothing more/)
  const open = { status: 'STARTED' as const, completedAt: null }
  assert.match(stillBilled([call('a#0', open)], nameOf), /^1 call in progress \(Node a\)/)
  for (const kind of ['HTTP', 'WAIT'] as const)
    assert.match(stillBilled([call('a#0', { ...open, kind })], nameOf), /nothing more/)
})

test('values are shown as what they are, and long ones are cut', () => {
  const picture = { url: 'http://x.example/media/a?s=1', mimeType: 'image/png', sizeBytes: 1 }
  assert.equal(shownAs(picture).kind, 'media')
  assert.equal(shownAs([picture, picture]).kind, 'media')
  assert.equal(shownAs({ ...picture, url: 'https://elsewhere.example/a.png' }).kind, 'json')
  assert.equal(shownAs('words').kind, 'text')
  assert.equal(shownAs([1]).kind, 'json')
  assert.equal(shownAs(['red', 'blue']).kind, 'json')
  assert.equal(shownAs(['First line\nsecond line', 'one']).kind, 'texts')
  const long = shownAs('ä'.repeat(200_000))
  assert.ok(long.kind === 'cut' && long.bytes === 400_000 && long.text.length === 131_072)
})

test('a graph is called with the values it starts with, or an example of each', () => {
  const of = (id: string, type: string, data = {}) => ({ id, type, data })
  const nodes = [
    of('topic', 'input.text', { default: 'tides' }),
    of('copies', 'input.number'),
    of('out', 'output'),
  ]
  assert.deepEqual(exampleInputs({ nodes, connections: [] }), { topic: 'tides', copies: 1 })
})

test('a quote in an input cannot leave the command', () => {
  const text = runAsCurl('http://h', 7, { t: "it's" })
  assert.ok(text.includes(`'{"inputs":{"t":"it'\\''s"}}'`))
})
