import type { NodeStatus as State } from '#console/api/types.ts'
import type { StatusKind } from '#console/ui/status.tsx'

export const nodeStates: Record<State, { kind: StatusKind; label: string }> = {
  PENDING: { kind: 'waiting', label: 'Queued' },
  RUNNING: { kind: 'running', label: 'Running' },
  COMPLETED: { kind: 'good', label: 'Completed' },
  FAILED: { kind: 'bad', label: 'Failed' },
  CANCELLED: { kind: 'cancelled', label: 'Cancelled' },
  WAITING: { kind: 'asked', label: 'Waiting' },
  SKIPPED: { kind: 'skipped', label: 'Skipped' },
}

/** What a node that waits for something outside waits for. */
const waitsFor: Record<string, string> = {
  'wait.approval': 'Waiting for approval',
  'wait.callback': 'Waiting for a message',
  'wait.delay': 'Waiting for its time',
}

export function nodeState(status: State, type: string): { kind: StatusKind; label: string } {
  const state = nodeStates[status]
  return status === 'WAITING' ? { ...state, label: waitsFor[type] ?? state.label } : state
}
