import { useQueries } from '@tanstack/react-query'
import { useCallback, useEffect, useMemo } from 'react'
import { ApiFailure } from '#console/api/api-failure.ts'
import { consoleCall } from '#console/api/console-api.ts'
import { useOwner } from '#console/api/use-owner.ts'
import { useSessionOf, useShown } from '#console/canvas/context.ts'
import { findNode } from '#console/canvas/graph.ts'
import type { PinnedRuns } from '#console/canvas/stored-draft.ts'
import { useKept } from '#console/lib/use-kept.ts'
import type { Pin } from './shown-run.ts'

const none: PinnedRuns = {}

/** What an input gives comes with every run anyway. */
export const mayBePinned = ({ type }: { readonly type: string }) => !type.startsWith('input.')

/** Results that runs from here use in place of their nodes; kept with the draft. */
export function usePins() {
  const session = useSessionOf()
  const { shown, say, store } = session
  const pinned = useShown((state) => state.pinned)
  useEarlierPins()
  usePinnedResults(pinned)
  const toggle = useCallback(
    (nodeId: string) => {
      const now = shown.getState().pinned
      if (now[nodeId]) {
        const { [nodeId]: _, ...rest } = now
        say('Unpinned')
        return session.pin(rest)
      }
      const node = findNode(store.getState().history.doc.graph, nodeId)
      if (!node || !mayBePinned(node))
        return say('An input is not pinned: its value comes with each run')
      const { run } = shown.getState()
      if (!run?.previews[nodeId]) return say('There is no result to pin')
      say('Pinned: runs use this result, and do not execute the node')
      session.pin({ ...now, [nodeId]: run.state.run.runId })
    },
    [session, shown, say, store],
  )
  const unpinAll = useCallback(() => session.pin(none), [session])
  return { count: Object.keys(pinned).length, toggle, unpinAll }
}

/** Pins were kept in each browser once. They are carried over to the draft, and then forgotten. */
function useEarlierPins() {
  const session = useSessionOf()
  const [earlier, setEarlier] = useKept<Readonly<Record<string, { runId: string }>>>(
    `pins.${useOwner()}.${session.base.workflowId}`,
    {},
  )
  useEffect(() => {
    const entries = Object.entries(earlier)
    if (entries.length === 0 || session.isReadOnly) return
    const pins = Object.fromEntries(entries.map(([nodeId, { runId }]) => [nodeId, runId]))
    session.pin({ ...pins, ...session.shown.getState().pinned })
    setEarlier({})
  }, [session, earlier, setEarlier])
}

/** Reads the runs of the pinned results: another browser may have pinned them. */
function usePinnedResults(pinned: PinnedRuns) {
  const { shown } = useSessionOf()
  const runIds = useMemo(() => [...new Set(Object.values(pinned))], [pinned])
  const results = useQueries({
    queries: runIds.map((runId) => ({
      queryKey: ['pinned run', runId],
      queryFn: () => readResults(runId),
      // Media addresses are valid for a day.
      staleTime: 3_600_000,
    })),
    combine: dataOf,
  })
  useEffect(() => {
    const found = new Map(runIds.map((runId, index) => [runId, results[index]]))
    const pins = Object.entries(pinned).map(([nodeId, runId]): [string, Pin] => {
      const { at = null, outputs, isGone = false } = found.get(runId) ?? {}
      return [nodeId, { runId, at, isGone, outputs: outputs?.[nodeId] ?? [] }]
    })
    shown.setState({ pins: Object.fromEntries(pins) })
  }, [shown, pinned, results, runIds])
}

type Results = Awaited<ReturnType<typeof readResults>>
const dataOf = (answers: readonly { data: Results | undefined }[]) =>
  answers.map(({ data }) => data)

async function readResults(runId: string) {
  const params = { runId }
  try {
    const [{ run }, { items }] = await Promise.all([
      consoleCall('GET /runs/{runId}/view', { params }),
      consoleCall('GET /runs/{runId}/previews', { params }),
    ])
    const outputs = Object.fromEntries(items.map((item) => [item.nodeId, item.outputs]))
    return { at: run.createdAt, outputs, isGone: false }
  } catch (error) {
    if (error instanceof ApiFailure && error.status === 404)
      return { at: null, outputs: undefined, isGone: true }
    throw error
  }
}
