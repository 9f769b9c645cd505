import { type KeyboardEvent, useMemo } from 'react'
import type { RunCall } from '#console/api/types.ts'
import { type Graph, readGraph } from '#console/canvas/graph.ts'
import { orderNodes } from '#console/canvas/order.ts'
import { hasEnded, rootOf } from '#console/canvas/run/run-state.ts'
import { cx } from '#console/lib/cx.ts'
import { formatDuration } from '#console/lib/time.ts'
import { useNow } from '#console/lib/use-now.ts'
import { type Attempts, barsOf, busySpans, readyMsOf, triesOf, wholeSpan } from './bars.ts'
import { hasInside, useOpenPaths } from './open-paths.ts'
import { useRun, useRunOnView } from './run-context.ts'
import { createTimeline } from './timeline.ts'
import { useLedger } from './use-ledger.ts'
import { useNodeNames } from './use-node-names.ts'
import { gridClass } from './waterfall-class.ts'
import { WaterfallInside } from './waterfall-inside.tsx'
import { WaterfallRow } from './waterfall-row.tsx'

const noGraph: Graph = { nodes: [], connections: [] }

/** A row per node, in the order of the graph, along one time axis. */
export function Waterfall() {
  const { selected } = useRunOnView()
  const nameOf = useNodeNames()
  const run = useRun((state) => state.run)
  const nodes = useRun((state) => state.nodes)
  const calls = useRun((state) => state.calls)
  const data = useRun((state) => state.graph)
  const graph = useMemo(() => readGraph(data) ?? noGraph, [data])
  const ordered = useMemo(() => orderNodes(graph), [graph])
  const tick = useNow(1_000)
  // A run that has ended no longer changes, whatever this machine's clock says.
  const nowMs = hasEnded(run) ? Date.parse(run.completedAt ?? run.createdAt) : tick
  const list = useMemo(() => Object.values(calls), [calls])
  const byNode = useMemo(() => Map.groupBy(list, ({ path }) => rootOf(path)), [list])
  const attempts = useAttempts(list)
  const timeline = useMemo(
    () => createTimeline(wholeSpan(run, nowMs), busySpans(nodes, list, nowMs)),
    [run, nodes, list, nowMs],
  )
  const open = useOpenPaths(selected)
  return (
    <div className="relative pb-3">
      <Folds timeline={timeline} />
      <ol aria-label="Nodes by time" className="relative" onKeyDown={moveFocus}>
        {ordered.map((node) => {
          const state = nodes[node.id]
          if (!state) return null
          const own = byNode.get(node.id) ?? []
          const readyMs = readyMsOf(node.id, run, nodes, graph.connections)
          return (
            <WaterfallRow
              key={node.id}
              path={node.id}
              label={nameOf(node.id)}
              worked={state}
              attempts={triesOf(state, own, attempts)}
              isReused={state.reusedFrom !== undefined}
              depth={0}
              timeline={timeline}
              bars={barsOf(node.id, state, { calls: own, readyMs, nowMs, attempts })}
              isOpen={open.has(node.id)}
              onToggle={hasInside(node.type) ? () => open.toggle(node.id) : null}
            >
              {open.has(node.id) && (
                <WaterfallInside
                  path={node.id}
                  depth={1}
                  isOver={hasEnded(run)}
                  calls={own}
                  attempts={attempts}
                  timeline={timeline}
                  nowMs={nowMs}
                  open={open}
                />
              )}
            </WaterfallRow>
          )
        })}
      </ol>
    </div>
  )
}

/** The ledger is read only if something was retried, or may have been by its task. */
function useAttempts(calls: readonly RunCall[]): Attempts {
  const enabled = calls.some(({ attempts, taskId }) => attempts > 1 || taskId !== undefined)
  const { data = [] } = useLedger({ enabled })
  return useMemo(() => Map.groupBy(data, ({ taskId, nodeId }) => taskId ?? nodeId ?? ''), [data])
}

function Folds({ timeline }: { timeline: ReturnType<typeof createTimeline> }) {
  if (timeline.folds.length === 0) return null
  return (
    <div className={cx(gridClass, 'absolute inset-0')} aria-hidden>
      <div className="relative col-start-2 h-full max-md:hidden">
        {timeline.folds.map(({ from, to, ms }) => (
          <div
            key={from}
            className="absolute inset-y-0 border-line border-x border-dashed bg-sunken/60 text-center"
            style={{ left: `${from * 100}%`, width: `${(to - from) * 100}%` }}
          >
            <span className="-translate-x-1/2 absolute bottom-0 left-1/2 whitespace-nowrap rounded-sm bg-card px-1 text-soft text-xs">
              {formatDuration(ms)}
            </span>
          </div>
        ))}
      </div>
    </div>
  )
}

function moveFocus(event: KeyboardEvent<HTMLOListElement>) {
  const step = { ArrowDown: 1, ArrowUp: -1 }[event.key]
  if (step === undefined) return
  const rows = [...event.currentTarget.querySelectorAll<HTMLElement>('[data-row]')]
  const here = rows.indexOf(document.activeElement as HTMLElement)
  const next = rows[here + step]
  if (here < 0 || !next) return
  event.preventDefault()
  next.focus()
}
