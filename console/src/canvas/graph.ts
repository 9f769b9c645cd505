// The graph as the API stores it, and the changes people make to it. Pure: every function returns a
// new graph, or the same one if nothing changed. Unknown keys are kept.
import { isRecord } from '#core/record.ts'

export type Position = { readonly x: number; readonly y: number }

export type GraphNode = {
  readonly id: string
  readonly type: string
  readonly position?: Position
  /** `mute` or `bypass`: left out of runs. Any other value means nothing. */
  readonly mode?: unknown
  readonly data: Readonly<Record<string, unknown>>
}

export type Connection = {
  readonly source: string
  readonly sourceHandle?: string | null
  readonly target: string
  readonly targetHandle?: string | null
}

export type Graph = {
  readonly nodes: readonly GraphNode[]
  readonly connections: readonly Connection[]
  /** Drawings (drawings.ts). */
  readonly groups?: unknown
  readonly notes?: unknown
}

/** A workflow being edited: everything that undo can restore. */
export type Doc = { readonly name: string; readonly graph: Graph }

export const emptyGraph: Graph = { nodes: [], connections: [] }
export const maxNodes = 200
export const maxConnections = 1000

/** Identifies a connection by its ends; an omitted handle means the first port and stays empty. */
export const wireKey = ({ source, sourceHandle, target, targetHandle }: Connection): string =>
  `${source}.${sourceHandle ?? ''}>${target}.${targetHandle ?? ''}`

export const labelOf = (node: GraphNode): string =>
  typeof node.data.label === 'string' && node.data.label !== '' ? node.data.label : node.id

export const findNode = (graph: Graph, id: string): GraphNode | undefined =>
  graph.nodes.find((node) => node.id === id)

export const addNodes = (graph: Graph, nodes: readonly GraphNode[]): Graph =>
  nodes.length === 0 ? graph : { ...graph, nodes: [...graph.nodes, ...nodes] }

export function removeNodes(graph: Graph, ids: ReadonlySet<string>): Graph {
  const nodes = graph.nodes.filter((node) => !ids.has(node.id))
  if (nodes.length === graph.nodes.length) return graph
  return {
    ...graph,
    nodes,
    connections: graph.connections.filter(
      ({ source, target }) => !ids.has(source) && !ids.has(target),
    ),
  }
}

export function moveNodes(graph: Graph, to: ReadonlyMap<string, Position>): Graph {
  let changed = false
  const nodes = graph.nodes.map((node) => {
    const position = to.get(node.id)
    if (!position || (position.x === node.position?.x && position.y === node.position?.y)) {
      return node
    }
    changed = true
    return { ...node, position }
  })
  return changed ? { ...graph, nodes } : graph
}

/** Undefined removes the setting. */
export function setSetting(graph: Graph, id: string, key: string, value: unknown): Graph {
  const node = findNode(graph, id)
  if (!node || Object.is(node.data[key], value)) return graph
  const { [key]: _, ...rest } = node.data
  return setData(graph, id, value === undefined ? rest : { ...node.data, [key]: value })
}

export const setData = (graph: Graph, id: string, data: GraphNode['data']): Graph => ({
  ...graph,
  nodes: graph.nodes.map((node) => (node.id === id ? { ...node, data } : node)),
})

export function disconnect(graph: Graph, keys: ReadonlySet<string>): Graph {
  const connections = graph.connections.filter((wire) => !keys.has(wireKey(wire)))
  return connections.length === graph.connections.length ? graph : { ...graph, connections }
}

/** A port that accepts one connection gives up the one it has. */
export function connect(graph: Graph, wire: Connection, replaced: readonly string[] = []): Graph {
  if (graph.connections.some((other) => wireKey(other) === wireKey(wire))) return graph
  const freed = disconnect(graph, new Set(replaced))
  return { ...freed, connections: [...freed.connections, wire] }
}

/** Readable ids: run inputs and outputs are keyed by them. */
export function newId(taken: ReadonlySet<string>, wanted: string): string {
  const stem =
    wanted
      .toLowerCase()
      .replace(/[^a-z0-9_]+/g, '-')
      .replace(/^-+|-+$/g, '')
      .slice(0, 56) || 'node'
  if (!taken.has(stem)) return stem
  for (let number = 2; ; number++) {
    const id = `${stem}-${number}`
    if (!taken.has(id)) return id
  }
}

export const idsOf = (graph: Graph): Set<string> => new Set(graph.nodes.map((node) => node.id))

/**
 * Reads any JSON value as a graph; null if it is none. An invalid graph is accepted as long as it
 * can be drawn: the server reports what is wrong with it.
 */
export function readGraph(value: unknown): Graph | null {
  if (!isRecord(value) || !Array.isArray(value.nodes) || !Array.isArray(value.connections)) {
    return null
  }
  const nodes = value.nodes.map(readNode)
  const connections = value.connections.map(readConnection)
  if (nodes.includes(null) || connections.includes(null)) return null
  const distinct = new Set(nodes.map((node) => node?.id))
  if (distinct.size !== nodes.length) return null
  return { ...value, nodes: nodes as GraphNode[], connections: connections as Connection[] }
}

function readNode(value: unknown): GraphNode | null {
  if (!isRecord(value) || typeof value.id !== 'string' || typeof value.type !== 'string') {
    return null
  }
  const { position, ...rest } = value
  const data = isRecord(value.data) ? value.data : {}
  const isPlaced = isRecord(position) && Number.isFinite(position.x) && Number.isFinite(position.y)
  return {
    ...rest,
    id: value.id,
    type: value.type,
    data,
    ...(isPlaced ? { position: { x: Number(position.x), y: Number(position.y) } } : {}),
  }
}

function readConnection(value: unknown): Connection | null {
  if (!isRecord(value) || typeof value.source !== 'string' || typeof value.target !== 'string') {
    return null
  }
  return value as unknown as Connection
}
