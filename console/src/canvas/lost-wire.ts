// A wire whose port is gone, because a placeholder, an input or an output was renamed. The server
// lists the ports that the node has now; those without a wire are where this one may go.
import { type Connection, findNode, type Graph } from './graph.ts'
import type { Problem } from './placed-problem.ts'

export type LostWire = {
  readonly wire: Connection
  /** The end whose port is gone. */
  readonly end: 'source' | 'target'
  /** The port that is gone. */
  readonly port: string
  /** All ports of the node on this side. */
  readonly ports: readonly string[]
  /** Those that have room for the wire. */
  readonly free: readonly string[]
}

export function lostWire(
  { code, path, message, connectionIndex }: Problem,
  graph: Graph,
): LostWire | null {
  const wire = graph.connections[connectionIndex ?? -1]
  if (code !== 'UNKNOWN_PORT' || !wire) return null
  const end = path.endsWith('/sourceHandle') ? 'source' : 'target'
  const port = wire[`${end}Handle`]
  if (!port || !findNode(graph, wire[end])) return null
  const listed = /: connect one of (.+), or remove the connection\.$/.exec(message)?.[1]
  const ports = listed?.split(', ') ?? []
  return { wire, end, port, ports, free: ports.filter((name) => !isTaken(graph, wire, end, name)) }
}

/** An output may feed many wires; an input is taken to accept one. */
const isTaken = (graph: Graph, { target }: Connection, end: LostWire['end'], port: string) =>
  end === 'target' &&
  graph.connections.some((other) => other.target === target && other.targetHandle === port)

/** The wire, led to another port of the same node. */
export const ledTo = ({ wire, end }: LostWire, port: string): Connection => ({
  ...wire,
  [`${end}Handle`]: port,
})
