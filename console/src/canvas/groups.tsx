import { ViewportPortal } from '@xyflow/react'
import type { Actions } from './actions.ts'
import { useGraph, useView } from './context.ts'
import { type Group, groupMargin, groupsOf, groupTitle } from './drawings.ts'
import { placeOf, sizeOf } from './geometry.ts'
import type { Graph, Position } from './graph.ts'
import type { PortsOf } from './node-types.ts'
import { useTitleDrag } from './use-title-drag.ts'

/** A frame with a title behind the nodes of each group. The title selects and moves them all. */
export function Groups({ actions }: { actions: Actions }) {
  const graph = useGraph()
  const portsOf = useView((state) => state.portsOf)
  const moved = useView((state) => state.moved)
  const groups = groupsOf(graph)
  if (groups.length === 0) return null
  return (
    <ViewportPortal>
      {groups.map((group) => (
        <Frame
          key={group.id}
          group={group}
          box={boxOf(group, graph, portsOf, moved)}
          actions={actions}
        />
      ))}
    </ViewportPortal>
  )
}

type Box = { left: number; top: number; width: number; height: number }

function Frame({ group, box, actions }: { group: Group; box: Box | null; actions: Actions }) {
  const title = useTitleDrag(group, actions)
  if (!box) return null
  return (
    <section className="group-frame" style={box} aria-label={`Group ${group.title}`}>
      <button type="button" tabIndex={-1} className="group-title nodrag nopan" {...title}>
        {group.title || 'Group'}
      </button>
    </section>
  )
}

function boxOf(
  { nodes }: Group,
  graph: Graph,
  portsOf: PortsOf,
  moved: ReadonlyMap<string, Position>,
): Box | null {
  const ids = new Set(nodes)
  const boxes = graph.nodes
    .filter(({ id }) => ids.has(id))
    .map((node) => ({ ...(moved.get(node.id) ?? placeOf(node)), ...sizeOf(node, portsOf(node)) }))
  if (boxes.length === 0) return null
  const left = Math.min(...boxes.map(({ x }) => x)) - groupMargin
  const top = Math.min(...boxes.map(({ y }) => y)) - groupMargin - groupTitle
  const right = Math.max(...boxes.map(({ x, width }) => x + width)) + groupMargin
  const bottom = Math.max(...boxes.map(({ y, height }) => y + height)) + groupMargin
  return { left, top, width: right - left, height: bottom - top }
}
