import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { openLiveArea } from '../../../src/cli/terminal/live.ts'
import { createPrinter, prose, word } from '../../../src/cli/terminal/printer.ts'
import { runFrame } from '../../../src/cli/terminal/run-frame.ts'
import { plainLines } from '../../../src/cli/terminal/run-progress.ts'
import { showDuration, showMoney, showSpan } from '../../../src/cli/terminal/show.ts'
import { cut, tableLines, widthOf } from '../../../src/cli/terminal/text-table.ts'
import type { Run } from '../../../src/client/client.ts'
import { fakeTerminal } from './fake-terminal.ts'

const at = (seconds: number) => new Date(seconds * 1000).toISOString()
const free = { amount: 0, currency: 'USD' }

type Node = Run['nodes'][number]
const node = (nodeId: string, status: Node['status'], more: Partial<Node> = {}): Node => ({
  nodeId,
  type: 'text.generate',
  status,
  attempts: 1,
  startedAt: status === 'PENDING' ? null : at(10),
  completedAt: status === 'COMPLETED' || status === 'FAILED' ? at(12) : null,
  cost: status === 'COMPLETED' ? { amount: 0.0012, currency: 'USD' } : null,
  ...more,
})

const run = (status: Run['status'], nodes: Node[], more: Partial<Run> = {}): Run => ({
  runId: '0198f2a0-0000-7000-8000-000000000001',
  workflowId: 7,
  workflowName: 'Story',
  workflowVersion: 1,
  status,
  createdAt: at(10),
  startedAt: at(10),
  completedAt: status === 'COMPLETED' || status === 'FAILED' ? at(15) : null,
  nodeErrors: [],
  progress: {
    total: nodes.length,
    completed: nodes.filter((one) => one.status === 'COMPLETED').length,
    skipped: 0,
    failed: nodes.filter((one) => one.status === 'FAILED').length,
  },
  cost: free,
  metadata: {},
  callback: null,
  cancelRequestedAt: null,
  cancelReason: null,
  inFlightTaskMayComplete: false,
  retryAfterSeconds: 1,
  outputs: null,
  nodes,
  ...more,
})

const screenOf = (size: { columns?: number; rows?: number }) => {
  const terminal = fakeTerminal(size)
  return { terminal, printer: createPrinter(terminal.stream, { styled: true }) }
}
const plainScreen = (columns: number, rows: number) => ({
  paint: (_style: string, text: string) => text,
  width: () => columns,
  height: () => rows,
})

describe('the display of a run', () => {
  test('shows status, progress, time, cost and every node', () => {
    const shown = run('RUNNING', [
      node('a', 'COMPLETED'),
      node('b', 'RUNNING'),
      node('c', 'PENDING'),
    ])
    const [head, a, b, c] = runFrame(shown, plainScreen(80, 24), 13_500)
    assert.equal(head, 'RUNNING  1/3 nodes  3.5 s  $0  Story')
    assert.match(a ?? '', /^ ✓ {2}a {2}text\.generate {2}2\.0 s {2}\$0\.0012$/)
    assert.match(b ?? '', /b {2}text\.generate {2}3\.5 s$/)
    assert.match(c ?? '', /^ · {2}c {2}text\.generate$/)
  })

  test('shows at the node what went wrong', () => {
    const message = 'The provider refused the content.'
    const error = { nodeId: 'a', type: 't', code: 'CONTENT_REJECTED', message, retryable: false }
    const failed = run('FAILED', [node('a', 'FAILED')], { nodeErrors: [{ ...error, at: at(12) }] })
    assert.match(
      runFrame(failed, plainScreen(80, 24), 0)[1] ?? '',
      /✗ {2}a .*CONTENT_REJECTED: The/,
    )
  })

  test('fits any screen: running nodes stay visible, lines are cut', () => {
    const nodes = Array.from({ length: 200 }, (_, i) =>
      node(`node-${i}`, i === 150 ? 'RUNNING' : i < 150 ? 'COMPLETED' : 'PENDING'),
    )
    const lines = runFrame(run('RUNNING', nodes), plainScreen(30, 10), 20_000)
    assert.ok(lines.length < 10)
    assert.ok(lines.some((line) => line.includes('node-150')))
    assert.match(lines.at(-1) ?? '', /and 194 more/)
    for (const line of lines) assert.ok(widthOf(line) < 30, line)
  })

  test('without a terminal is a line for each change, and for nothing else', () => {
    const lines: string[] = []
    const show = plainLines((line) => lines.push(line))
    show(run('QUEUED', [node('a', 'PENDING')]))
    show(run('QUEUED', [node('a', 'PENDING')]))
    show(run('RUNNING', [node('a', 'RUNNING')]))
    show(run('RUNNING', [node('a', 'RUNNING')]))
    show(run('COMPLETED', [node('a', 'COMPLETED')]))
    const id = '0198f2a0-0000-7000-8000-000000000001'
    assert.deepEqual(lines, [
      `run ${id} QUEUED`,
      'node a RUNNING',
      `run ${id} RUNNING`,
      'node a COMPLETED 2.0 s $0.0012',
      `run ${id} COMPLETED 5.0 s $0`,
    ])
  })
})

test('a live area draws over itself and leaves what was above', () => {
  const { terminal, printer } = screenOf({ rows: 10 })
  printer.line('above')
  const area = openLiveArea(printer)
  area.draw(['one', 'two', 'three'])
  area.draw(['four'])
  assert.equal(terminal.screen(), 'above\nfour')
  area.draw(Array.from({ length: 50 }, (_, i) => `line ${i}`))
  assert.equal(terminal.screen().split('\n').length, 10)
  area.clear()
  assert.equal(terminal.screen(), 'above')
})

test('colours and cursor codes are for terminals that want them', () => {
  const stream = { write() {}, isTTY: true }
  assert.notEqual(createPrinter(stream, { styled: true }).paint('red', 'x'), 'x')
  assert.equal(createPrinter(stream, { styled: false }).paint('red', 'x'), 'x')
  assert.equal(createPrinter({ write() {} }, { styled: true }).paint('red', 'x'), 'x')
})

test('tables line up, wide characters included, and are cut on a terminal only', () => {
  const rows = [
    ['id', '名前', 'a long tail that does not fit'],
    ['12', 'x', 'y'],
  ]
  assert.deepEqual(tableLines(plainScreen(24, 24), rows), [
    'id  名前  a long tail …',
    '12  x     y',
  ])
  const wide = tableLines(plainScreen(Number.POSITIVE_INFINITY, 24), rows)
  assert.equal(wide[0], 'id  名前  a long tail that does not fit')
  assert.equal(cut('日本語', 4), '日…')
})

test('untrusted text is made harmless', () => {
  assert.equal(word('a\x1b[31m\n b\u202e\tc'), 'a[31m b c')
  const { printer } = screenOf({})
  assert.equal(prose('a\x1b]0;x\x07\n\tb', printer), 'a]0;x\n\tb')
  assert.equal(prose('a\x1b[1m', createPrinter({ write() {} }, { styled: true })), 'a\x1b[1m')
})

test('amounts and times read as people write them', () => {
  const dollars = (amount: number) => showMoney({ amount, currency: 'USD' })
  assert.deepEqual([0, 1.5, 0.0012, 12, 0.000001].map(dollars), [
    '$0',
    '$1.50',
    '$0.0012',
    '$12.00',
    '$0.000001',
  ])
  assert.equal(showMoney({ amount: 2, currency: 'EUR' }), '2.00 EUR')
  assert.equal(showMoney(null), '')
  assert.deepEqual([0, 59_940, 125_000, 3_780_000].map(showDuration), [
    '0.0 s',
    '59.9 s',
    '2 min 05 s',
    '1 h 03 min',
  ])
  assert.equal(showSpan(at(1), null, 3000), '2.0 s')
})
