import type { NodeStatus as State } from '#console/api/types.ts'
import { nodeStates } from '#console/canvas/run/node-state.ts'
import { Status } from '#console/ui/status.tsx'

export function NodeStatus({ status }: { status: State }) {
  return <Status {...nodeStates[status]} />
}
