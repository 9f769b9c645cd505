import '@xyflow/react/dist/base.css'
import '#console/canvas/canvas.css'
import { Background, ReactFlow, ReactFlowProvider } from '@xyflow/react'
import { type KeyboardEvent, memo, useMemo } from 'react'
import { placed } from '#console/canvas/arrange.ts'
import { alongWires } from '#console/canvas/describe.ts'
import { FollowNode } from '#console/canvas/follow-node.tsx'
import { placeOf, sizeOf } from '#console/canvas/geometry.ts'
import { type Graph, readGraph } from '#console/canvas/graph.ts'
import { createPortsOf, type PortsOf, withWiredPorts } from '#console/canvas/node-types.ts'
import { orderNodes } from '#console/canvas/order.ts'
import { rootOf } from '#console/canvas/run/run-state.ts'
import { WireLayer } from '#console/canvas/wire-layer.tsx'
import { wirePaths } from '#console/canvas/wire-paths.ts'
import { RunCard, type RunCardNode } from './run-card.tsx'
import { useRun, useRunOnView } from './run-context.ts'

const nodeTypes = { run: RunCard }

/** The executed graph, read-only. The states in its cards change without redrawing it. */
export function RunGraph() {
  const { types, selected, select } = useRunOnView()
  const data = useRun((state) => state.graph)
  const found = useRun((state) => state.ports)
  const { graph, portsOf } = useMemo(() => {
    const read = readGraph(data) ?? { nodes: [], connections: [] }
    const ports = withWiredPorts(read, createPortsOf(types, found))
    return { graph: placed(read, ports), portsOf: ports }
  }, [data, found, types])
  const current = selected === null ? null : rootOf(selected)
  const nodes = useMemo(() => cardsOf(graph, portsOf, current), [graph, portsOf, current])
  return (
    <ReactFlowProvider>
      <ReactFlow
        tabIndex={0}
        aria-label="Graph of the run"
        aria-roledescription="graph"
        aria-activedescendant={current === null ? undefined : `run-node-${current}`}
        onKeyDown={(event) => handleKey(event, graph, current, select)}
        nodes={nodes}
        edges={[]}
        nodeTypes={nodeTypes}
        onNodeClick={(_, { id }) => select(id)}
        onPaneClick={() => select(null)}
        nodesDraggable={false}
        nodesConnectable={false}
        nodesFocusable={false}
        edgesFocusable={false}
        elementsSelectable={false}
        disableKeyboardA11y
        deleteKeyCode={null}
        zoomOnDoubleClick={false}
        zoomOnScroll={false}
        preventScrolling={false}
        minZoom={0.1}
        maxZoom={2}
        fitView
        fitViewOptions={{ maxZoom: 1, padding: 0.1 }}
        proOptions={{ hideAttribution: true }}
      >
        <Background gap={24} size={1.5} color="var(--line)" />
        <RunWires graph={graph} portsOf={portsOf} current={current} />
        <FollowNode id={current} />
      </ReactFlow>
    </ReactFlowProvider>
  )
}

const cardsOf = (graph: Graph, portsOf: PortsOf, current: string | null): RunCardNode[] =>
  graph.nodes.map((node) => {
    const ports = portsOf(node)
    const { width, height } = sizeOf(node, ports)
    return {
      id: node.id,
      type: 'run',
      position: placeOf(node),
      data: { node, ports, isCurrent: node.id === current },
      width,
      height,
      measured: { width, height },
    }
  })

type RunWiresProps = { graph: Graph; portsOf: PortsOf; current: string | null }

const RunWires = memo(function RunWires({ graph, portsOf, current }: RunWiresProps) {
  const paths = wirePaths(
    graph,
    portsOf,
    ({ source, target }) => source === current || target === current,
  )
  return <WireLayer paths={paths} />
})

function handleKey(
  event: KeyboardEvent,
  graph: Graph,
  current: string | null,
  select: (path: string | null) => void,
) {
  if (event.target !== event.currentTarget || event.ctrlKey || event.metaKey) return
  const next = keyTarget(event.key, graph, current)
  if (next === undefined) return
  event.preventDefault()
  if (next !== null) select(next)
}

/** Undefined for a key without a meaning here; null if there is no node in that direction. */
function keyTarget(key: string, graph: Graph, current: string | null): string | null | undefined {
  switch (key) {
    case 'Home':
      return orderNodes(graph)[0]?.id ?? null
    case 'End':
      return orderNodes(graph).at(-1)?.id ?? null
    case 'ArrowLeft':
    case 'ArrowRight':
    case 'ArrowUp':
    case 'ArrowDown':
      return current === null ? (orderNodes(graph)[0]?.id ?? null) : alongWires(graph, current, key)
    default:
      return undefined
  }
}
