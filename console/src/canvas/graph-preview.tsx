import { useMemo } from 'react'
import { createSegmentOf, curve, placeOf, sizeOf } from './geometry.ts'
import type { Graph } from './graph.ts'
import { createPortsOf, type NodeTypes, titleOf, withWiredPorts } from './node-types.ts'

type GraphPreviewProps = {
  graph: Graph
  types: NodeTypes
  className?: string
  /** Nodes to highlight, by id, such as those that a comparison found added or changed. */
  marks?: ReadonlyMap<string, 'added' | 'changed' | 'removed'>
}

const markColours = { added: 'var(--good)', changed: 'var(--warn)', removed: 'var(--bad)' }

/** A static picture of a graph: boxes, names and wires, with nothing to click. */
export function GraphPreview({ graph, types, className, marks }: GraphPreviewProps) {
  const drawn = useMemo(() => draw(graph, types), [graph, types])
  if (graph.nodes.length === 0) return <p className="text-soft text-sm">No nodes.</p>
  return (
    <svg
      viewBox={drawn.viewBox}
      role="img"
      aria-label={`Graph of ${graph.nodes.length} nodes`}
      className={className}
    >
      {drawn.wires.map(({ key, path, type }) => (
        <path
          key={key}
          d={path}
          fill="none"
          stroke={`var(--port-${type})`}
          strokeWidth={5}
          opacity={0.6}
        />
      ))}
      {drawn.boxes.map(({ id, x, y, width, height, label }) => {
        const mark = marks?.get(id)
        return (
          <g key={id}>
            <rect
              x={x}
              y={y}
              width={width}
              height={height}
              rx={14}
              fill="var(--card)"
              stroke={mark ? markColours[mark] : 'var(--control)'}
              strokeWidth={mark ? 8 : 3}
            />
            <text x={x + 16} y={y + height / 2 + 8} fontSize={24} fill="var(--ink)">
              {label.length > 16 ? `${label.slice(0, 15)}…` : label}
            </text>
          </g>
        )
      })}
    </svg>
  )
}

function draw(graph: Graph, types: NodeTypes) {
  const portsOf = withWiredPorts(graph, createPortsOf(types, {}))
  const segmentOf = createSegmentOf(graph, portsOf)
  const boxes = graph.nodes.map((node) => ({
    id: node.id,
    ...placeOf(node),
    ...sizeOf(node, portsOf(node)),
    label: titleOf(types, node),
  }))
  const left = Math.min(...boxes.map((box) => box.x)) - 24
  const top = Math.min(...boxes.map((box) => box.y)) - 24
  const right = Math.max(...boxes.map((box) => box.x + box.width)) + 24
  const bottom = Math.max(...boxes.map((box) => box.y + box.height)) + 24
  return {
    boxes,
    viewBox: `${left} ${top} ${right - left} ${bottom - top}`,
    wires: graph.connections.flatMap((wire, index) => {
      const segment = segmentOf(wire)
      return segment ? [{ key: index, path: curve(segment), type: segment.type }] : []
    }),
  }
}
