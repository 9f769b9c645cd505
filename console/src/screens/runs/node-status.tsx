import type { NodeStatus as State } from '#console/api/types.ts'
import { Status, type StatusKind } from '#console/ui/status.tsx'

export const nodeStates: Record<State, { kind: StatusKind; label: string }> = {
  PENDING: { kind: 'waiting', label: 'Waiting' },
  RUNNING: { kind: 'running', label: 'Running' },
  COMPLETED: { kind: 'good', label: 'Completed' },
  FAILED: { kind: 'bad', label: 'Failed' },
  CANCELLED: { kind: 'cancelled', label: 'Cancelled' },
  WAITING: { kind: 'waiting', label: 'On hold' },
  SKIPPED: { kind: 'skipped', label: 'Skipped' },
}

export function NodeStatus({ status }: { status: State }) {
  return <Status {...nodeStates[status]} />
}
