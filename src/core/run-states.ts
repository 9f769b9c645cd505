// Every legal transition of a run. A write of a status is one statement that names the states the
// run may be in before it, taken from this table; claims and quarantine (store/tables/run-work.ts)
// spell theirs out.

export const runStatuses = [
  'QUEUED',
  'RUNNING',
  'CANCEL_REQUESTED',
  'COMPLETED',
  'FAILED',
  'CANCELLED',
] as const

export type RunStatus = (typeof runStatuses)[number]
export type EndStatus = 'COMPLETED' | 'FAILED' | 'CANCELLED'

const moves: Record<RunStatus, readonly RunStatus[]> = {
  QUEUED: ['RUNNING', 'FAILED', 'CANCEL_REQUESTED'],
  RUNNING: ['COMPLETED', 'FAILED', 'CANCEL_REQUESTED'],
  CANCEL_REQUESTED: ['COMPLETED', 'FAILED', 'CANCELLED'],
  COMPLETED: [],
  FAILED: [],
  CANCELLED: [],
}

export const mayMove = (from: RunStatus, to: RunStatus): boolean => moves[from].includes(to)

/** The states from which `to` may be reached. */
export const statesBefore = (to: RunStatus): RunStatus[] =>
  runStatuses.filter((from) => mayMove(from, to))

export const isTerminal = (status: RunStatus): status is EndStatus => moves[status].length === 0
