import { closedWait, nodeState } from '#console/canvas/run/node-state.ts'
import { Status } from '#console/ui/status.tsx'
import { useRun } from './run-context.ts'

type NodeStatusProps = { worked: Parameters<typeof nodeState>[0] & { readonly path: string } }

export function NodeStatus({ worked }: NodeStatusProps) {
  const { path } = worked
  const closed = useRun(({ waits }) => closedWait(waits, path))
  return <Status {...nodeState(worked, '', closed)} />
}
