import { toApiFailure } from '#console/api/api-failure.ts'
import type { InnerNode, RunCall } from '#console/api/types.ts'
import { typeInfo } from '#console/canvas/node-types.ts'
import { Failure } from '#console/ui/failure.tsx'
import { type Attempts, barsOf } from './bars.ts'
import { hasInside, type OpenPaths } from './open-paths.ts'
import { useRunOnView } from './run-context.ts'
import type { Timeline } from './timeline.ts'
import { useRunPlace } from './use-run-place.ts'
import { WaterfallRow } from './waterfall-row.tsx'

type WaterfallInsideProps = {
  path: string
  depth: number
  isOver: boolean
  calls: readonly RunCall[]
  attempts: Attempts
  timeline: Timeline
  nowMs: number
  open: OpenPaths
}

/** As many as the server sends with a node. */
const mostShown = 200

/** Items of a list, or nodes of a called workflow; read when they are first opened. */
export function WaterfallInside(props: WaterfallInsideProps) {
  const { path, depth, isOver, calls, attempts, timeline, nowMs, open } = props
  const { types } = useRunOnView()
  const inside = useRunPlace(path, { isOver })
  const isRepeat = inside.data?.type === 'flow.repeat'
  const nameOf = (child: InnerNode) => {
    const item = /\[(\d+)\]$/.exec(child.path)?.[1]
    if (item !== undefined) return `${isRepeat ? 'Pass' : 'Item'} ${Number(item) + 1}`
    return child.label ?? typeInfo(types, child.type)?.label ?? child.type
  }
  if (inside.error) return <Failure failure={toApiFailure(inside.error)} />
  if (!inside.data) return <p className="px-5 py-1 pl-12 text-soft text-sm">Loading…</p>
  if (inside.data.children.length === 0)
    return <p className="px-5 py-1 pl-12 text-soft text-sm">Nothing inside yet.</p>
  return (
    <ol aria-label={`Inside ${path}`}>
      {inside.data.children.map((child) => (
        <WaterfallRow
          key={child.path}
          path={child.path}
          label={nameOf(child)}
          worked={child}
          attempts={child.attempts}
          depth={depth}
          timeline={timeline}
          bars={barsOf(child.path, child, { calls, readyMs: null, nowMs, attempts })}
          isOpen={open.has(child.path)}
          onToggle={hasInside(child.type) ? () => open.toggle(child.path) : null}
        >
          {open.has(child.path) && (
            <WaterfallInside {...props} path={child.path} depth={depth + 1} />
          )}
        </WaterfallRow>
      ))}
      {inside.data.children.length >= mostShown && (
        <li className="px-5 py-1 pl-12 text-soft text-sm">
          The first {mostShown}. All are listed in the panel of the node.
        </li>
      )}
    </ol>
  )
}
