import { MiniMap, type ReactFlowState, useStore } from '@xyflow/react'

/** Graphs with fewer are seen at a glance. */
export const manyNodes = 12

/** Where the visible part is in the graph. Of a graph that is visible as a whole it would only cover some. */
export function OverviewMap() {
  const isNeeded = useStore(extendsBeyond)
  if (!isNeeded) return null
  return (
    <MiniMap
      pannable
      zoomable
      ariaLabel="Overview of the graph"
      className="max-md:hidden"
      nodeBorderRadius={16}
    />
  )
}

function extendsBeyond({ nodes, transform, width, height }: ReactFlowState): boolean {
  if (nodes.length < manyNodes) return false
  const [x, y, zoom] = transform
  return nodes.some(({ position, measured }) => {
    const left = position.x * zoom + x
    const top = position.y * zoom + y
    const right = left + (measured?.width ?? 0) * zoom
    const bottom = top + (measured?.height ?? 0) * zoom
    return left < 0 || top < 0 || right > width || bottom > height
  })
}
