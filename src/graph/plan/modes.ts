// A node can be left out of runs without being removed: muted, it has no results, and what needs
// them is skipped; bypassed, it passes on what it is given.
import type { Ports } from '../node/node-type.ts'

/** Supplies one input port. Several wires of one port keep the order of the connections. */
export type Wire = { port: string; source: number; sourcePort: string }

export type NodeMode = 'mute' | 'bypass'

/** Other values are kept like any key that is not ours. */
export const readMode = (value: unknown): { mode?: NodeMode } =>
  value === 'mute' || value === 'bypass' ? { mode: value } : {}

type Wired = { readonly mode?: NodeMode; readonly ports: Ports; readonly wires: Wire[] }

/** Connects what follows a bypassed node with what precedes it. `order` has sources first. */
export function withoutBypassed<Node extends Wired>(
  nodes: readonly Node[],
  order: readonly number[],
): readonly Node[] {
  if (!nodes.some(({ mode }) => mode === 'bypass')) return nodes
  const rewired = [...nodes]
  for (const index of order) {
    const node = rewired[index]
    if (!node) continue
    const wires = node.wires.map((wire) => {
      const source = rewired[wire.source]
      const passed = source?.mode === 'bypass' ? passedOn(source, wire.sourcePort) : undefined
      // Without a value to pass on, the wire stays at the node that never has one.
      return passed ? { ...wire, source: passed.source, sourcePort: passed.sourcePort } : wire
    })
    rewired[index] = { ...node, wires }
  }
  return rewired.map((node) => (node.mode === 'bypass' ? { ...node, wires: [] } : node))
}

/** The first connected input of the same type as the output. */
function passedOn({ ports, wires }: Wired, outputPort: string): Wire | undefined {
  const type = ports.outputs.find(({ name }) => name === outputPort)?.type
  const same = ports.inputs.filter((port) => port.type === type)
  return same
    .map(({ name }) => wires.find(({ port }) => port === name))
    .find((wire) => wire !== undefined)
}
