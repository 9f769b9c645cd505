// What people do with nodes besides connecting them: leave them out of runs, group them, write notes.

import { counted } from '#console/lib/counted.ts'
import { freePlace } from './arrange.ts'
import { addNotes, allIds, groupOf, makeGroup, setText, setTitle, ungroup } from './drawings.ts'
import type { Editing } from './editing.ts'
import { type Graph, type GraphNode, newId, type Position } from './graph.ts'

export type NodeMode = 'mute' | 'bypass'

/** Null if the node takes part in runs. */
export const modeOf = ({ mode }: Pick<GraphNode, 'mode'>): NodeMode | null =>
  mode === 'mute' || mode === 'bypass' ? mode : null

export const modeWords: Record<NodeMode, string> = { mute: 'Muted', bypass: 'Bypassed' }

const withMode = (graph: Graph, ids: ReadonlySet<string>, mode: NodeMode | null): Graph => ({
  ...graph,
  nodes: graph.nodes.map((node) => {
    if (!ids.has(node.id)) return node
    const { mode: _, ...rest } = node
    return mode === null ? rest : { ...rest, mode }
  }),
})

export function drawActions({ edit, graphNow, selected, select, say, env }: Editing) {
  function setMode(ids: ReadonlySet<string>, mode: NodeMode | null) {
    const words = mode === null ? 'Include in runs' : mode === 'mute' ? 'Mute' : 'Bypass'
    edit(`${words}: ${counted(ids.size, 'node')}`, (graph) => withMode(graph, ids, mode))
    say(mode === null ? 'Included in runs' : modeWords[mode])
  }
  return {
    setMode,

    /** The same again includes the selected nodes in runs. */
    toggleMode(mode: NodeMode) {
      const nodes = graphNow().nodes.filter(({ id }) => selected().nodes.has(id))
      if (nodes.length === 0) return say('Select a node first')
      const isSet = nodes.every((node) => modeOf(node) === mode)
      setMode(new Set(nodes.map(({ id }) => id)), isSet ? null : mode)
    },

    group() {
      const graph = graphNow()
      const nodes = graph.nodes.flatMap(({ id }) => (selected().nodes.has(id) ? [id] : []))
      if (nodes.length === 0) return say('Select the nodes of the group first')
      const taken = new Set(graphGroupIds(graph))
      const group = { id: newId(taken, 'group'), title: 'Group', nodes }
      edit(`Group ${counted(nodes.length, 'node')}`, (before) => makeGroup(before, group))
      select(new Set(nodes))
      say(`Grouped ${counted(nodes.length, 'node')}`)
    },

    ungroup() {
      edit('Ungroup', (graph) => ungroup(graph, selected().nodes))
      say('Ungrouped')
    },

    setTitle(groupId: string, title: string) {
      edit('Rename the group', (graph) => setTitle(graph, groupId, title), `title ${groupId}`)
    },

    /** At the pointer, or below everything. Its id. */
    addNote(pointer: Position | null): string | null {
      const at = pointer ?? freePlace(graphNow(), env().portsOf)
      const id = newId(allIds(graphNow()), 'note')
      edit('Add a note', (graph) => addNotes(graph, [{ id, text: '', position: at }]))
      select(new Set([id]))
      say('Added a note')
      return id
    },

    setNote(id: string, text: string) {
      edit('Write a note', (graph) => setText(graph, id, text), `note ${id}`)
    },

    groupSelected: () => groupOf(graphNow(), selected().nodes),
  }
}

const graphGroupIds = ({ groups }: Graph): string[] =>
  Array.isArray(groups) ? groups.map((one) => String((one as { id?: unknown } | null)?.id)) : []
