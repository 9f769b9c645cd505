import { getViewportForBounds, useReactFlow, useStore, type Viewport } from '@xyflow/react'
import { useEffect, useRef } from 'react'
import { viewWithin } from './view-within.ts'

/** A view that was moved aside for a panel, and where it comes from. */
type Aside = { readonly width: number; readonly from: Viewport; readonly to: Viewport }

/**
 * Shows the whole graph at first, and again in a wider frame as long as nobody has moved the view.
 * When a panel opens, what was visible moves aside and shrinks if that is not enough; when it closes
 * and nobody has moved the view since, it returns. Scrolls to a node that was selected elsewhere or
 * is hidden all the same.
 */
export function FollowNode({ id }: { id: string | null }) {
  const flow = useReactFlow()
  const width = useStore((state) => state.width)
  const height = useStore((state) => state.height)
  const frame = useStore((state) => state.domNode)
  const before = useRef(0)
  const aside = useRef<Aside | null>(null)
  /** The view in which everything was last fitted into the frame. */
  const fitted = useRef<Viewport | null>(null)
  const show = () => {
    // A frame that is not laid out yet has a made-up width in the library's store.
    if (!frame?.clientWidth) return
    const had = before.current
    before.current = width
    const current = flow.getViewport()
    const bounds = flow.getNodesBounds(flow.getNodes())
    const last = aside.current
    if (last && width >= last.width) {
      aside.current = null
      if (isSameView(last.to, current)) return void flow.setViewport(last.from)
    }
    if (width > had && (!fitted.current || isSameView(fitted.current, current))) {
      // Nobody has moved the view yet, so that it follows the window.
      if (flow.getNodes().length === 0) return
      fitted.current = getViewportForBounds(bounds, width, height, 0.1, 1, 0.15)
      return void flow.setViewport(fitted.current)
    }
    const within = width < had ? viewWithin(current, bounds, { had, width, height }) : current
    const view = withNode(within)
    if (view === current) return
    if (width < had)
      aside.current = { width: last?.width ?? had, from: last?.from ?? current, to: view }
    void flow.setViewport(view)
  }
  /** Centred on the node if the view would hide it. */
  const withNode = (view: Viewport): Viewport => {
    const node = id === null ? undefined : flow.getNode(id)
    if (!node) return view
    const { position, width: wide = 0, height: high = 0 } = node
    const left = view.x + position.x * view.zoom
    if (left >= 0 && left + wide * view.zoom <= width) return view
    return {
      x: width / 2 - (position.x + wide / 2) * view.zoom,
      y: height / 2 - (position.y + high / 2) * view.zoom,
      zoom: view.zoom,
    }
  }
  const latest = useRef(show)
  latest.current = show
  // biome-ignore lint/correctness/useExhaustiveDependencies: these are the occasions
  useEffect(() => {
    // The library can set a view only after its own effects.
    const request = requestAnimationFrame(() => latest.current())
    return () => cancelAnimationFrame(request)
  }, [id, width])
  return null
}

const isSameView = (a: Viewport, b: Viewport): boolean =>
  Math.abs(a.x - b.x) < 1 && Math.abs(a.y - b.y) < 1 && Math.abs(a.zoom - b.zoom) < 0.001
