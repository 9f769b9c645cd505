// What the server says about node types. The browser has no rules of its own: which ports a node
// has, and which of them fit together, comes from here or from the last check of the graph.
import { sameJson } from './equal.ts'
import { type Graph, type GraphNode, labelOf } from './graph.ts'

export type PortType = 'text' | 'number' | 'boolean' | 'image' | 'video' | 'json' | 'list' | 'any'

export type Port = {
  readonly name: string
  readonly type: PortType
  readonly required?: boolean
  readonly multi?: boolean
  readonly optional?: boolean
}

export type Ports = {
  readonly inputs: readonly Port[]
  readonly outputs: readonly Port[]
  readonly open?: boolean
}

export type NodeTypeInfo = {
  readonly type: string
  readonly label: string
  readonly group: string
  readonly icon: string
  readonly help: string
  /** JSON Schema of `data`. */
  readonly config: Readonly<Record<string, unknown>>
  /** `data` of a new node. */
  readonly initial: Readonly<Record<string, unknown>>
  /** The ports of a new node; null if they depend on its settings. */
  readonly ports: Ports | null
  readonly portsDependOn: readonly string[]
  readonly modelKinds: readonly string[]
  readonly browserOnly: boolean
  readonly branches: boolean
}

export type NodeTypes = {
  readonly portTypes: readonly PortType[]
  /** By input type: the output types that it accepts. */
  readonly accepts: Readonly<Record<string, readonly string[]>>
  readonly items: readonly NodeTypeInfo[]
}

export const noPorts: Ports = { inputs: [], outputs: [] }

export type PortsOf = (node: GraphNode) => Ports

export const typeInfo = (types: NodeTypes, type: string): NodeTypeInfo | undefined =>
  types.items.find((item) => item.type === type) ??
  types.items.find((item) => type.startsWith('browser.') && item.type === 'browser')

/** The title of a node: the name people gave it, otherwise the label of its type. */
export const titleOf = (types: NodeTypes, node: GraphNode): string =>
  labelOf(node) === node.id ? (typeInfo(types, node.type)?.label ?? node.type) : labelOf(node)

/** The title that the inspector shows for a setting. */
export function settingTitle(types: NodeTypes, type: string, key: string): string {
  const { properties } = (typeInfo(types, type)?.config ?? {}) as {
    properties?: Record<string, { title?: string }>
  }
  return properties?.[key]?.title ?? key
}

/** The ports of each node: from the last check, otherwise from its type. */
export function createPortsOf(
  types: NodeTypes,
  checked: Readonly<Record<string, Ports | null>>,
): PortsOf {
  return (node) => checked[node.id] ?? typeInfo(types, node.type)?.ports ?? noPorts
}

/** Unchanged ports stay the same objects, so that what shows or computes with them is not redone. */
export function keepPorts(
  known: Readonly<Record<string, Ports>>,
  next: Readonly<Record<string, Ports>>,
): Readonly<Record<string, Ports>> {
  const ids = Object.keys(next)
  const kept = Object.fromEntries(
    Object.entries(next).map(([id, ports]) => {
      const old = known[id]
      return [id, old && sameJson(old, ports) ? old : ports]
    }),
  )
  const isSame =
    ids.length === Object.keys(known).length && ids.every((id) => kept[id] === known[id])
  return isSame ? known : kept
}

export const portNamed = (ports: readonly Port[], handle: string | null | undefined) =>
  handle === null || handle === undefined ? ports[0] : ports.find((port) => port.name === handle)

/** A wire to a port that the node does not have gets a port of that name, of type `any`. */
export function withWiredPorts(graph: Graph, portsOf: PortsOf): PortsOf {
  const wired = new Map<string, { inputs: Set<string>; outputs: Set<string> }>()
  const at = (id: string) => {
    const known = wired.get(id) ?? { inputs: new Set<string>(), outputs: new Set<string>() }
    wired.set(id, known)
    return known
  }
  for (const { source, sourceHandle, target, targetHandle } of graph.connections) {
    if (sourceHandle) at(source).outputs.add(sourceHandle)
    if (targetHandle) at(target).inputs.add(targetHandle)
  }
  return (node) => {
    const ports = portsOf(node)
    const names = wired.get(node.id)
    if (!names) return ports
    const inputs = unknownPorts(ports.inputs, names.inputs)
    const outputs = unknownPorts(ports.outputs, names.outputs)
    if (inputs.length === 0 && outputs.length === 0) return ports
    return {
      ...ports,
      inputs: [...ports.inputs, ...inputs],
      outputs: [...ports.outputs, ...outputs],
    }
  }
}

const unknownPorts = (known: readonly Port[], wired: ReadonlySet<string>): Port[] =>
  [...wired]
    .filter((name) => !known.some((port) => port.name === name))
    .map((name) => ({ name, type: 'any' }))
