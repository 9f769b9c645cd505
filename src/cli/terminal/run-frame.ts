import type { Run } from '#client/client.ts'
import { spinnerAt } from './live.ts'
import { type Printer, word } from './printer.ts'
import { showMoney, showSpan } from './show.ts'
import { styleOf } from './status.ts'
import { cut, tableLines } from './text-table.ts'
import { waitWords } from './wait-words.ts'

type RunNode = Run['nodes'][number]

const marks: Record<RunNode['status'], string> = {
  PENDING: '·',
  RUNNING: '',
  COMPLETED: '✓',
  FAILED: '✗',
  CANCELLED: '-',
  SKIPPED: '-',
  WAITING: '…',
}

/** Which nodes to show if the screen has no room for all; lower is more important. */
const rank: Record<RunNode['status'], number> = {
  RUNNING: 0,
  WAITING: 0,
  FAILED: 1,
  COMPLETED: 2,
  PENDING: 3,
  CANCELLED: 4,
  SKIPPED: 5,
}

type Screen = Pick<Printer, 'paint' | 'width' | 'height'>

/** The current state of the run, in lines that fit the screen. */
export function runFrame(run: Run, screen: Screen, nowMs: number): string[] {
  const room = Math.max(1, screen.height() - 3)
  const shown = new Set(
    run.nodes.length <= room
      ? run.nodes
      : run.nodes.toSorted((a, b) => rank[a.status] - rank[b.status]).slice(0, room - 1),
  )
  // The shown nodes keep the order of the graph.
  const rows = run.nodes.filter((node) => shown.has(node)).map((node) => nodeRow(run, node, nowMs))
  const hidden = run.nodes.length - rows.length
  return [
    headline(run, screen, nowMs),
    ...tableLines(screen, rows),
    ...(hidden > 0 ? [screen.paint('dim', `  … and ${hidden} more`)] : []),
  ]
}

function headline(run: Run, { paint, width }: Screen, nowMs: number): string {
  const { status, progress, createdAt, completedAt, cost } = run
  const done = progress.completed + progress.skipped + progress.failed
  const facts = `${done}/${progress.total} nodes  ${showSpan(createdAt, completedAt, nowMs)}`
  const line = `${status}  ${facts}  ${showMoney(cost)}  ${word(run.workflowName)}`
  const shown = cut(line, width() - 1)
  return paint(styleOf(status), shown.slice(0, status.length)) + shown.slice(status.length)
}

function nodeRow(run: Run, node: RunNode, nowMs: number) {
  const { nodeId, type, status, startedAt, completedAt, cost } = node
  const style = styleOf(status)
  const mark = status === 'RUNNING' ? spinnerAt(nowMs) : marks[status]
  const span = status === 'SKIPPED' ? '' : showSpan(startedAt, completedAt, nowMs)
  const error = run.nodeErrors.find((one) => one.nodeId === nodeId)
  const usual = node.waitReason ? word(waitWords(node.waitReason)) : showMoney(cost)
  const note = error ? word(`${error.code}: ${error.message}`) : usual
  return [
    { text: ` ${mark}`, style },
    { text: word(nodeId), style },
    { text: word(type), style: 'dim' as const },
    { text: span, style },
    { text: note, style: error ? ('red' as const) : style },
  ]
}
