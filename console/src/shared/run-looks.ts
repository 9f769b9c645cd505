import type { ListedRun, RunStatus } from '#console/api/types.ts'
import type { StatusKind } from '#console/ui/status.tsx'
import { waitKindWords } from './wait-words.ts'

type Look = { kind: StatusKind; label: string }

const looks: Record<RunStatus, Look> = {
  QUEUED: { kind: 'waiting', label: 'Queued' },
  RUNNING: { kind: 'running', label: 'Running' },
  CANCEL_REQUESTED: { kind: 'stopping', label: 'Cancelling' },
  COMPLETED: { kind: 'good', label: 'Completed' },
  FAILED: { kind: 'bad', label: 'Failed' },
  CANCELLED: { kind: 'cancelled', label: 'Cancelled' },
}

export const runStatusLook = (status: RunStatus) => looks[status]

type ListedState = {
  status: RunStatus
  waitingFor?: Pick<NonNullable<ListedRun['waitingFor']>, 'kind'> | undefined
}

/** A run that sleeps says what for, instead of "Running". */
export const listedLook = ({ status, waitingFor }: ListedState): Look =>
  waitingFor
    ? { kind: 'asked', label: waitingFor.kind ? waitKindWords[waitingFor.kind] : 'Waiting' }
    : looks[status]
