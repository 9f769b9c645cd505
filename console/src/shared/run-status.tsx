import type { ListedRun, RunStatus as State } from '#console/api/types.ts'
import { Status } from '#console/ui/status.tsx'
import { listedLook } from './run-looks.ts'

type RunStatusProps = {
  status: State
  /** Where it is known that the run sleeps: what for. */
  waitingFor?: Pick<NonNullable<ListedRun['waitingFor']>, 'kind'> | undefined
}

export function RunStatus(props: RunStatusProps) {
  return <Status {...listedLook(props)} />
}

/** For where it is known that a run sleeps, not what for. */
export const asleep = { kind: null } as const
