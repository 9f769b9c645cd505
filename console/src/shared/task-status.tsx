import type { TaskStatus as State } from '#console/api/types.ts'
import { Status, type StatusKind } from '#console/ui/status.tsx'

const looks: Record<State, { kind: StatusKind; label: string }> = {
  QUEUED: { kind: 'waiting', label: 'Queued' },
  RUNNING: { kind: 'running', label: 'Running' },
  COMPLETED: { kind: 'good', label: 'Completed' },
  FAILED: { kind: 'bad', label: 'Failed' },
  CANCELLED: { kind: 'cancelled', label: 'Cancelled' },
}

export function TaskStatus({ status }: { status: State }) {
  return <Status {...looks[status]} />
}
