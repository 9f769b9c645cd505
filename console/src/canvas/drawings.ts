// What a graph holds for people only: groups with a title around some nodes, and notes. Stored beside
// the nodes in `groups` and `notes`, which the server keeps and never reads. Pure. Entries that are
// not ours, from another editor, stay where they are.
import { isRecord } from '#core/record.ts'
import { type Graph, idsOf, moveNodes, type Position, removeNodes } from './graph.ts'

export type Group = {
  readonly id: string
  readonly title: string
  readonly nodes: readonly string[]
}

export type Note = { readonly id: string; readonly text: string; readonly position: Position }

export const noteSize = { width: 232, height: 120 }

/** Around the nodes of a group; its title is above them. */
export const groupMargin = 20
export const groupTitle = 28

const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : [])

const isGroup = (value: unknown): value is Group =>
  isRecord(value) &&
  typeof value.id === 'string' &&
  typeof value.title === 'string' &&
  Array.isArray(value.nodes) &&
  value.nodes.every((id) => typeof id === 'string')

const isNote = (value: unknown): value is Note =>
  isRecord(value) &&
  typeof value.id === 'string' &&
  typeof value.text === 'string' &&
  isRecord(value.position) &&
  Number.isFinite(value.position.x) &&
  Number.isFinite(value.position.y)

type Drawn = { readonly groups: readonly Group[]; readonly notes: readonly Note[] }

/** Read once for each list: the arrays keep identity while nothing changes them. */
const read = new WeakMap<object, readonly unknown[]>()

function ours<Entry>(value: unknown, is: (one: unknown) => one is Entry): readonly Entry[] {
  if (!Array.isArray(value)) return []
  const known = read.get(value) ?? value.filter(is)
  read.set(value, known)
  return known as readonly Entry[]
}

export const groupsOf = ({ groups }: Graph): Drawn['groups'] => ours(groups, isGroup)
export const notesOf = ({ notes }: Graph): Drawn['notes'] => ours(notes, isNote)

export const findNote = (graph: Graph, id: string): Note | undefined =>
  notesOf(graph).find((note) => note.id === id)

/** The group of exactly these nodes. */
export const groupOf = (graph: Graph, ids: ReadonlySet<string>): Group | undefined =>
  groupsOf(graph).find(({ nodes }) => nodes.length === ids.size && nodes.every((id) => ids.has(id)))

export const addNotes = (graph: Graph, notes: readonly Note[]): Graph =>
  notes.length === 0 ? graph : { ...graph, notes: [...listOf(graph.notes), ...notes] }

export const addGroups = (graph: Graph, groups: readonly Group[]): Graph =>
  groups.length === 0 ? graph : { ...graph, groups: [...listOf(graph.groups), ...groups] }

/** A node is in one group at most: the new one takes it. */
export function makeGroup(graph: Graph, group: Group): Graph {
  return addGroups(withoutMembers(graph, new Set(group.nodes)), [group])
}

/** Removes groups that have a member among these nodes. The nodes stay. */
export function ungroup(graph: Graph, ids: ReadonlySet<string>): Graph {
  const gone = new Set(groupsOf(graph).filter(({ nodes }) => nodes.some((id) => ids.has(id))))
  if (gone.size === 0) return graph
  return { ...graph, groups: listOf(graph.groups).filter((one) => !gone.has(one as Group)) }
}

/** Groups lose these nodes; one without nodes goes with them. */
function withoutMembers(graph: Graph, ids: ReadonlySet<string>): Graph {
  if (!groupsOf(graph).some(({ nodes }) => nodes.some((id) => ids.has(id)))) return graph
  const groups = listOf(graph.groups).flatMap((one) => {
    if (!isGroup(one) || !one.nodes.some((id) => ids.has(id))) return [one]
    const nodes = one.nodes.filter((id) => !ids.has(id))
    return nodes.length > 0 ? [{ ...one, nodes }] : []
  })
  return { ...graph, groups }
}

export const setTitle = (graph: Graph, id: string, title: string): Graph => ({
  ...graph,
  groups: listOf(graph.groups).map((one) =>
    isGroup(one) && one.id === id ? { ...one, title } : one,
  ),
})

const changeNotes = (graph: Graph, change: (note: Note) => Note | null): Graph => {
  let changed = false
  const notes = listOf(graph.notes).flatMap((one) => {
    if (!isNote(one)) return [one]
    const next = change(one)
    if (next !== one) changed = true
    return next ? [next] : []
  })
  return changed ? { ...graph, notes } : graph
}

/** Removes nodes and notes, and nodes from their groups. */
export const removeAll = (graph: Graph, ids: ReadonlySet<string>): Graph =>
  changeNotes(withoutMembers(removeNodes(graph, ids), ids), (note) =>
    ids.has(note.id) ? null : note,
  )

export const setText = (graph: Graph, id: string, text: string): Graph =>
  changeNotes(graph, (note) => (note.id === id ? { ...note, text } : note))

/** Moves nodes and notes. */
export const moveAll = (graph: Graph, to: ReadonlyMap<string, Position>): Graph =>
  changeNotes(moveNodes(graph, to), (note) => {
    const at = to.get(note.id)
    return !at || (at.x === note.position.x && at.y === note.position.y)
      ? note
      : { ...note, position: at }
  })

/** Nodes and notes share their ids, so that a selection may hold both. */
export const allIds = (graph: Graph): Set<string> =>
  new Set([...idsOf(graph), ...notesOf(graph).map(({ id }) => id)])

/** Nodes and notes of this selection, each `by` further. */
export function nudgeAll(graph: Graph, ids: ReadonlySet<string>, by: Position): Graph {
  const to = [...graph.nodes, ...notesOf(graph)].flatMap(
    ({ id, position }): [string, Position][] =>
      ids.has(id) ? [[id, { x: (position?.x ?? 0) + by.x, y: (position?.y ?? 0) + by.y }]] : [],
  )
  return moveAll(graph, new Map(to))
}

/** Two people drew: what either added or changed is kept, mine where both changed the same. */
export function mergeDrawings(base: Graph, mine: Graph, theirs: Graph): Partial<Graph> {
  const merge = (key: 'groups' | 'notes') => {
    const lists = { base: listOf(base[key]), mine: listOf(mine[key]), theirs: listOf(theirs[key]) }
    const text = (value: unknown) => JSON.stringify(value) ?? ''
    const old = new Map(lists.base.map((one) => [idIn(one), text(one)]))
    const own = new Map(lists.mine.map((one) => [idIn(one), one]))
    const isMine = (id: unknown) => text(own.get(id)) !== (old.get(id) ?? '')
    const kept = lists.theirs.filter((one) => !isMine(idIn(one)))
    const added = lists.mine.filter((one) => isMine(idIn(one)))
    return [...kept, ...added]
  }
  const lists = { groups: merge('groups'), notes: merge('notes') }
  return Object.fromEntries(
    Object.entries(lists).filter(
      ([key, list]) => list.length > 0 || theirs[key as keyof Graph] !== undefined,
    ),
  )
}

const idIn = (value: unknown): unknown => (isRecord(value) ? value.id : value)
