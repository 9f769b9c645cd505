// The synchronous checks of a graph: returns all problems at once, or a plan. Accepts any JSON
// value, never throws, and is linear in the number of nodes and connections.

import { isRecord } from '#core/record.ts'
import type { CheckEnv, Config, NodeType, Ports } from '../node/node-type.ts'
import { buildPlan, type Plan, type WiredNode } from '../plan/plan.ts'
import {
  checkConnections,
  checkUnconnected,
  createPortKeys,
  type Edge,
} from './check-connections.ts'
import { checkNodes, type NodeEntry } from './check-nodes.ts'
import { orderNodes } from './cycles.ts'
import {
  createProblemList,
  type ErrorList,
  type GraphErrorCode,
  type GraphWarningCode,
  type Problem,
  quote,
} from './problems.ts'
import { unknownSettings } from './unknown-settings.ts'

export const maxNodes = 200
export const maxConnections = 1000

/** Why a workflow cannot be called. */
export type CallProblem = {
  code: 'SUBWORKFLOW_NOT_FOUND' | 'SUBWORKFLOW_RECURSION' | 'INVALID_CONFIG'
  message: string
}

type GraphEnv = CheckEnv & {
  readonly callProblem: (workflowId: number) => CallProblem | null
}

export type CheckedGraph = {
  errors: Problem<GraphErrorCode>[]
  /** Null if there are errors. */
  plan: Plan | null
  /** For every node that has an id and whose settings determine its ports. */
  ports: ReadonlyMap<string, Ports>
  /** Reported even if there are errors, because a misspelt setting often causes them. */
  unknownSettings: Problem<GraphWarningCode>[]
  nodeCount: number
  connectionCount: number
}

export function checkGraph(data: unknown, env: GraphEnv): CheckedGraph {
  const errors = createProblemList<GraphErrorCode>()
  const nodes = readList(data, 'nodes', 'INVALID_NODE', errors)
  const connections = readList(data, 'connections', 'INVALID_CONNECTION', errors)
  const counts = { nodeCount: nodes.length, connectionCount: connections.length }
  if (isTooLarge(counts, errors)) {
    return { errors: errors.items, plan: null, ports: new Map(), unknownSettings: [], ...counts }
  }
  const entries = checkNodes(nodes, env, errors)
  checkCalls(entries, env, errors)
  const keyOf = createPortKeys()
  const edges = checkConnections(connections, entries, keyOf, errors)
  checkUnconnected(entries.values(), edges, keyOf, errors)
  const order = checkCycles([...entries.values()], edges, errors)
  const plan = errors.items.length === 0 ? buildPlan(wireNodes(entries, edges), order) : null
  return {
    errors: errors.items,
    plan,
    ports: portsOf(entries),
    unknownSettings: unknownSettings(entries.values(), env),
    ...counts,
  }
}

function portsOf(entries: ReadonlyMap<string, NodeEntry>): Map<string, Ports> {
  const found = new Map<string, Ports>()
  for (const [id, { ports }] of entries) if (ports) found.set(id, ports)
  return found
}

function readList(
  data: unknown,
  key: 'nodes' | 'connections',
  code: GraphErrorCode,
  errors: ErrorList,
): unknown[] {
  const list = isRecord(data) ? data[key] : undefined
  if (Array.isArray(list)) return list
  errors.add({ code, path: `/${key}`, message: `${key} must be an array; it may be empty.` })
  return []
}

/** A graph over the limits is not checked further, because it must be made smaller first. */
function isTooLarge(
  { nodeCount, connectionCount }: { nodeCount: number; connectionCount: number },
  errors: ErrorList,
): boolean {
  if (nodeCount > maxNodes) {
    const message = `There are ${nodeCount} nodes; at most ${maxNodes} are allowed. Move some into a workflow of their own and call it.`
    errors.add({ code: 'TOO_MANY_NODES', path: '/nodes', message })
  }
  if (connectionCount > maxConnections) {
    const message = `There are ${connectionCount} connections; at most ${maxConnections} are allowed.`
    errors.add({ code: 'TOO_MANY_CONNECTIONS', path: '/connections', message })
  }
  return nodeCount > maxNodes || connectionCount > maxConnections
}

function checkCalls(entries: ReadonlyMap<string, NodeEntry>, env: GraphEnv, errors: ErrorList) {
  for (const { index, id, type, data } of entries.values()) {
    const target = type?.calls?.(data) ?? null
    const problem = target === null ? null : env.callProblem(target)
    if (!problem) continue
    const at = type ? callPath(type, data, env) : ''
    errors.add({ ...problem, path: `/nodes/${index}/data${at}`, nodeId: id })
  }
}

/** Where the settings of a node name the workflow it calls, as a JSON Pointer. */
function callPath(type: NodeType, data: Config, env: GraphEnv): string {
  const step = type.step?.(data)
  const inner = step && env.nodeType(step.type)
  return inner ? `/apply/data${callPath(inner, step.data, env)}` : '/workflowId'
}

function checkCycles(
  entries: readonly NodeEntry[],
  edges: readonly Edge[],
  errors: ErrorList,
): number[] {
  const indexOf = new Map(entries.map((entry, i) => [entry, i]))
  const pairs = edges.map(
    ({ source, target }) => [indexOf.get(source) ?? 0, indexOf.get(target) ?? 0] as const,
  )
  const { order, cycles } = orderNodes(entries.length, pairs)
  for (const cycle of cycles) {
    const [first] = cycle.map((i) => entries[i])
    if (!first) continue
    const path = [...cycle, cycle[0] ?? 0].map((i) => entries[i]?.id).join(' → ')
    errors.add({
      code: 'CYCLE',
      path: `/nodes/${first.index}`,
      message: `The connections form a cycle: ${path}. Remove one of them.`,
      nodeId: first.id,
    })
  }
  return order
}

function wireNodes(entries: ReadonlyMap<string, NodeEntry>, edges: readonly Edge[]): WiredNode[] {
  const indexOf = new Map<NodeEntry, number>()
  const nodes: WiredNode[] = []
  for (const entry of entries.values()) {
    const { id, typeName, type, data, ports, fills, mode } = entry
    if (!type || !ports) throw new Error(`node ${quote(id)} has no problem, yet no ports`)
    indexOf.set(entry, nodes.length)
    const label = typeof data.label === 'string' && data.label !== '' ? data.label : null
    const node = { id, label, typeName, type, config: data, ports, wires: [], fills: { ...fills } }
    nodes.push(mode ? { ...node, mode } : node)
  }
  for (const { source, target, sourcePort, targetPort } of edges) {
    const node = nodes[indexOf.get(target) ?? -1]
    if (!node || !sourcePort || !targetPort) continue
    const wire = {
      port: targetPort.name,
      source: indexOf.get(source) ?? 0,
      sourcePort: sourcePort.name,
    }
    node.wires.push(wire)
    delete (node.fills as Record<string, unknown>)[targetPort.name]
  }
  return nodes
}
