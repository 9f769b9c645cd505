import {
  getViewportForBounds,
  type Node,
  useReactFlow,
  useStore,
  type Viewport,
} from '@xyflow/react'
import { useEffect, useRef } from 'react'
import { type FrameSize, viewWithin, wholeGraph, withNodeIn } from './view-within.ts'

/** How the graph is to be seen, and what its frame has made of that. */
type Wanted = {
  readonly view: Viewport
  readonly size: FrameSize
  /** Nobody has moved the view yet: all of the graph, as large as the frame allows. */
  readonly isFit: boolean
  readonly shown: Viewport
}

/**
 * Shows the whole graph at first, and again in a larger frame as long as nobody has moved the view.
 * When a panel opens, what was visible moves aside and shrinks if that is not enough; when it closes
 * and nobody has moved the view since, it returns. Scrolls to a node that was selected elsewhere.
 */
export function FollowNode({ id }: { id: string | null }) {
  const flow = useReactFlow()
  const width = useStore((state) => state.width)
  const height = useStore((state) => state.height)
  const frame = useStore((state) => state.domNode)
  const wanted = useRef<Wanted | null>(null)
  const last = useRef<FrameSize | null>(null)
  const now = { width, height }
  const resize = () => {
    // A frame that is not laid out yet has a made-up size in the library's store.
    if (!frame?.clientWidth) return
    const had = last.current
    last.current = now
    const nodes = flow.getNodes()
    const next = nextView(nodes)
    wanted.current = next
    if (!isSameView(next.shown, flow.getViewport())) void flow.setViewport(next.shown)

    function nextView(all: Node[]): Wanted {
      const current = flow.getViewport()
      const before = wanted.current
      const isMoved = before !== null && !isSameView(before.shown, current)
      const isFit = before === null || (before.isFit && !isMoved)
      const isLarger = !before || width > before.size.width || height > before.size.height
      if (all.length > 0 && isFit && isLarger) {
        const { maxZoom, padding } = wholeGraph
        const bounds = flow.getNodesBounds(all)
        const view = getViewportForBounds(bounds, width, height, 0.1, maxZoom, padding)
        return { view, size: now, isFit: true, shown: view }
      }
      const kept = before && !isMoved ? before : { view: current, size: had ?? now, isFit: false }
      const within = viewWithin(kept.view, all.map(boxOf), { had: kept.size, now })
      const selected = all.find((node) => node.id === id)
      return { ...kept, shown: selected ? withNodeIn(within, boxOf(selected), now) : within }
    }
  }
  const scroll = () => {
    const node = id === null ? undefined : flow.getNode(id)
    if (!node || !frame?.clientWidth) return
    const view = flow.getViewport()
    const next = withNodeIn(view, boxOf(node), now)
    if (next !== view) void flow.setViewport(next)
  }
  useNextFrame(scroll, id)
  useNextFrame(resize, `${width} ${height}`)
  return null
}

/** The library can set a view only after its own effects. */
function useNextFrame(act: () => void, occasion: string | null) {
  const latest = useRef(act)
  latest.current = act
  // biome-ignore lint/correctness/useExhaustiveDependencies: this is the occasion
  useEffect(() => {
    const request = requestAnimationFrame(() => latest.current())
    return () => cancelAnimationFrame(request)
  }, [occasion])
}

const boxOf = ({ position, width = 0, height = 0 }: Node) => ({ ...position, width, height })

const isSameView = (a: Viewport, b: Viewport): boolean =>
  Math.abs(a.x - b.x) < 1 && Math.abs(a.y - b.y) < 1 && Math.abs(a.zoom - b.zoom) < 0.001
