import type { ShownWait, NodeStatus as State } from '#console/api/types.ts'
import { waitKindWords } from '#console/shared/wait-words.ts'
import type { StatusKind } from '#console/ui/status.tsx'

const nodeStates: Record<State, { kind: StatusKind; label: string }> = {
  PENDING: { kind: 'waiting', label: 'Queued' },
  RUNNING: { kind: 'running', label: 'Running' },
  COMPLETED: { kind: 'good', label: 'Completed' },
  FAILED: { kind: 'bad', label: 'Failed' },
  CANCELLED: { kind: 'cancelled', label: 'Cancelled' },
  WAITING: { kind: 'asked', label: 'Waiting' },
  SKIPPED: { kind: 'skipped', label: 'Skipped' },
}

/** Also beside the state of a run in which somebody said no: it has ended well all the same. */
export const rejectedLook = { kind: 'rejected', label: 'Rejected' } as const

export const notReached = { kind: 'skipped', label: 'Not reached' } as const

/** A node, or an item of its list. */
type Worked = { readonly status: State; readonly startedAt?: string | null }

/** What a node that waits for something outside waits for. */
const waitsFor: Record<string, string> = {
  'wait.approval': waitKindWords.APPROVAL,
  'wait.callback': waitKindWords.CALLBACK,
  'wait.delay': waitKindWords.DELAY,
}

/** The wait of a node that is over; of several, the last one. */
export const closedWait = (waits: readonly ShownWait[], path: string): ShownWait | undefined =>
  waits.findLast((wait) => wait.path === path && wait.status !== 'OPEN')

/** A node that asked somebody has an end of its own: a refusal is no success, nor is silence. */
export function nodeState(
  { status, startedAt }: Worked,
  type: string,
  closed?: ShownWait,
): { kind: StatusKind; label: string } {
  const state = nodeStates[status]
  // Nobody cancelled what stands behind a failure, or had not begun.
  if (status === 'CANCELLED' && startedAt === null) return notReached
  if (status === 'COMPLETED' && closed?.answer?.decision === 'reject') return rejectedLook
  if (status === 'COMPLETED' && closed?.status === 'EXPIRED' && closed.kind !== 'DELAY')
    return { kind: 'warn', label: 'Expired' }
  return status === 'WAITING' ? { ...state, label: waitsFor[type] ?? state.label } : state
}
