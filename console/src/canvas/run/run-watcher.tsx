import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useEffect, useRef, useState } from 'react'
import { consoleCall } from '#console/api/console-api.ts'
import { useSessionOf } from '#console/canvas/context.ts'
import { findNode } from '#console/canvas/graph.ts'
import { titleOf } from '#console/canvas/node-types.ts'
import type { Session } from '#console/canvas/session.ts'
import { withdraw } from '#console/lib/announce.ts'
import { progressWords } from './foot.ts'
import { outcomeWords } from './outcome-words.ts'
import { hasEnded, type RunState } from './run-state.ts'
import { mergePreviews } from './shown-run.ts'
import { useWatchedRun } from './use-watched-run.ts'

type RunWatcherProps = { runId: string; as: 'run' | 'other' }

/** Reads a run while it is shown, and puts it where the cards look. Draws nothing. */
export function RunWatcher({ runId, as }: RunWatcherProps) {
  const { shown } = useSessionOf()
  const { data: state, error } = useWatchedRun(runId)
  const { data: previews } = useQuery({
    queryKey: ['run previews', runId, state && markOf(state)],
    queryFn: () => consoleCall('GET /runs/{runId}/previews', { params: { runId } }),
    enabled: state !== undefined,
    placeholderData: keepPreviousData,
    // Results of nodes do not change; a new one changes the mark.
    staleTime: Number.POSITIVE_INFINITY,
  })
  useEffect(() => {
    if (!state) return
    const before = shown.getState()[as]
    const isSameRun = before?.state.run.runId === runId
    const old = isSameRun ? before.previews : {}
    const next = { state, previews: previews ? mergePreviews(old, previews) : old }
    if (before?.state !== next.state || before.previews !== next.previews)
      shown.setState({ [as]: next })
  }, [shown, as, runId, state, previews])
  useEffect(() => () => shown.setState({ [as]: null }), [shown, as])
  if (error && !state) return <NotFound message={error.message} />
  return as === 'run' && state ? <Announcer state={state} /> : null
}

/**
 * When results are read again: with every node that ends, in large graphs with every twentieth part
 * of them, because the server computes all results anew each time.
 */
function markOf({ run }: RunState): string {
  const { completed, failed, skipped, total } = run.progress
  const step = Math.max(1, Math.ceil(total / 20))
  return `${run.status} ${Math.floor((completed + failed + skipped) / step)}`
}

const NotFound = ({ message }: { message: string }) => (
  <p role="status" className="border-line border-b bg-card px-4 py-2 text-sm text-warn">
    This run cannot be shown: {message}
  </p>
)

/** Often enough to follow, seldom enough not to talk over everything else. */
const sayEveryMs = 2_000

/** Says how a run goes on; a failure is said at once. Runs that had ended before are not told. */
function Announcer({ state }: { state: RunState }) {
  const session = useSessionOf()
  const [failure, setFailure] = useState('')
  const latest = useRef(state)
  latest.current = state
  const { runId } = state.run
  const wasOver = useRef<{ runId: string; isOver: boolean } | null>(null)
  if (wasOver.current?.runId !== runId) wasOver.current = { runId, isOver: hasEnded(state.run) }
  const isFollowed = session.shown.getState().startedId === runId || !wasOver.current.isOver
  const isOver = hasEnded(state.run)
  useEffect(() => {
    if (!isFollowed || isOver) return
    let said = ''
    const tell = () => {
      const words = progressWords(latest.current, nameIn(session))
      if (words !== said) session.say(words)
      said = words
    }
    tell()
    const timer = setInterval(tell, sayEveryMs)
    return () => clearInterval(timer)
  }, [isFollowed, isOver, session])
  useEffect(() => {
    if (!isFollowed || !isOver) return
    const { status, alert } = outcomeWords(latest.current.run, nameIn(session))
    setFailure(alert)
    session.say(status)
    // The end of one run is not to be read beside another.
    return () => withdraw(status)
  }, [isFollowed, isOver, session])
  return (
    <div role="alert" className="sr-only">
      {failure}
    </div>
  )
}

/** The name of a node as the screen shows it. */
const nameIn = (session: Session) => (nodeId: string) => {
  const node = findNode(session.store.getState().history.doc.graph, nodeId)
  return node ? titleOf(session.view.getState().types, node) : nodeId || 'the run'
}
