import { isRecord } from '#core/record.ts'
import { fillMistake } from '../node/fills.ts'
import type { InputPort, OutputPort } from '../node/node-type.ts'
import { canConnect } from '../node/values.ts'
import type { NodeEntry } from './check-nodes.ts'
import { type ErrorList, quote } from './problems.ts'

/** A connection between two existing nodes. A port is null if it cannot be determined. */
export type Edge = {
  source: NodeEntry
  target: NodeEntry
  sourcePort: OutputPort | null
  targetPort: InputPort | null
}

type Handles = {
  source: string
  target: string
  sourceHandle: string | null
  targetHandle: string | null
}

/** Identifies a port by number: cheaper to look up than text, a thousand times per graph. */
type PortKey = (entry: NodeEntry, port: string) => number

export function createPortKeys(): PortKey {
  const names = new Map<string, number>()
  return ({ index }, port) => {
    const number = names.get(port) ?? names.size
    if (number === names.size) names.set(port, number)
    return number * 256 + index
  }
}

export function checkConnections(
  connections: readonly unknown[],
  entries: ReadonlyMap<string, NodeEntry>,
  keyOf: PortKey,
  errors: ErrorList,
): Edge[] {
  const edges: Edge[] = []
  const seen = new Set<number>()
  const taken = new Map<number, number>()
  for (const [index, raw] of connections.entries()) {
    const fail = (code: Parameters<ErrorList['add']>[0]['code'], at: string, message: string) =>
      errors.add({ code, path: `/connections/${index}${at}`, message, connectionIndex: index })
    const handles = readHandles(raw, fail)
    if (!handles) continue
    const edge = findEnds(handles, entries, fail)
    if (!edge) continue
    edges.push(edge)
    const { source, target, sourcePort, targetPort } = edge
    if (!sourcePort || !targetPort) continue
    const into = keyOf(target, targetPort.name)
    const key = keyOf(source, sourcePort.name) * 2 ** 26 + into
    if (seen.has(key)) {
      fail('DUPLICATE_CONNECTION', '', `${ends(edge)} is connected twice: remove this connection.`)
      edges.pop()
      continue
    }
    seen.add(key)
    if (!canConnect(sourcePort.type, targetPort.type)) {
      fail('PORT_TYPE_MISMATCH', '', mismatch(edge, sourcePort, targetPort))
    }
    const other = taken.get(into)
    if (other !== undefined && !targetPort.multi) {
      const message = `Port ${quote(targetPort.name)} of ${quote(target.id)} accepts only one connection and already has connection ${other}: remove one, or join them with flow.merge.`
      fail('PORT_ALREADY_CONNECTED', '/targetHandle', message)
    } else {
      taken.set(into, index)
    }
  }
  return edges
}

const ends = ({ source, target, sourcePort, targetPort }: Edge) =>
  `${quote(`${source.id}.${sourcePort?.name}`)} to ${quote(`${target.id}.${targetPort?.name}`)}`

const mismatch = (edge: Edge, from: OutputPort, to: InputPort) =>
  `${ends(edge)}: ${from.type} cannot go into ${to.type}. Put a json.transform between them, or connect another port.`

type Fail = (
  code: 'INVALID_CONNECTION' | 'UNKNOWN_NODE' | 'UNKNOWN_PORT',
  at: string,
  message: string,
) => void

function readHandles(raw: unknown, fail: Fail): Handles | null {
  if (!isRecord(raw)) {
    fail('INVALID_CONNECTION', '', 'A connection must be an object with source and target.')
    return null
  }
  let isSound = true
  const refuse = (at: string, message: string) => {
    isSound = false
    fail('INVALID_CONNECTION', at, message)
  }
  const read = (key: 'source' | 'target') => {
    const value = raw[key]
    if (typeof value === 'string') return value
    refuse(`/${key}`, `${key} must be the id of a node.`)
    return ''
  }
  const readHandle = (key: 'sourceHandle' | 'targetHandle') => {
    const value = raw[key] ?? null
    if (value === null || typeof value === 'string') return value
    refuse(`/${key}`, `${key} must be the name of a port; without it, the first port is used.`)
    return null
  }
  const handles = {
    source: read('source'),
    target: read('target'),
    sourceHandle: readHandle('sourceHandle'),
    targetHandle: readHandle('targetHandle'),
  }
  if (raw.id !== undefined && raw.id !== null && typeof raw.id !== 'string') {
    refuse('/id', 'id must be a string; it may be left out.')
  }
  return isSound ? handles : null
}

function findEnds(
  handles: Handles,
  entries: ReadonlyMap<string, NodeEntry>,
  fail: Fail,
): Edge | null {
  const find = (key: 'source' | 'target') => {
    const entry = entries.get(handles[key])
    if (!entry)
      fail(
        'UNKNOWN_NODE',
        `/${key}`,
        `${key} names ${quote(handles[key])}, which is not among the nodes.`,
      )
    return entry
  }
  const [source, target] = [find('source'), find('target')]
  if (!source || !target) return null
  return {
    source,
    target,
    sourcePort: findPort(source, 'outputs', handles.sourceHandle, (message) =>
      fail('UNKNOWN_PORT', '/sourceHandle', message),
    ),
    targetPort: findPort(target, 'inputs', handles.targetHandle, (message) =>
      fail('UNKNOWN_PORT', '/targetHandle', message),
    ),
  }
}

type AnyPort = InputPort & OutputPort

const namedPorts = new WeakMap<readonly AnyPort[], Map<string, AnyPort>>()

/** Indexed by name, because a called workflow may have hundreds of ports and connections. */
function byName(list: readonly AnyPort[]): Map<string, AnyPort> {
  const ready = namedPorts.get(list) ?? new Map(list.map((port) => [port.name, port]))
  namedPorts.set(list, ready)
  return ready
}

function findPort<Side extends 'inputs' | 'outputs'>(
  { id, typeName, ports }: NodeEntry,
  side: Side,
  handle: string | null,
  fail: (message: string) => void,
): AnyPort | null {
  if (!ports) return null
  const list = ports[side] as readonly AnyPort[]
  const port = handle === null ? list[0] : byName(list).get(handle)
  if (port) return port
  if (ports.open && handle !== null && handle.length <= 64) {
    return { name: handle, type: 'any', required: false, multi: true }
  }
  const what = side === 'inputs' ? 'input' : 'output'
  const names = list.slice(0, 20).map((candidate) => candidate.name)
  fail(
    names.length === 0
      ? `${quote(id)} (${typeName}) has no ${what}.`
      : `${quote(id)} has no ${what} port ${quote(handle)}: connect one of ${names.join(', ')}, or remove the connection.`,
  )
  return null
}

/** Reports required ports without a value, and constants that do not fit their port. */
export function checkUnconnected(
  entries: Iterable<NodeEntry>,
  edges: readonly Edge[],
  keyOf: PortKey,
  errors: ErrorList,
) {
  const connected = new Set<number>()
  const dangling = new Map<NodeEntry, number>()
  for (const { target, targetPort } of edges) {
    if (targetPort) connected.add(keyOf(target, targetPort.name))
    else dangling.set(target, (dangling.get(target) ?? 0) + 1)
  }
  for (const entry of entries) {
    const { index, id, ports, fills } = entry
    const open = (ports?.inputs ?? []).filter(({ name }) => !connected.has(keyOf(entry, name)))
    const empty = open.filter(({ name, required }) => required && !(name in fills))
    // After a port is renamed, the connection that lost it says all there is to do.
    const isRenamed = empty.length > 0 && empty.length <= (dangling.get(entry) ?? 0)
    for (const port of open) {
      const { name } = port
      const mistake = fillMistake(port, fills)
      const path = `/nodes/${index}/data/${name}`
      if (mistake) {
        errors.add({ code: 'INVALID_CONFIG', path, message: `${name} ${mistake}.`, nodeId: id })
      } else if (!isRenamed && empty.includes(port)) {
        const message = `Input port ${quote(name)} of ${quote(id)} needs a value: connect it, or set data.${name}.`
        errors.add({
          code: 'REQUIRED_PORT_UNCONNECTED',
          path: `/nodes/${index}`,
          message,
          nodeId: id,
        })
      }
    }
  }
}
