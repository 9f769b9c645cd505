import { useShown } from '#console/canvas/context.ts'
import { isPinnedIn, type NodeInRun } from './foot.ts'
import { closedWait } from './node-state.ts'
import { hasEnded } from './run-state.ts'

/** The state of one node in the shown run; null if it has none there. Its parts keep identity. */
export function useNodeInRun(nodeId: string): NodeInRun | null {
  const node = useShown(({ run }) => run?.state.nodes[nodeId])
  const error = useShown(({ run }) =>
    run?.state.run.nodeErrors.find((one) => one.nodeId === nodeId),
  )
  const wait = useShown(({ run }) =>
    run?.state.waits.find((one) => one.nodeId === nodeId && one.status === 'OPEN'),
  )
  const closed = useShown(({ run }) => run && closedWait(run.state.waits, nodeId))
  const loop = useShown(({ run }) => run?.state.loops[nodeId])
  const isOver = useShown(({ run }) => run !== null && !run.isReplayed && hasEnded(run.state.run))
  const isPinned = useShown(({ run }) => run !== null && isPinnedIn(run.state.run, nodeId))
  if (!node) return null
  return {
    ...{ node, error: error ?? null, wait: wait ?? null, closed: closed ?? undefined },
    ...{ isOver, isPinned, loop },
  }
}
