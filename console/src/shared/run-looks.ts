import type { RunStatus } from '#console/api/types.ts'
import type { StatusKind } from '#console/ui/status.tsx'

const looks: Record<RunStatus, { kind: StatusKind; label: string }> = {
  QUEUED: { kind: 'waiting', label: 'Queued' },
  RUNNING: { kind: 'running', label: 'Running' },
  CANCEL_REQUESTED: { kind: 'stopping', label: 'Cancelling' },
  COMPLETED: { kind: 'good', label: 'Completed' },
  FAILED: { kind: 'bad', label: 'Failed' },
  CANCELLED: { kind: 'cancelled', label: 'Cancelled' },
}

export const runStatusLook = (status: RunStatus) => looks[status]
