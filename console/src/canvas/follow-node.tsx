import { useReactFlow, useStore, type Viewport } from '@xyflow/react'
import { useEffect, useRef } from 'react'
import { viewWithin } from './view-within.ts'

/**
 * When a panel opens, what was visible moves aside and shrinks if that is not enough; when it closes
 * and nobody has moved the view since, the graph takes the room again. Scrolls to a node that was
 * selected elsewhere or is hidden all the same.
 */
export function FollowNode({ id }: { id: string | null }) {
  const flow = useReactFlow()
  const width = useStore((state) => state.width)
  const height = useStore((state) => state.height)
  const before = useRef(width)
  /** The view as it was last set here. */
  const own = useRef<Viewport | null>(null)
  const show = async () => {
    const had = before.current
    before.current = width
    if (width === 0) return
    const current = flow.getViewport()
    const isOwn = own.current === null || isSameView(own.current, current)
    if (width > had && isOwn) {
      await flow.fitView({ maxZoom: 1, padding: 0.15 })
      own.current = flow.getViewport()
      return
    }
    const bounds = flow.getNodesBounds(flow.getNodes())
    const view = width < had ? viewWithin(current, bounds, { had, width, height }) : current
    const node = id === null ? undefined : flow.getNode(id)
    if (node) {
      const { position, width: wide = 0, height: high = 0 } = node
      const left = view.x + position.x * view.zoom
      if (left < 0 || left + wide * view.zoom > width) {
        void flow.setCenter(position.x + wide / 2, position.y + high / 2, { zoom: view.zoom })
        return
      }
    }
    if (view !== current) await flow.setViewport(view)
    if (isOwn) own.current = flow.getViewport()
  }
  const latest = useRef(show)
  latest.current = show
  // biome-ignore lint/correctness/useExhaustiveDependencies: these are the occasions
  useEffect(() => {
    // The graph is fitted into its frame first; only then is it known which nodes are hidden.
    const frame = requestAnimationFrame(() => void latest.current())
    return () => cancelAnimationFrame(frame)
  }, [id, width])
  return null
}

const isSameView = (a: Viewport, b: Viewport): boolean =>
  Math.abs(a.x - b.x) < 1 && Math.abs(a.y - b.y) < 1 && Math.abs(a.zoom - b.zoom) < 0.001
