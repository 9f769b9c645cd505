import { Position as Edge, type NodeHandle } from '@xyflow/react'
import { useRef } from 'react'
import { useCanvas, useGraph, useView } from './context.ts'
import { readings } from './describe.ts'
import { type Note, noteSize, notesOf } from './drawings.ts'
import { placeOf, portOffset, sizeOf } from './geometry.ts'
import type { Graph, GraphNode, Position } from './graph.ts'
import { type Ports, typeInfo } from './node-types.ts'
import type { CardNode } from './nodes/node-card.tsx'
import type { NoteNode } from './nodes/note-card.tsx'

/**
 * The graph as React Flow expects it. An unchanged node keeps its object: React Flow and the cards
 * compare by identity, and a drag changes one node of two hundred.
 */
export function useCardNodes(): (CardNode | NoteNode)[] {
  const graph = useGraph()
  const portsOf = useView((state) => state.portsOf)
  const { nodes: selected } = useCanvas((state) => state.selection)
  const moved = useView((state) => state.moved)
  const reads = useReadings()
  const known = useRef(new Map<string, CardNode>())
  const next = new Map<string, CardNode>()
  for (const node of graph.nodes) {
    const ports = portsOf(node)
    const isSelected = selected.has(node.id)
    const className = isSelected && selected.size === 1 ? 'node-alone' : ''
    const words = reads.get(node.id) ?? ''
    const old = known.current.get(node.id)
    const position = moved.get(node.id) ?? placeOf(node)
    const isSame = old?.data.node === node && old.data.ports === ports && old.data.reads === words
    const card = isSame ? old : cardOf(node, ports, words)
    // Its data stays the same object, and with it what the card shows.
    const isAsBefore =
      card.selected === isSelected && card.position === position && card.className === className
    next.set(node.id, isAsBefore ? card : { ...card, selected: isSelected, position, className })
  }
  known.current = next
  const notes = useNoteNodes(graph, selected, moved)
  return [...next.values(), ...notes]
}

/** Notes are moved and selected like nodes. */
function useNoteNodes(
  graph: Graph,
  selected: ReadonlySet<string>,
  moved: ReadonlyMap<string, Position>,
): NoteNode[] {
  const known = useRef(new Map<Note, NoteNode['data']>())
  const data = (note: Note) => known.current.get(note) ?? { note }
  const cards = notesOf(graph).map((note) => ({
    id: note.id,
    type: 'note' as const,
    position: moved.get(note.id) ?? note.position,
    data: data(note),
    selected: selected.has(note.id),
    ...noteSize,
    measured: noteSize,
  }))
  known.current = new Map(cards.map((card) => [card.data.note, card.data]))
  return cards
}

function cardOf(node: GraphNode, ports: Ports, reads: string): CardNode {
  const { width, height } = sizeOf(node, ports)
  return {
    id: node.id,
    type: 'card',
    position: placeOf(node),
    data: { node, ports, reads },
    width,
    height,
    measured: { width, height },
    handles: handlesOf(ports),
  }
}

const hitSize = 28

/** Given in advance, so that React Flow need not measure every port in the page. */
const handlesOf = ({ inputs, outputs }: Ports): NodeHandle[] => [
  ...inputs.map((port, row) => handle('target', port.name, portOffset('inputs', row))),
  ...outputs.map((port, row) => handle('source', port.name, portOffset('outputs', row))),
]

const handle = (
  type: 'source' | 'target',
  id: string,
  { x, y }: { x: number; y: number },
): NodeHandle => ({
  id,
  type,
  position: type === 'target' ? Edge.Left : Edge.Right,
  x: x - hitSize / 2,
  y: y - hitSize / 2,
  width: hitSize,
  height: hitSize,
})

/** The texts do not change while nodes are moved, so they are reused. */
function useReadings(): ReadonlyMap<string, string> {
  const graph = useGraph()
  const portsOf = useView((state) => state.portsOf)
  const problemsOf = useView((state) => state.problemsOf)
  const types = useView((state) => state.types)
  const kept = useRef<{ of: unknown[]; graph: Graph; words: Map<string, string> } | null>(null)
  const of = [graph.connections, portsOf, problemsOf]
  const last = kept.current
  const isSame =
    last && of.every((part, i) => part === last.of[i]) && sameContent(last.graph, graph)
  if (isSame) return last.words
  const words = readings(graph, {
    portsOf,
    typeLabel: (type) => typeInfo(types, type)?.label ?? type,
    problems: (id) => problemsOf.get(id)?.length ?? 0,
  })
  kept.current = { of, graph, words }
  return words
}

const sameContent = (a: Graph, b: Graph): boolean =>
  a.nodes.length === b.nodes.length &&
  a.nodes.every((node, i) => {
    const other = b.nodes[i]
    return (
      node.id === other?.id &&
      node.data === other.data &&
      node.type === other.type &&
      node.mode === other.mode
    )
  })
