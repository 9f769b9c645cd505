import type { RunStatus as State } from '#console/api/types.ts'
import { Status } from '#console/ui/status.tsx'
import { runStatusLook } from './run-looks.ts'

export function RunStatus({ status }: { status: State }) {
  return <Status {...runStatusLook(status)} />
}
