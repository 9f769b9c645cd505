// What people do, however they ask for it: pointer, key, menu and list all end here, so that the
// same intention gives the same graph. Each says what it did; none asks back what undo can undo.
import { copyNodes, pasteNodes } from './clipboard.ts'
import { fittingPort, insertOnWire, judge, type LooseEnd, wireBetween } from './connect-rules.ts'
import { sizeOf } from './geometry.ts'
import {
  addNodes,
  type Connection,
  connect,
  disconnect,
  findNode,
  type Graph,
  idsOf,
  maxConnections,
  maxNodes,
  moveNodes,
  nudgeNodes,
  type Position,
  removeNodes,
  setSetting,
  wireKey,
} from './graph.ts'
import { layoutGraph } from './layout.ts'
import { makeNode } from './new-node.ts'
import { type NodeTypeInfo, type PortsOf, portNamed, titleOf } from './node-types.ts'
import type { Session } from './session.ts'

const count = (number: number, word: string) => `${number} ${word}${number === 1 ? '' : 's'}`

/** `showAll` brings the whole graph into view. */
export function createActions({ store, view, say }: Session, showAll: () => void) {
  const graphNow = (): Graph => store.getState().history.doc.graph
  const selected = () => store.getState().selection
  const env = () => ({ types: view.getState().types, portsOf: view.getState().portsOf })
  const edit = (label: string, change: (graph: Graph) => Graph, burst?: string) =>
    store.getState().editGraph({ label, ...(burst ? { burst } : {}) }, change)
  const editWhileDragging = (label: string, change: (graph: Graph) => Graph, burst: string) =>
    store.getState().editGraph({ label, burst, lasts: true }, change)

  const actions = {
    /** Adds a node and, for a loose wire, connects it. Returns its id, or null if there is no room. */
    addNode(info: NodeTypeInfo, at: Position, loose: LooseEnd | null = null): string | null {
      const graph = graphNow()
      if (graph.nodes.length >= maxNodes) {
        say(`A workflow may have ${maxNodes} nodes.`)
        return null
      }
      const node = makeNode(info, { taken: idsOf(graph), at, models: view.getState().models })
      edit(`Add ${info.label}`, (before) => {
        const added = addNodes(before, [node])
        const wire = loose && wireFor(added, loose, info, node.id)
        return wire ? connectIn(added, wire) : added
      })
      store.getState().select({ nodes: new Set([node.id]) })
      say(`Added ${info.label}`)
      return node.id
    },

    /** Null if it was connected, else why not. */
    connect(wire: Connection): string | null {
      const graph = graphNow()
      const verdict = judge(graph, wire, env())
      if (!verdict.ok) return verdict.why
      if (graph.connections.length - verdict.replaces.length >= maxConnections) {
        return `A workflow may have ${maxConnections} connections.`
      }
      edit('Connect', (before) => connect(before, wire, verdict.replaces))
      const to = findNode(graph, wire.target)
      const replaced = verdict.replaces.length > 0 ? ', in place of the wire that was there' : ''
      say(
        `Connected to ${wire.targetHandle ?? ''} of ${to ? titleOf(env().types, to) : ''}${replaced}`,
      )
      return null
    },

    disconnect(keys: ReadonlySet<string>) {
      edit(`Remove ${count(keys.size, 'connection')}`, (graph) => disconnect(graph, keys))
      say(`Removed ${count(keys.size, 'connection')}`)
    },

    /** Puts a node that stands alone on the wire it was dropped on. */
    insert(nodeId: string, wire: Connection, drag: string): boolean {
      const inserted = insertOnWire(graphNow(), wire, nodeId, env())
      if (!inserted) return false
      editWhileDragging('Insert into the wire', () => inserted, drag)
      say('Put into the wire')
      return true
    },

    deleteSelected() {
      const { nodes, wires } = selected()
      if (nodes.size + wires.size === 0) return
      const what = [
        nodes.size > 0 && count(nodes.size, 'node'),
        wires.size > 0 && count(wires.size, 'connection'),
      ].filter(Boolean)
      edit(`Delete ${what.join(' and ')}`, (graph) => disconnect(removeNodes(graph, nodes), wires))
      store.getState().select({})
      say(`Deleted ${what.join(' and ')}`)
    },

    nudge(by: Position) {
      const { nodes } = selected()
      if (nodes.size === 0) return
      edit(`Move ${count(nodes.size, 'node')}`, (graph) => nudgeNodes(graph, nodes, by), 'nudge')
    },

    drag(to: ReadonlyMap<string, Position>, drag: string) {
      editWhileDragging(`Move ${count(to.size, 'node')}`, (graph) => moveNodes(graph, to), drag)
    },

    copied: (): string | null =>
      selected().nodes.size === 0 ? null : copyNodes(graphNow(), selected().nodes),

    /** Null if it worked, else why not. */
    paste(text: string, at: Position, label = 'Paste'): string | null {
      const pasted = pasteNodes(text, graphNow(), at)
      if (!pasted.ok) return pasted.why
      edit(`${label} ${count(pasted.ids.size, 'node')}`, () => pasted.graph)
      store.getState().select({ nodes: pasted.ids })
      say(`${label}: ${count(pasted.ids.size, 'node')}`)
      return null
    },

    duplicate() {
      const text = actions.copied()
      if (text === null) return
      const chosen = graphNow().nodes.filter((node) => selected().nodes.has(node.id))
      const left = Math.min(...chosen.map((node) => node.position?.x ?? 0))
      const top = Math.min(...chosen.map((node) => node.position?.y ?? 0))
      const why = actions.paste(text, { x: left + 32, y: top + 32 }, 'Duplicate')
      if (why) say(why)
    },

    selectAll() {
      store.getState().select({ nodes: idsOf(graphNow()) })
      say(`Selected ${count(graphNow().nodes.length, 'node')}`)
    },

    tidy() {
      edit('Tidy', (graph) => tidied(graph, env().portsOf))
      showAll()
      say('Tidied')
    },

    set(nodeId: string, key: string, value: unknown) {
      edit(
        'Change settings',
        (graph) => setSetting(graph, nodeId, key, value),
        `set ${nodeId} ${key}`,
      )
    },

    undo() {
      const label = store.getState().undo()
      say(label === null ? 'Nothing to undo' : `Undone: ${label}`)
    },
    redo() {
      const label = store.getState().redo()
      say(label === null ? 'Nothing to redo' : `Done again: ${label}`)
    },
  }

  function wireFor(graph: Graph, loose: LooseEnd, info: NodeTypeInfo, id: string) {
    const from = findNode(graph, loose.nodeId)
    const ports = from && env().portsOf(from)
    const port = portNamed(
      (loose.side === 'source' ? ports?.outputs : ports?.inputs) ?? [],
      loose.port,
    )
    const fit = port && fittingPort(env().types, info, { side: loose.side, port })
    return fit ? wireBetween(loose, id, fit.name) : null
  }

  function connectIn(graph: Graph, wire: Connection): Graph {
    const verdict = judge(graph, wire, env())
    return verdict.ok ? connect(graph, wire, verdict.replaces) : graph
  }

  return actions
}

export type Actions = ReturnType<typeof createActions>

export function tidied(graph: Graph, portsOf: PortsOf): Graph {
  const nodes = graph.nodes.map((node) => ({ id: node.id, ...sizeOf(node, portsOf(node)) }))
  return moveNodes(graph, layoutGraph({ nodes, connections: graph.connections }))
}

/** Graphs made by programs may have no places; they are given some before anyone looks. */
export const placed = (graph: Graph, portsOf: PortsOf): Graph =>
  graph.nodes.every((node) => node.position) ? graph : tidied(graph, portsOf)

export const removeWire = (wire: Connection) => new Set([wireKey(wire)])
