// Nodes as text on the system's clipboard, so that they can be pasted into another tab, another
// server or a text editor. A paste never overwrites anything: nodes whose ids are taken get new
// ones.
import { addGroups, addNotes, allIds, type Group, groupsOf, notesOf } from './drawings.ts'
import {
  type Connection,
  type Graph,
  maxConnections,
  maxNodes,
  newId,
  type Position,
  readGraph,
} from './graph.ts'

const marker = 'atelier.nodes/1'

export function copyNodes(graph: Graph, ids: ReadonlySet<string>): string {
  const inside = ({ source, target }: Connection) => ids.has(source) && ids.has(target)
  return JSON.stringify(
    {
      format: marker,
      nodes: graph.nodes.filter((node) => ids.has(node.id)),
      connections: graph.connections.filter(inside),
      ...copiedDrawings(graph, ids),
    },
    null,
    2,
  )
}

/** Notes of the selection, and groups whose nodes are all in it. */
function copiedDrawings(graph: Graph, ids: ReadonlySet<string>) {
  const notes = notesOf(graph).filter(({ id }) => ids.has(id))
  const groups = groupsOf(graph).filter(({ nodes }) => nodes.every((id) => ids.has(id)))
  return { ...(notes.length > 0 ? { notes } : {}), ...(groups.length > 0 ? { groups } : {}) }
}

export type Pasted =
  | { readonly ok: true; readonly graph: Graph; readonly ids: ReadonlySet<string> }
  | { readonly ok: false; readonly why: string }

/** Accepts copied nodes, and also a whole exported workflow. */
export function pasteNodes(text: string, graph: Graph, at: Position): Pasted {
  const read = readClipboard(text)
  if (typeof read === 'string') return { ok: false, why: read }
  const total = graph.nodes.length + read.nodes.length
  if (total > maxNodes) {
    return no(`This would make ${total} nodes; a workflow may have at most ${maxNodes}.`)
  }
  if (graph.connections.length + read.connections.length > maxConnections) {
    return no(`A workflow may have at most ${maxConnections} connections; this would be more.`)
  }
  const taken = allIds(graph)
  const renamed = new Map<string, string>()
  for (const { id } of [...read.nodes, ...notesOf(read)]) {
    // A free id is kept, because expressions after a merge refer to its sources by id.
    const fresh = taken.has(id) ? newId(taken, id.replace(/-\d+$/, '')) : id
    taken.add(fresh)
    renamed.set(id, fresh)
  }
  const rename = <One extends { id: string }>(one: One): One => ({
    ...one,
    id: renamed.get(one.id) ?? one.id,
  })
  const place = placeAt([...read.nodes, ...notesOf(read)], at)
  const nodes = read.nodes.map((node) => rename(place(node)))
  const notes = notesOf(read).map((note) => rename(place(note)))
  const connections = read.connections.flatMap((wire): Connection[] => {
    const [source, target] = [renamed.get(wire.source), renamed.get(wire.target)]
    if (source === undefined || target === undefined) return []
    const { id: _, ...rest } = wire as Connection & { id?: string }
    return [{ ...rest, source, target }]
  })
  return {
    ok: true,
    ids: new Set(renamed.values()),
    graph: addNotes(
      addGroups(
        {
          ...graph,
          nodes: [...graph.nodes, ...nodes],
          connections: [...graph.connections, ...connections],
        },
        pastedGroups(groupsOf(read), groupsOf(graph), renamed),
      ),
      notes,
    ),
  }
}

function pastedGroups(
  groups: readonly Group[],
  there: readonly Group[],
  renamed: ReadonlyMap<string, string>,
): Group[] {
  const taken = new Set(there.map(({ id }) => id))
  return groups.map((group) => {
    const id = newId(taken, group.id.replace(/-\d+$/, ''))
    taken.add(id)
    return { ...group, id, nodes: group.nodes.flatMap((node) => renamed.get(node) ?? []) }
  })
}

const no = (why: string): Pasted => ({ ok: false, why })

function readClipboard(text: string): Graph | string {
  if (text.trim() === '') return 'The clipboard is empty.'
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    return 'The clipboard holds text, not nodes: copy nodes or a workflow as JSON first.'
  }
  const found = readGraph(value) ?? readGraph((value as { data?: unknown } | null)?.data)
  if (found)
    return found.nodes.length + notesOf(found).length > 0
      ? found
      : 'The clipboard holds a graph without nodes.'
  return 'The clipboard holds JSON that is not a graph: it needs nodes with an id and a type, and connections.'
}

type Placed = { readonly position?: Position }

/** The whole keeps its shape; its upper left corner moves to the pointer. */
function placeAt(all: readonly Placed[], at: Position) {
  const left = Math.min(...all.map(({ position }) => position?.x ?? 0))
  const top = Math.min(...all.map(({ position }) => position?.y ?? 0))
  return <One extends Placed>(one: One): One => ({
    ...one,
    position: {
      x: Math.round(at.x + (one.position?.x ?? 0) - left),
      y: Math.round(at.y + (one.position?.y ?? 0) - top),
    },
  })
}
