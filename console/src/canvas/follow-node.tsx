import { useReactFlow, useStore } from '@xyflow/react'
import { useEffect, useRef } from 'react'

/** Scrolls to a node that was selected elsewhere or is hidden by the panel that opened for it. */
export function FollowNode({ id }: { id: string | null }) {
  const flow = useReactFlow()
  const width = useStore((state) => state.width)
  const show = () => {
    const node = id === null ? undefined : flow.getNode(id)
    if (!node || width === 0) return
    const { x, zoom } = flow.getViewport()
    const { position, width: wide = 0, height: high = 0 } = node
    const [left, right] = [x + position.x * zoom, x + (position.x + wide) * zoom]
    if (left >= 0 && right <= width) return
    void flow.setCenter(position.x + wide / 2, position.y + high / 2, { zoom })
  }
  const latest = useRef(show)
  latest.current = show
  // biome-ignore lint/correctness/useExhaustiveDependencies: these are the occasions
  useEffect(() => {
    // The graph is fitted into its frame first; only then is it known which nodes are hidden.
    const frame = requestAnimationFrame(() => latest.current())
    return () => cancelAnimationFrame(frame)
  }, [id, width])
  return null
}
