// What people can do. Pointer, keys, menus and the list all call these functions, so that the same
// intention produces the same graph. Each announces what it did; nothing that can be undone asks
// first.
import {
  type Alignment,
  aligned,
  clearOfOthers,
  tidied,
  tidiedPart,
  withRoomFor,
} from './arrange.ts'
import { copyNodes, pasteNodes } from './clipboard.ts'
import { fittingPort, insertOnWire, judge, type LooseEnd, wireBetween } from './connect-rules.ts'
import { drawActions } from './draw-actions.ts'
import { allIds, moveAll, notesOf, nudgeAll, removeAll } from './drawings.ts'
import { type Editing, editingOf } from './editing.ts'
import {
  addNodes,
  type Connection,
  connect,
  disconnect,
  findNode,
  type Graph,
  maxConnections,
  maxNodes,
  type Position,
  setSetting,
  wireKey,
} from './graph.ts'
import { type LostWire, ledTo } from './lost-wire.ts'
import { makeNode } from './new-node.ts'
import { type NodeTypeInfo, portNamed, titleOf } from './node-types.ts'
import { textAsNode } from './paste-as-node.ts'
import type { Session } from './session.ts'

const count = (number: number, word: string) => `${number} ${word}${number === 1 ? '' : 's'}`

/** `showAll` brings the whole graph into view. */
export function createActions(session: Session, showAll: () => void): Actions {
  const all = editActions(editingOf(session), showAll)
  return session.isReadOnly ? { ...all, ...refusals(session) } : all
}

const editActions = (editing: Editing, showAll: () => void) => ({
  ...nodeActions(editing),
  ...arrangeActions(editing, showAll),
  ...wireActions(editing),
  ...clipboardActions(editing),
  ...historyActions(editing),
  ...drawActions(editing),
})

export type Actions = ReturnType<typeof editActions>

export const readOnlyWords = 'You can view this workflow but not change it'

/** Replaces every action that changes the graph, so that none announces a change. */
function refusals({ say }: Session) {
  const refuse = () => say(readOnlyWords)
  return {
    addNode: () => null,
    deleteSelected: refuse,
    nudge: refuse,
    drop: () => {},
    tidy: refuse,
    tidySelected: refuse,
    align: refuse,
    set: refuse,
    connect: () => readOnlyWords,
    disconnect: refuse,
    reconnect: refuse,
    insert: () => false,
    paste: () => readOnlyWords,
    duplicate: refuse,
    undo: refuse,
    redo: refuse,
    setMode: refuse,
    toggleMode: refuse,
    group: refuse,
    ungroup: refuse,
    setTitle: refuse,
    addNote: () => null,
    setNote: refuse,
  }
}

function nodeActions(editing: Editing) {
  const { edit, graphNow, selected, select, say, env } = editing
  return {
    /**
     * Adds a node and connects it to a loose wire, if any. Null if the graph is full, else its id.
     */
    addNode(info: NodeTypeInfo, at: Position, loose: LooseEnd | null = null): string | null {
      const graph = graphNow()
      if (graph.nodes.length >= maxNodes) {
        say(`A workflow may have at most ${maxNodes} nodes.`)
        return null
      }
      const node = makeNode(info, {
        taken: allIds(graph),
        titles: new Set(graph.nodes.map((one) => titleOf(env().types, one))),
        at,
        models: editing.models(),
      })
      edit(`Add ${info.label}`, (before) => {
        const added = addNodes(before, [node])
        return loose ? connectLoose(added, { loose, info, id: node.id }, env()) : added
      })
      select(new Set([node.id]))
      say(`Added ${titleOf(env().types, node)}${joined(graphNow(), node.id, env())}`)
      return node.id
    },

    deleteSelected() {
      const { nodes, wires } = selected()
      if (nodes.size + wires.size === 0) return
      const what = [
        nodes.size > 0 && count(nodes.size, 'node'),
        wires.size > 0 && count(wires.size, 'connection'),
      ].filter(Boolean)
      edit(`Delete ${what.join(' and ')}`, (graph) => disconnect(removeAll(graph, nodes), wires))
      select(new Set())
      say(`Deleted ${what.join(' and ')}`)
    },

    nudge(by: Position) {
      const { nodes } = selected()
      if (nodes.size === 0) return
      edit(`Move ${count(nodes.size, 'node')}`, (graph) => nudgeAll(graph, nodes, by), 'nudge')
    },

    /** The end of a drag, one step however long it took. A single node may land on a wire. */
    drop(to: ReadonlyMap<string, Position>, wire: Connection | null) {
      const [id = ''] = to.keys()
      const moved = moveAll(graphNow(), to)
      const inserted = wire && insertedInto(moved, wire, id, env())
      const label = inserted ? 'Insert into the wire' : `Move ${count(to.size, 'node')}`
      edit(label, () => inserted ?? moved)
      if (inserted) say('Inserted into the wire')
    },

    selectAll() {
      select(allIds(graphNow()))
      say(`Selected ${count(graphNow().nodes.length, 'node')}`)
    },

    set(nodeId: string, key: string, value: unknown) {
      const burst = `set ${nodeId} ${key}`
      edit('Change settings', (graph) => setSetting(graph, nodeId, key, value), burst)
    },
  }
}

function arrangeActions(editing: Editing, showAll: () => void) {
  const { edit, selected, say, env, below } = editing
  return {
    tidy() {
      edit('Tidy', (graph) => tidied(graph, env().portsOf, below()))
      showAll()
      say('Tidied')
    },

    tidySelected() {
      const { nodes } = selected()
      edit('Tidy the selection', (graph) => tidiedPart(graph, nodes, env().portsOf, below()))
      say(`Tidied ${count(nodes.size, 'node')}`)
    },

    align(how: Alignment) {
      const { nodes } = selected()
      edit('Align', (graph) => aligned(graph, nodes, how, env().portsOf))
      say(`Aligned ${count(nodes.size, 'node')}`)
    },
  }
}

type Env = ReturnType<Editing['env']>

/** What a new node is connected to, for people who cannot see its wire. */
function joined(graph: Graph, id: string, { types }: Env): string {
  const wire = graph.connections.find(({ source, target }) => source === id || target === id)
  if (!wire) return ''
  const [other, port] =
    wire.target === id ? [wire.source, wire.sourceHandle] : [wire.target, wire.targetHandle]
  const node = findNode(graph, other)
  return node ? `, connected to ${port ?? ''} of ${titleOf(types, node)}` : ''
}

/** Connects a new node to the wire it was added for, if one of its ports fits. */
function connectLoose(
  graph: Graph,
  { loose, info, id }: { loose: LooseEnd; info: NodeTypeInfo; id: string },
  env: Env,
): Graph {
  const from = findNode(graph, loose.nodeId)
  const ports = from && env.portsOf(from)
  const own = (loose.side === 'source' ? ports?.outputs : ports?.inputs) ?? []
  const port = portNamed(own, loose.port)
  const fit = port && fittingPort(env.types, info, { side: loose.side, port })
  if (!fit) return graph
  const wire = wireBetween(loose, id, fit.name)
  const verdict = judge(graph, wire, env)
  return verdict.ok ? connect(graph, wire, verdict.replaces) : graph
}

/** The node in the middle of the wire, with room for it; null if it does not fit. */
function insertedInto(graph: Graph, wire: Connection, id: string, { types, portsOf }: Env) {
  const inserted = insertOnWire(graph, wire, id, { types, portsOf })
  return inserted && withRoomFor(inserted, portsOf, id)
}

function wireActions({ edit, graphNow, say, env }: Editing) {
  return {
    /** Null if connected, otherwise the reason why not. */
    connect(wire: Connection): string | null {
      const graph = graphNow()
      const verdict = judge(graph, wire, env())
      if (!verdict.ok) return verdict.why
      if (graph.connections.length - verdict.replaces.length >= maxConnections) {
        return `A workflow may have at most ${maxConnections} connections.`
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

    /** Leads a wire whose port is gone to another one of the same node. */
    reconnect(lost: LostWire, port: string) {
      const [without, wire] = [disconnect(graphNow(), removeWire(lost.wire)), ledTo(lost, port)]
      const verdict = judge(without, wire, env())
      if (!verdict.ok) return say(verdict.why)
      edit('Connect', () => connect(without, wire, verdict.replaces))
      say(`Connected to ${port}`)
    },

    /** Inserts a new node into the wire it was dropped on. */
    insert(nodeId: string, wire: Connection): boolean {
      const inserted = insertedInto(graphNow(), wire, nodeId, env())
      if (!inserted) return false
      edit('Insert into the wire', () => inserted)
      say('Inserted into the wire')
      return true
    },
  }
}

function clipboardActions({ edit, graphNow, selected, select, say, env }: Editing) {
  const copied = (): string | null =>
    selected().nodes.size === 0 ? null : copyNodes(graphNow(), selected().nodes)

  /** Null if pasted, otherwise the reason why not. */
  function paste(text: string, at: Position, label = 'Paste'): string | null {
    const nodes = pasteNodes(text, graphNow(), at)
    const other = nodes.ok ? null : textAsNode(text)
    const pasted = other === null ? nodes : pasteNodes(other, graphNow(), at)
    if (!pasted.ok) return pasted.why
    const clear = clearOfOthers(pasted.graph, pasted.ids, env().portsOf)
    edit(`${label} ${count(pasted.ids.size, 'node')}`, () => clear)
    select(pasted.ids)
    say(`${label}: ${count(pasted.ids.size, 'node')}`)
    return null
  }

  function duplicate() {
    const text = copied()
    if (text === null) return
    const graph = graphNow()
    const chosen = [...graph.nodes, ...notesOf(graph)].filter(({ id }) => selected().nodes.has(id))
    const left = Math.min(...chosen.map((node) => node.position?.x ?? 0))
    const top = Math.min(...chosen.map((node) => node.position?.y ?? 0))
    const why = paste(text, { x: left + 32, y: top + 32 }, 'Duplicate')
    if (why) say(why)
  }

  return { copied, paste, duplicate }
}

const historyActions = ({ undo, redo, say }: Editing) => ({
  undo() {
    const label = undo()
    say(label === null ? 'Nothing to undo' : `Undone: ${label}`)
  },
  redo() {
    const label = redo()
    say(label === null ? 'Nothing to redo' : `Redone: ${label}`)
  },
})

export const removeWire = (wire: Connection) => new Set([wireKey(wire)])
