// A validated graph compiled to indices and lists: wires, order, conditions and results. It is
// built once per version, so that the cost of finding the next step does not grow with the graph.

import { isRequired, mayBeLeftOut } from '../node/input-node.ts'
import type { Config, NodeType, OutputPort, Ports } from '../node/node-type.ts'
import { always, createGuardBook, type Guard, type GuardBook } from './guards.ts'
import { type NodeMode, type Wire, withoutBypassed } from './modes.ts'

export type PlanNode = {
  readonly index: number
  readonly id: string
  readonly label: string | null
  /** The type as it is written in the graph; for browser nodes it is more specific than `type`. */
  readonly typeName: string
  readonly type: NodeType
  readonly config: Config
  /** Left out of runs (modes.ts). */
  readonly mode?: NodeMode
  /** Has the result of an earlier run (part.ts). */
  readonly isPinned?: true
  /** Makes its calls anew, even in a run that reuses answers. */
  readonly isFresh?: true
  readonly ports: Ports
  readonly wires: readonly Wire[]
  /** Constants for ports without a wire. */
  readonly fills: Readonly<Record<string, unknown>>
  /** One entry per outgoing wire. */
  readonly targets: readonly number[]
  readonly guard: Guard
}

/** One key of the run's outputs. */
export type Result = {
  readonly key: string
  readonly node: number
  readonly title: string | null
  /** If there is more than one, the value is an object with these members. */
  readonly fields: readonly OutputPort[]
  /** True if no condition can leave it out. */
  readonly always: boolean
}

export type Plan = {
  readonly nodes: readonly PlanNode[]
  /** Sources before targets. */
  readonly order: readonly number[]
  readonly results: readonly Result[]
  /** Nodes that can never run, because they need both branches of a condition. */
  readonly impossible: readonly number[]
  /** The nodes of a run of some nodes only (targets.ts). */
  readonly targets?: readonly number[]
  /** Not executed: muted or bypassed, or not needed for the targets. */
  readonly leftOut?: ReadonlySet<number>
}

/** A node with its incoming wires, before targets and guards are computed. */
export type WiredNode = Omit<PlanNode, 'index' | 'wires' | 'targets' | 'guard'> & { wires: Wire[] }

export function buildPlan(written: readonly WiredNode[], order: readonly number[]): Plan {
  const wired = withoutBypassed(written, order)
  const leftOut = new Set(order.filter((index) => wired[index]?.mode))
  const targets: number[][] = wired.map(() => [])
  for (const [index, { wires }] of wired.entries()) {
    for (const { source } of wires) targets[source]?.push(index)
  }
  const book = createGuardBook()
  const guards = guardNodes(wired, order, book)
  const nodes = wired.map((node, index) => ({
    ...node,
    index,
    targets: targets[index] ?? [],
    guard: guards.nodes[index] ?? always,
  }))
  return {
    nodes,
    order,
    results: resultsOf(nodes, guards),
    impossible: order.filter((index) => book.isImpossible(guards.nodes[index] ?? always)),
    ...(leftOut.size > 0 ? { leftOut } : {}),
  }
}

type Guards = { nodes: Guard[]; ports: Map<string, Guard>[] }

function guardNodes(
  nodes: readonly WiredNode[],
  order: readonly number[],
  book: GuardBook,
): Guards {
  const guards: Guards = { nodes: nodes.map(() => always), ports: nodes.map(() => new Map()) }
  for (const index of order) {
    const node = nodes[index]
    if (!node) continue
    const sources = node.wires.map(
      ({ source, sourcePort }) =>
        guards.ports[source]?.get(sourcePort) ?? guards.nodes[source] ?? always,
    )
    const isMerge = node.ports.inputs.some((port) => port.multi)
    const reached = isMerge && sources.length > 0 ? book.any(sources) : book.all(sources)
    // What a node without results feeds is no more certain than a branch of a condition.
    const guard = node.mode ? reached | book.chance() : reached
    guards.nodes[index] = guard
    guards.ports[index] = guardPorts(node, guard, book)
  }
  return guards
}

function guardPorts({ type, ports }: WiredNode, guard: Guard, book: GuardBook): Map<string, Guard> {
  if (type.branches) {
    const branches = book.fork()
    return new Map(ports.outputs.map(({ name }, i) => [name, guard | (branches[i] ?? always)]))
  }
  // All optional ports of a node share one bit pair: a called workflow may have hundreds of them.
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
      const mayBeMissing = (name: string) => guards.ports[node.index]?.get(name) !== node.guard
      const fields = node.ports.outputs.map((port) => ({
        name: port.name,
        type: port.type,
        ...(mayBeNull(node, port) ? { nullable: true as const } : {}),
        ...(mayBeMissing(port.name) ? { optional: true as const } : {}),
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

/** An output node has the type of its source. Whether there is a value follows from the guards. */
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

/** True if no node that runs on the server uses its results. Browser nodes do not count. */
const isSink = (nodes: readonly PlanNode[], { type, mode, ports, targets }: PlanNode): boolean =>
  !type.browserOnly &&
  mode !== 'bypass' &&
  ports.outputs.length > 0 &&
  targets.every((target) => nodes[target]?.type.browserOnly)

/** The initial value of an input node: given, default or null. */
export const startValue = ({ id, config }: PlanNode, given: Config): unknown =>
  Object.hasOwn(given, id) ? given[id] : (config.default ?? null)

/** A browser node whose result the server uses: the inputs of a run may contain that result. */
export const mayBeGiven = ({ nodes }: Plan, { type, targets }: PlanNode): boolean =>
  type.browserOnly === true && targets.some((target) => !nodes[target]?.type.browserOnly)

/** True if the inputs of the run contain the result of this browser node, which is then done. */
export const isGiven = ({ id, type }: PlanNode, given: Config): boolean =>
  type.browserOnly === true && Object.hasOwn(given, id)

/** A muted input is still accepted, so that callers need not change. */
export const mustBeGiven = ({ config, mode }: PlanNode): boolean => !mode && isRequired(config)

/** The ports of a node that calls this workflow. */
export function portsOfPlan(plan: Plan): Ports {
  return {
    inputs: plan.nodes.flatMap((node) =>
      node.type.inputSchema
        ? [
            {
              name: node.id,
              type: node.ports.outputs[0]?.type ?? 'any',
              required: mustBeGiven(node),
            },
          ]
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
