import type { Style } from './printer.ts'
import type { Cell } from './text-table.ts'

const styles: Record<string, Style> = {
  COMPLETED: 'green',
  FAILED: 'red',
  CANCELLED: 'yellow',
  CANCEL_REQUESTED: 'yellow',
  RUNNING: 'cyan',
  QUEUED: 'dim',
  PENDING: 'dim',
  SKIPPED: 'dim',
}

export const styleOf = (status: string): Style => styles[status] ?? 'dim'

export const statusCell = (status: string): Cell => ({ text: status, style: styleOf(status) })
