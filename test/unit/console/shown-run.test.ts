import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { NodeError, RunNode, ShownWait } from '#console/api/types.ts'
import { aligned, tidiedPart } from '#console/canvas/arrange.ts'
import type { Graph } from '#console/canvas/graph.ts'
import { differencesOf } from '#console/canvas/run/differences.ts'
import { editedSince } from '#console/canvas/run/edited.ts'
import { settingBehind } from '#console/canvas/run/failure-advice.ts'
import { footOf, type NodeInRun, spoken } from '#console/canvas/run/foot.ts'
import { playMs, runAt, spanOf } from '#console/canvas/run/replay.ts'
import { roomFor } from '#console/canvas/run/room.ts'
import { runLook } from '#console/canvas/run/run-look.ts'
import type { RunState } from '#console/canvas/run/run-state.ts'
import { mergePreviews, type Preview, type ShownRun } from '#console/canvas/run/shown-run.ts'

const noPorts = () => ({ inputs: [], outputs: [] })

const at = (status: RunNode['status'], more: object = {}): NodeInRun => ({
  node: {
    nodeId: 'a',
    type: 'text.generate',
    status,
    attempts: 1,
    startedAt: '2026-01-01T00:00:00Z',
    completedAt: status === 'COMPLETED' ? '2026-01-01T00:00:02.1Z' : null,
    cost: { amount: 0.003, currency: 'USD' },
  } as unknown as RunNode,
  error: null,
  wait: null,
  isOver: false,
  isPinned: false,
  ...more,
})

const preview = (digest: string, more: Partial<Preview> = {}): Preview => ({
  port: 'text',
  kind: 'text',
  text: digest,
  media: [],
  count: 0,
  bytes: 4,
  digest,
  ...more,
})

test('a run that has ended is shown as it stood at any moment', () => {
  const at = (second: number) => new Date(Date.UTC(2026, 0, 1, 0, 0, second)).toISOString()
  const node = (nodeId: string, from: number | null, to: number | null, more: object = {}) =>
    ({
      ...{ nodeId, type: 'text.generate', status: 'COMPLETED' },
      startedAt: from === null ? null : at(from),
      completedAt: to === null ? null : at(to),
      ...more,
    }) as RunNode
  const nodes = {
    first: node('first', 0, 10),
    ask: node('ask', 10, 30, { type: 'wait.approval' }),
    last: node('last', 30, 40, { status: 'FAILED' }),
    never: node('never', null, null, { status: 'SKIPPED' }),
  }
  const nodeErrors = [{ nodeId: 'last', at: at(40) }] as NodeError[]
  const run = { status: 'FAILED', startedAt: at(0), completedAt: at(40), nodeErrors }
  const whole = {
    state: { run, nodes, waits: [], loops: {} } as unknown as RunState,
    previews: { first: [preview('1')], ask: [preview('2')] },
  }
  const span = spanOf(whole.state)
  assert.ok(span && playMs(span) === 10_000)
  const shownAt = (second: number) => {
    const { state, previews } = runAt(whole, span.fromMs + second * 1000)
    const states = Object.values(state.nodes).map(({ status }) => status)
    return [states.join(), Object.keys(previews).join(), state.run.nodeErrors.length]
  }
  assert.deepEqual(shownAt(5), ['RUNNING,PENDING,PENDING,PENDING', '', 0])
  assert.deepEqual(shownAt(20), ['COMPLETED,WAITING,PENDING,PENDING', 'first', 0])
  assert.deepEqual(shownAt(35), ['COMPLETED,COMPLETED,RUNNING,PENDING', 'first,ask', 0])
  assert.equal(runAt(whole, span.toMs), whole)
  const [a, b] = [runAt(whole, span.fromMs + 1), runAt(whole, span.fromMs + 2)]
  assert.equal(a.state.nodes.last, b.state.nodes.last, 'what looks the same is not drawn again')
  assert.equal(spanOf({ run: { ...run, status: 'RUNNING' } as RunState['run'] }), null)
})

test('a run of which every call is held up says so, and one that works on something runs', () => {
  const waitReason = { kind: 'RATE_LIMIT', model: 'acme/one', since: '' } as const
  const look = (...nodes: Partial<RunNode>[]) =>
    runLook({
      run: { status: 'RUNNING' } as RunState['run'],
      nodes: Object.fromEntries(nodes.map((node, i) => [i, node as RunNode])),
    })
  const held = { status: 'RUNNING', waitReason } as const
  const done = { status: 'COMPLETED' } as const
  assert.deepEqual(look(done, held), { kind: 'waiting', label: 'Waiting: acme/one is busy' })
  assert.equal(look(held, { status: 'RUNNING' }).label, 'Running')
})

test('every state of a node has its words, also those that need somebody', () => {
  const now = Date.parse('2026-01-01T00:01:07Z')
  const words = (inRun: NodeInRun) => footOf(inRun, now).text
  assert.equal(words(at('PENDING')), 'Queued')
  assert.equal(words(at('PENDING', { isOver: true })), 'Not reached')
  const behind = at('CANCELLED')
  assert.equal(words(behind), 'Cancelled')
  assert.equal(words({ ...behind, node: { ...behind.node, startedAt: null } }), 'Not reached')
  assert.equal(words(at('RUNNING')), '1:07')
  assert.equal(words(at('RUNNING', { loop: { done: 41, total: 200 } })), '1:07 · 41 of 200')
  assert.match(words(at('COMPLETED')), /^2\.1 s · .*0\.003$/)
  const reused = at('COMPLETED')
  const reusedFrom = { runId: 'r', nodeId: 'n', at: '2026-01-01T12:04:00Z' }
  Object.assign(reused.node, { reusedFrom, savedCost: { amount: 0.03, currency: 'USD' } })
  assert.equal(footOf(reused, now).kind, 'reused')
  assert.match(words(reused), /^Reused from \d{1,2}:\d{2}.* · saved .*0\.03$/)
  const failed = (code: string) => at('FAILED', { error: { code, message: '' } as NodeError })
  assert.equal(words(failed('RATE_LIMITED')), 'Failed: rate limited')
  assert.equal(words(failed('PROVIDER_OUTCOME_UNKNOWN')), 'Outcome unknown')
  const wait = { since: '2026-01-01T12:04:00Z' } as ShownWait
  const waiting = at('WAITING', { wait })
  const asked = { ...waiting, node: { ...waiting.node, type: 'wait.approval' } }
  assert.match(words(asked), /^Waiting for approval since /)
  const by = { kind: 'person', id: 'p', name: 'Bea' }
  const closed = (answer: object | null, status: string) =>
    at('COMPLETED', {
      closed: { kind: 'APPROVAL', status, since: '2026-01-01T12:04:00Z', answer },
    })
  const rejected = closed({ decision: 'reject', by, at: '2026-01-01T12:07:00Z' }, 'ANSWERED')
  assert.equal(footOf(rejected, now).kind, 'rejected')
  assert.match(words(rejected), /^Rejected by Bea at \d/)
  assert.match(spoken(rejected, undefined), /^Rejected/)
  const approved = closed({ decision: 'approve', by, at: '2026-01-01T12:07:00Z' }, 'ANSWERED')
  assert.equal(words(approved), 'Approved by Bea after 3 min 00 s')
  assert.equal(footOf(closed(null, 'EXPIRED'), now).kind, 'warn')
  assert.match(words(closed(null, 'EXPIRED')), /^Expired/)
  assert.match(spoken(at('COMPLETED'), [preview('x', { kind: 'list', count: 3 })]), /list of 3$/)
})

test('a result that would cover a node or another result stays folded', () => {
  const graph: Graph = {
    nodes: [
      { id: 'a', type: 't', position: { x: 0, y: 0 }, data: {} },
      { id: 'b', type: 't', position: { x: 0, y: 130 }, data: {} },
      { id: 'c', type: 't', position: { x: 400, y: 0 }, data: {} },
      { id: 'd', type: 't', position: { x: 600, y: -60 }, data: {} },
    ],
    connections: [],
  }
  const heights = new Map(graph.nodes.map(({ id }) => [id, 64]))
  // Below a is b; the result of d would cover c.
  assert.deepEqual([...roomFor(graph, noPorts, heights)], ['b', 'c'])
})

test('results that did not change stay the same objects; those without a digest are never equal', () => {
  const items = [
    { nodeId: 'a', outputs: [preview('1')] },
    { nodeId: 'b', outputs: [preview('')] },
  ]
  const first = mergePreviews({}, { items })
  const again = mergePreviews(first, { items: structuredClone(items) })
  assert.equal(again.a, first.a)
  assert.notEqual(again.b, first.b)
  const [only] = structuredClone(items)
  const one = mergePreviews({}, { items: only ? [only] : [] })
  assert.equal(mergePreviews(one, { items: only ? [only] : [] }), one)
})

const shown = (inputs: object, outputs: object, digest: string): ShownRun => ({
  state: {
    inputs,
    outputs,
    run: {
      startedAt: '2026-01-01T00:00:00Z',
      completedAt: '2026-01-01T00:00:02Z',
      cost: { amount: 0.1, currency: 'USD' },
    },
  } as unknown as RunState,
  previews: { a: [preview('same')], b: [preview(digest)] },
})

test('two runs differ in what differs; a fresh signature of an address is no difference', () => {
  const url = (signature: string) => `https://x.example/media/1?sig=${signature}`
  const a = shown({ word: 'tides', picture: url('1') }, { out: { url: url('2') } }, 'x')
  const b = shown({ word: 'gulls', picture: url('3') }, { out: { url: url('4') } }, 'y')
  const found = differencesOf(a, b)
  assert.deepEqual(found.inputs, [{ id: 'word', a: 'tides', b: 'gulls' }])
  assert.deepEqual(found.outputs, [])
  assert.deepEqual(found.nodes, ['b'])
  assert.deepEqual(found.tookMs, [2000, 2000])
})

test('a node counts as changed since a run by its settings and its wires, not by its place', () => {
  const ran: Graph = {
    nodes: [
      { id: 'a', type: 't', position: { x: 0, y: 0 }, data: { x: 1 } },
      { id: 'b', type: 't', data: {} },
      { id: 'c', type: 't', data: {} },
    ],
    connections: [],
  }
  const now: Graph = {
    nodes: [
      { id: 'a', type: 't', position: { x: 9, y: 9 }, data: { x: 1 } },
      { id: 'b', type: 't', data: { y: 2 } },
      { id: 'c', type: 't', data: {} },
      { id: 'new', type: 't', data: {} },
    ],
    connections: [{ source: 'a', target: 'c' }],
  }
  assert.deepEqual([...editedSince(ran, now)], ['b', 'c'])
})

test('an error leads to the setting that it names, or to the expression that failed', () => {
  const settings = ['model', 'maxTokens', 'expression']
  const behind = (message: string, code = 'PROVIDER_REJECTED') =>
    settingBehind({ code, message }, { settings, data: {} })
  assert.equal(behind('maxTokens must be at most 100'), 'maxTokens')
  assert.equal(behind('The remodelled house'), undefined)
  assert.equal(behind('Unable to cast value to a number', 'EXPRESSION_ERROR'), 'expression')
  assert.equal(behind('No enabled model has this identifier.', 'MODEL_NOT_FOUND'), 'model')
  assert.equal(behind('The provider did not answer in time.', 'PROVIDER_TIMEOUT'), 'model')
})

test('an error about a placeholder leads to the text that contains it', () => {
  const behind = (message: string, data: Record<string, unknown>, code = 'EXPRESSION_ERROR') =>
    settingBehind({ code, message }, { settings: ['url', 'headers', 'template', 'values'], data })
  const title = '{{input.title}} has no value: input is a text, which has no members.'
  assert.equal(
    behind(title, { label: '{{input.title}}', template: 'On {{ input.title }}' }),
    'template',
  )
  const headers = { Authorization: 'Bearer {{input.title}}' }
  assert.equal(behind(title, { url: 'https://a.example/{{input}}', headers }), 'headers')
  assert.equal(behind('The address answered with status 404.', {}, 'HTTP_FAILED'), 'url')
})

test('a selection is aligned, spaced out and tidied; nodes outside of it stay', () => {
  const graph: Graph = {
    nodes: [
      { id: 'a', type: 't', position: { x: 10, y: 50 }, data: {} },
      { id: 'b', type: 't', position: { x: 40, y: 20 }, data: {} },
      { id: 'c', type: 't', position: { x: 7, y: 7 }, data: {} },
    ],
    connections: [{ source: 'a', target: 'b' }],
  }
  const ids = new Set(['a', 'b'])
  const places = (next: Graph) => next.nodes.map(({ position }) => [position?.x, position?.y])
  assert.deepEqual(places(aligned(graph, ids, 'left', noPorts)), [
    [10, 50],
    [10, 20],
    [7, 7],
  ])
  assert.deepEqual(places(aligned(graph, ids, 'top', noPorts)), [
    [10, 20],
    [40, 20],
    [7, 7],
  ])
  const [first, second] = places(aligned(graph, ids, 'spread', noPorts))
  assert.ok((second?.[0] ?? 0) - (first?.[0] ?? 0) >= 232)
  const [a, b, c] = places(tidiedPart(graph, ids, noPorts))
  assert.ok((b?.[0] ?? 0) > (a?.[0] ?? 0))
  assert.deepEqual([a?.[0], c], [10, [7, 7]])
})
