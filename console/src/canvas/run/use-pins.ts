import { useCallback, useEffect } from 'react'
import { useOwner } from '#console/api/use-owner.ts'
import { useSessionOf } from '#console/canvas/context.ts'
import { useKept } from '#console/lib/use-kept.ts'
import type { Pin } from './shown-run.ts'

type Pins = Readonly<Record<string, Pin>>
const none: Pins = {}

/** Results that stay at their nodes while the graph is edited; kept in this browser. */
export function usePins() {
  const { base, shown, say } = useSessionOf()
  const [pins, setPins] = useKept<Pins>(`pins.${useOwner()}.${base.workflowId}`, none)
  useEffect(() => shown.setState({ pins }), [shown, pins])
  const toggle = useCallback(
    (nodeId: string) =>
      setPins((now) => {
        if (now[nodeId]) {
          const { [nodeId]: _, ...rest } = now
          say('Unpinned')
          return rest
        }
        const { run } = shown.getState()
        const outputs = run?.previews[nodeId]
        if (!run || !outputs) {
          say('There is no result to pin')
          return now
        }
        say('Pinned: this result stays here, whichever run is shown')
        return {
          ...now,
          [nodeId]: { runId: run.state.run.runId, at: run.state.run.createdAt, outputs },
        }
      }),
    [setPins, shown, say],
  )
  const unpinAll = useCallback(() => setPins(none), [setPins])
  return { count: Object.keys(pins).length, toggle, unpinAll }
}
