// Whether a wire may be drawn, and why not. Which types fit is the server's `accepts`; that there
// must be no cycle follows from the graph's structure, not from types.
import { type Connection, findNode, type Graph, type GraphNode, wireKey } from './graph.ts'
import {
  type NodeTypeInfo,
  type NodeTypes,
  type Port,
  type PortsOf,
  portNamed,
  titleOf,
  typeInfo,
} from './node-types.ts'

export type Verdict =
  | { readonly ok: true; readonly replaces: readonly string[] }
  | { readonly ok: false; readonly why: string }

export const fits = ({ accepts }: NodeTypes, from: string, to: string): boolean =>
  accepts[to]?.includes(from) ?? false

type Env = { types: NodeTypes; portsOf: PortsOf }

export function judge(graph: Graph, wire: Connection, { types, portsOf }: Env): Verdict {
  const source = findNode(graph, wire.source)
  const target = findNode(graph, wire.target)
  const from = source && portNamed(portsOf(source).outputs, wire.sourceHandle)
  const to = target && portNamed(portsOf(target).inputs, wire.targetHandle)
  if (!source || !target || !from || !to) return no('There is no such port.')
  if (!fits(types, from.type, to.type)) return no(misfit(from, to))
  if (source === target) return no('A node cannot feed itself.')
  if (reaches(graph, target.id, source.id)) {
    const [before, after] = [titleOf(types, target), titleOf(types, source)]
    return no(`${after} already needs ${before}: this would create a cycle.`)
  }
  const resolved = { ...wire, sourceHandle: from.name, targetHandle: to.name }
  const into = wiresInto(graph, target, to, portsOf)
  if (into.some((other) => isSame(other, resolved, from, source, portsOf))) {
    return no('These ports are already connected.')
  }
  return { ok: true, replaces: to.multi ? [] : into.map(wireKey) }
}

const no = (why: string): Verdict => ({ ok: false, why })

export const misfit = (from: Port, to: Port): string =>
  `${from.type} cannot go into ${to.type}. Put a Transform between them, or choose another port.`

/** The wires that end at one port, including those that leave out its name. */
export const wiresInto = (
  graph: Graph,
  target: GraphNode,
  port: Port,
  portsOf: PortsOf,
): Connection[] =>
  graph.connections.filter(
    (wire) =>
      wire.target === target.id &&
      portNamed(portsOf(target).inputs, wire.targetHandle)?.name === port.name,
  )

const isSame = (
  other: Connection,
  wire: Connection,
  from: Port,
  source: GraphNode,
  portsOf: PortsOf,
): boolean =>
  other.source === wire.source &&
  portNamed(portsOf(source).outputs, other.sourceHandle)?.name === from.name

/** Whether wires lead from one node to the other. */
export function reaches(graph: Graph, from: string, to: string): boolean {
  const next = new Map<string, string[]>()
  for (const { source, target } of graph.connections) {
    const targets = next.get(source)
    if (targets) targets.push(target)
    else next.set(source, [target])
  }
  const seen = new Set([from])
  for (const id of seen) {
    if (id === to) return true
    for (const target of next.get(id) ?? []) seen.add(target)
  }
  return false
}

export type Loose = { readonly side: 'source' | 'target'; readonly port: Port }

/** Node types with a port for the loose end of a wire, and the first such port. */
export function typesThatFit(
  types: NodeTypes,
  { side, port }: Loose,
): { info: NodeTypeInfo; port: Port | null }[] {
  return types.items.flatMap((info): { info: NodeTypeInfo; port: Port | null }[] => {
    // A node whose ports depend on its settings may get one that fits; the server will check.
    if (info.ports === null) return side === 'source' ? [{ info, port: null }] : []
    const found = fittingPort(types, info, { side, port })
    return found ? [{ info, port: found }] : []
  })
}

/** Prefers a port of exactly this type over one that needs a conversion. */
export function fittingPort(types: NodeTypes, info: NodeTypeInfo, { side, port }: Loose) {
  const candidates = (side === 'source' ? info.ports?.inputs : info.ports?.outputs) ?? []
  return bestFit(candidates, port, (other) =>
    side === 'source' ? fits(types, port.type, other.type) : fits(types, other.type, port.type),
  )
}

export type LooseEnd = {
  readonly nodeId: string
  /** Which end of the wire this is. */
  readonly side: 'source' | 'target'
  readonly port: string
}

/**
 * The output that a new node of this type is fed from if it is added behind `node`; null if none
 * suits. Of branches, one that leads nowhere yet comes first.
 */
export function outputFor(
  graph: Graph,
  node: GraphNode,
  info: NodeTypeInfo,
  { types, portsOf }: Env,
): LooseEnd | null {
  const { outputs } = portsOf(node)
  const used = graph.connections
    .filter(({ source }) => source === node.id)
    .map(({ sourceHandle }) => portNamed(outputs, sourceHandle))
  const free = outputs.filter((port) => !used.includes(port))
  const inTurn = typeInfo(types, node.type)?.branches ? [...free, ...outputs] : outputs
  const found = inTurn.find((port) => {
    const to = fittingPort(types, info, { side: 'source', port })
    return to !== undefined && suits(port, to)
  })
  return found ? { nodeId: node.id, side: 'source', port: found.name } : null
}

/**
 * Whether a wire that nobody has drawn is likely meant: not a picture as text, and not a text as
 * the optional variables of a request, although the server would convert both.
 */
const suits = (from: Port, to: Port): boolean =>
  from.type === to.type ||
  to.type === 'any' ||
  (to.required === true && from.type !== 'image' && from.type !== 'video')

export const portKey = (nodeId: string, side: 'inputs' | 'outputs', port: string): string =>
  `${nodeId} ${side} ${port}`

/** For each port, by its key: why it would refuse the wire, or null if it would not. */
export function refusals(graph: Graph, loose: LooseEnd, env: Env): Map<string, string | null> {
  const all = new Map<string, string | null>()
  const wanted = loose.side === 'source' ? 'inputs' : 'outputs'
  const unwanted = loose.side === 'source' ? 'outputs' : 'inputs'
  const wrongSide = `A wire goes from an output to an input: choose an ${wanted.slice(0, -1)}.`
  for (const node of graph.nodes) {
    const ports = env.portsOf(node)
    for (const { name } of ports[unwanted]) all.set(portKey(node.id, unwanted, name), wrongSide)
    for (const { name } of ports[wanted]) {
      const verdict = judge(graph, wireBetween(loose, node.id, name), env)
      all.set(portKey(node.id, wanted, name), verdict.ok ? null : verdict.why)
    }
  }
  return all
}

export const wireBetween = (loose: LooseEnd, nodeId: string, port: string): Connection =>
  loose.side === 'source'
    ? { source: loose.nodeId, sourceHandle: loose.port, target: nodeId, targetHandle: port }
    : { source: nodeId, sourceHandle: port, target: loose.nodeId, targetHandle: loose.port }

/** Splits the wire in two, through the node; null if the node does not fit between its ends. */
export function insertOnWire(
  graph: Graph,
  wire: Connection,
  nodeId: string,
  env: Env,
): Graph | null {
  const node = findNode(graph, nodeId)
  const source = findNode(graph, wire.source)
  const target = findNode(graph, wire.target)
  const from = source && portNamed(env.portsOf(source).outputs, wire.sourceHandle)
  const to = target && portNamed(env.portsOf(target).inputs, wire.targetHandle)
  if (!node || !from || !to) return null
  const ports = env.portsOf(node)
  const into = bestFit(ports.inputs, from, (port) => fits(env.types, from.type, port.type))
  const outOf = bestFit(ports.outputs, to, (port) => fits(env.types, port.type, to.type))
  if (!into || !outOf) return null
  const opened = {
    ...graph,
    connections: graph.connections.filter((other) => other !== wire),
  }
  const first = {
    source: wire.source,
    sourceHandle: from.name,
    target: nodeId,
    targetHandle: into.name,
  }
  const second = {
    source: nodeId,
    sourceHandle: outOf.name,
    target: wire.target,
    targetHandle: to.name,
  }
  return {
    ...opened,
    connections: [...opened.connections, first, second],
  }
}

const bestFit = (ports: readonly Port[], like: Port, isFit: (port: Port) => boolean) => {
  const fit = ports.filter(isFit)
  return fit.find((port) => port.type === like.type) ?? fit[0]
}
