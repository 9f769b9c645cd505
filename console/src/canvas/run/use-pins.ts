import { useCallback, useEffect } from 'react'
import { useOwner } from '#console/api/use-owner.ts'
import { useSessionOf } from '#console/canvas/context.ts'
import { findNode } from '#console/canvas/graph.ts'
import { useKept } from '#console/lib/use-kept.ts'
import type { Pin } from './shown-run.ts'

type Pins = Readonly<Record<string, Pin>>
const none: Pins = {}

/** What an input gives comes with every run anyway. */
export const mayBePinned = ({ type }: { readonly type: string }) => !type.startsWith('input.')

/** Results that runs from here use in place of their nodes; kept in this browser. */
export function usePins() {
  const { base, shown, say, store } = useSessionOf()
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
        const node = findNode(store.getState().history.doc.graph, nodeId)
        if (!node || !mayBePinned(node)) {
          say('An input is not pinned: its value comes with each run')
          return now
        }
        const { run } = shown.getState()
        const outputs = run?.previews[nodeId]
        if (!run || !outputs) {
          say('There is no result to pin')
          return now
        }
        say('Pinned: runs use this result, and do not execute the node')
        return {
          ...now,
          [nodeId]: { runId: run.state.run.runId, at: run.state.run.createdAt, outputs },
        }
      }),
    [setPins, shown, say, store],
  )
  const unpinAll = useCallback(() => setPins(none), [setPins])
  return { count: Object.keys(pins).length, toggle, unpinAll }
}
