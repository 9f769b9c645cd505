import type { NodeStatus as State } from '#console/api/types.ts'
import { closedWait, nodeState } from '#console/canvas/run/node-state.ts'
import { Status } from '#console/ui/status.tsx'
import { useRun } from './run-context.ts'

export function NodeStatus({ status, path }: { status: State; path: string }) {
  const closed = useRun(({ waits }) => closedWait(waits, path))
  return <Status {...nodeState(status, '', closed)} />
}
