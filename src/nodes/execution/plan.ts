// A checked graph as indices and lists, made once per version: what feeds what, in which order,
// when, and what the run gives back. Pure; looking at it costs the same for every step.

import { isRequired, mayBeLeftOut } from '../input-node.ts'
import type { Config, NodeType, OutputPort, Ports } from '../node-type.ts'
import { always, createGuardBook, type Guard, type GuardBook } from '../validation/guards.ts'

/** Feeds one input port. A port with several wires takes them in the order of the connections. */
export type Wire = { port: string; source: number; sourcePort: string }

export type PlanNode = {
  readonly index: number
  readonly id: string
  readonly label: string | null
  /** As written, which for browser nodes says more than the type. */
  readonly typeName: string
  readonly type: NodeType
  readonly config: Config
  readonly ports: Ports
  readonly wires: readonly Wire[]
  /** Constants for ports without a wire. */
  readonly fills: Readonly<Record<string, unknown>>
  /** One entry per wire that leaves it. */
  readonly targets: readonly number[]
  readonly guard: Guard
}

/** One key of the run's outputs. */
export type Result = {
  readonly key: string
  readonly node: number
  readonly title: string | null
  /** More than one: the value is an object with these members. */
  readonly fields: readonly OutputPort[]
  /** No condition can keep it away. */
  readonly always: boolean
}

export type Plan = {
  readonly nodes: readonly PlanNode[]
  /** Sources before targets. */
  readonly order: readonly number[]
  readonly results: readonly Result[]
  /** Nodes that can never run: they need both ways of a condition. */
  readonly impossible: readonly number[]
}

export type PlanPart = Omit<PlanNode, 'index' | 'wires' | 'targets' | 'guard'> & { wires: Wire[] }

export function buildPlan(parts: readonly PlanPart[], order: readonly number[]): Plan {
  const targets: number[][] = parts.map(() => [])
  for (const [index, { wires }] of parts.entries()) {
    for (const { source } of wires) targets[source]?.push(index)
  }
  const book = createGuardBook()
  const guards = guardNodes(parts, order, book)
  const nodes = parts.map((part, index) => ({
    ...part,
    index,
    targets: targets[index] ?? [],
    guard: guards.nodes[index] ?? always,
  }))
  return {
    nodes,
    order,
    results: resultsOf(nodes, guards),
    impossible: order.filter((index) => book.isImpossible(guards.nodes[index] ?? always)),
  }
}

type Guards = { nodes: Guard[]; ports: Map<string, Guard>[] }

function guardNodes(parts: readonly PlanPart[], order: readonly number[], book: GuardBook): Guards {
  const guards: Guards = { nodes: parts.map(() => always), ports: parts.map(() => new Map()) }
  for (const index of order) {
    const part = parts[index]
    if (!part) continue
    const sources = part.wires.map(
      ({ source, sourcePort }) =>
        guards.ports[source]?.get(sourcePort) ?? guards.nodes[source] ?? always,
    )
    const isMerge = part.ports.inputs.some((port) => port.multi)
    const guard = isMerge && sources.length > 0 ? book.any(sources) : book.all(sources)
    guards.nodes[index] = guard
    guards.ports[index] = guardPorts(part, guard, book)
  }
  return guards
}

function guardPorts({ type, ports }: PlanPart, guard: Guard, book: GuardBook): Map<string, Guard> {
  if (type.branches) {
    const ways = book.fork()
    return new Map(ports.outputs.map(({ name }, i) => [name, guard | (ways[i] ?? always)]))
  }
  // One chance for all of a node's optional ports: a target may have hundreds.
  const chance = ports.outputs.some((port) => port.optional) ? book.chance() : always
  return new Map(
    ports.outputs.map(({ name, optional }) => [name, optional ? guard | chance : guard]),
  )
}

function resultsOf(nodes: readonly PlanNode[], guards: Guards): Result[] {
  const outputs = nodes.filter((node) => node.type.type === 'output')
  if (outputs.length > 0) {
    return outputs.map((node) => toResult(node, [{ ...sourceOf(nodes, node), name: 'value' }]))
  }
  return nodes
    .filter((node) => isSink(nodes, node))
    .map((node) => {
      const mayStayAway = (name: string) => guards.ports[node.index]?.get(name) !== node.guard
      const fields = node.ports.outputs.map((port) => ({
        name: port.name,
        type: port.type,
        ...(mayBeNull(node, port) ? { nullable: true as const } : {}),
        ...(mayStayAway(port.name) ? { optional: true as const } : {}),
      }))
      return toResult(node, fields)
    })
}

const toResult = (node: PlanNode, fields: readonly OutputPort[]): Result => ({
  key: node.id,
  node: node.index,
  title: node.label,
  fields,
  always: node.guard === always && !(fields.length === 1 && fields[0]?.optional),
})

/** What an output node shows is what its source gives; whether it comes the guards tell. */
function sourceOf(
  nodes: readonly PlanNode[],
  { wires }: PlanNode,
): Pick<OutputPort, 'type' | 'nullable'> {
  const [wire] = wires
  const source = wire && nodes[wire.source]
  const port = source?.ports.outputs.find(({ name }) => name === wire?.sourcePort)
  if (!source || !port) return { type: 'any' }
  return { type: port.type, ...(mayBeNull(source, port) ? { nullable: true } : {}) }
}

const mayBeNull = ({ type, config }: PlanNode, { nullable }: OutputPort): boolean =>
  nullable === true || (type.inputSchema !== undefined && mayBeLeftOut(config))

/** Nothing a server runs uses its results. What a browser does with them does not count. */
const isSink = (nodes: readonly PlanNode[], { type, ports, targets }: PlanNode): boolean =>
  !type.browserOnly &&
  ports.outputs.length > 0 &&
  targets.every((target) => nodes[target]?.type.browserOnly)

/** What an input node of a run starts from: given, default or null. */
export const startValue = ({ id, config }: PlanNode, given: Config): unknown =>
  Object.hasOwn(given, id) ? given[id] : (config.default ?? null)

/** A browser node whose result a server would use: a run may be given what it made. */
export const mayBeGiven = ({ nodes }: Plan, { type, targets }: PlanNode): boolean =>
  type.browserOnly === true && targets.some((target) => !nodes[target]?.type.browserOnly)

/** The run was given what this browser node made: it counts as done. */
export const isGiven = ({ id, type }: PlanNode, given: Config): boolean =>
  type.browserOnly === true && Object.hasOwn(given, id)

/** The plan as a node of another workflow sees it. */
export function portsOfPlan(plan: Plan): Ports {
  return {
    inputs: plan.nodes.flatMap(({ id, type, config, ports }) =>
      type.inputSchema
        ? [{ name: id, type: ports.outputs[0]?.type ?? 'any', required: isRequired(config) }]
        : [],
    ),
    outputs: plan.results.map(({ key, fields, always }) => ({
      name: key,
      type: fields.length === 1 ? (fields[0]?.type ?? 'any') : 'json',
      ...(fields.length === 1 && fields[0]?.nullable ? { nullable: true as const } : {}),
      ...(always ? {} : { optional: true as const }),
    })),
  }
}
