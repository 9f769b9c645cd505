// Three-way merge of two edits of one graph. If they touch different nodes, different ports or only
// positions, both are kept; if they touch the same thing, a person chooses, node by node. Nothing
// is dropped silently: a wire from a node that the other side removed is a conflict too.
import { mergeDrawings } from './drawings.ts'
import { type Connection, type Graph, type GraphNode, labelOf, type Position } from './graph.ts'
import { allPorts, type NodeParts, partsOf, sameSettings, sameWires } from './node-parts.ts'

export type Side = 'mine' | 'theirs'

export type Conflict = {
  readonly nodeId: string
  readonly label: string
  /** Null if that side removed the node. */
  readonly mine: GraphNode | null
  readonly theirs: GraphNode | null
}

export type Merge = {
  readonly conflicts: readonly Conflict[]
  /** How many nodes only one side changed. */
  readonly onlyMine: number
  readonly onlyTheirs: number
  resolve(choices: ReadonlyMap<string, Side>): Graph
}

type Three<T> = { readonly base: T; readonly mine: T; readonly theirs: T }

export function mergeGraphs(graphs: Three<Graph>): Merge {
  const parts = {
    base: partsOf(graphs.base),
    mine: partsOf(graphs.mine),
    theirs: partsOf(graphs.theirs),
  }
  const used = {
    mine: newSources(graphs.base, graphs.mine),
    theirs: newSources(graphs.base, graphs.theirs),
  }
  const ids = [...new Set([...parts.theirs.keys(), ...parts.mine.keys(), ...parts.base.keys()])]
  const units = ids.map((id) => unitOf(id, pick(parts, id), used))
  return {
    conflicts: units.flatMap(({ conflict }) => (conflict ? [conflict] : [])),
    onlyMine: units.filter((unit) => !unit.conflict && unit.touched === 'mine').length,
    onlyTheirs: units.filter((unit) => !unit.conflict && unit.touched === 'theirs').length,
    resolve: (choices) => assemble(graphs, units, choices),
  }
}

type MaybeParts = Three<NodeParts | undefined>

const pick = (parts: Three<Map<string, NodeParts>>, id: string): MaybeParts => ({
  base: parts.base.get(id),
  mine: parts.mine.get(id),
  theirs: parts.theirs.get(id),
})

type Unit = {
  readonly conflict: Conflict | null
  readonly touched: Side | 'both' | null
  build(choice: Side): { node: GraphNode; wires: readonly Connection[] } | null
}

function unitOf(id: string, all: MaybeParts, used: Record<Side, ReadonlySet<string>>): Unit {
  const { base, mine, theirs } = all
  const changed = {
    mine: isChanged(base, mine) || (!theirs && used.mine.has(id)),
    theirs: isChanged(base, theirs) || (!mine && used.theirs.has(id)),
  }
  const touched = changed.mine
    ? changed.theirs
      ? 'both'
      : 'mine'
    : changed.theirs
      ? 'theirs'
      : null
  const facets = mine && theirs ? facetsOf({ base, mine, theirs }) : null
  const isConflict =
    touched === 'both' && (facets ? facets.some((facet) => facet.clashes) : Boolean(mine ?? theirs))
  const one = mine ?? theirs ?? base
  return {
    touched,
    conflict:
      isConflict && one
        ? {
            nodeId: id,
            label: labelOf(one.node),
            mine: mine?.node ?? null,
            theirs: theirs?.node ?? null,
          }
        : null,
    build: (choice) => {
      if (facets) return join(all, facets, choice)
      const kept = isConflict ? all[choice] : changed.mine ? mine : theirs
      return kept ? whole(kept) : null
    },
  }
}

const whole = ({ node, wires }: NodeParts) => ({ node, wires: [...wires.values()].flat() })

function isChanged(base: NodeParts | undefined, side: NodeParts | undefined): boolean {
  if (!base || !side) return base !== side
  return (
    !sameSettings(base.node, side.node) ||
    allPorts(base, side).some((port) => !sameWires(base.wires.get(port), side.wires.get(port)))
  )
}

type Facet = { readonly port: string | null; readonly from: Side; readonly clashes: boolean }

/** The settings (port null) and each input port, decided separately. */
function facetsOf(all: MaybeParts & { mine: NodeParts; theirs: NodeParts }): Facet[] {
  const { base, mine, theirs } = all
  const settings = decide(
    null,
    !base || !sameSettings(base.node, mine.node),
    !base || !sameSettings(base.node, theirs.node),
    sameSettings(mine.node, theirs.node),
  )
  const ports = allPorts(base, mine, theirs).map((port) =>
    decide(
      port,
      !sameWires(base?.wires.get(port), mine.wires.get(port)),
      !sameWires(base?.wires.get(port), theirs.wires.get(port)),
      sameWires(mine.wires.get(port), theirs.wires.get(port)),
    ),
  )
  return [settings, ...ports]
}

const decide = (port: string | null, mine: boolean, theirs: boolean, same: boolean): Facet => ({
  port,
  from: mine ? 'mine' : 'theirs',
  clashes: mine && theirs && !same,
})

function join({ base, mine, theirs }: MaybeParts, facets: readonly Facet[], choice: Side) {
  const sides = { mine, theirs }
  const of = (facet: Facet) => sides[facet.clashes ? choice : facet.from]
  const settings = facets.find((facet) => facet.port === null)
  const node = settings && of(settings)?.node
  if (!node) return null
  const wires = facets.flatMap((facet) =>
    facet.port === null ? [] : (of(facet)?.wires.get(facet.port) ?? []),
  )
  const position = placeOf(base?.node, mine?.node, theirs?.node)
  return { node: position ? { ...node, position } : node, wires }
}

/** A move is never a conflict: my position wins if I moved the node. */
const placeOf = (
  base: GraphNode | undefined,
  mine: GraphNode | undefined,
  theirs: GraphNode | undefined,
): Position | undefined => {
  const moved = mine?.position?.x !== base?.position?.x || mine?.position?.y !== base?.position?.y
  return (moved ? mine?.position : theirs?.position) ?? theirs?.position ?? mine?.position
}

/** Nodes with an outgoing wire that the base does not have. */
function newSources(base: Graph, side: Graph): Set<string> {
  const known = new Set(base.connections.map(ends))
  return new Set(
    side.connections.filter((wire) => !known.has(ends(wire))).map((wire) => wire.source),
  )
}

const ends = (wire: Connection) =>
  JSON.stringify([wire.source, wire.sourceHandle ?? '', wire.target, wire.targetHandle ?? ''])

function assemble(
  { base, mine, theirs }: Three<Graph>,
  units: readonly Unit[],
  choices: ReadonlyMap<string, Side>,
): Graph {
  const built = units.flatMap((unit) => {
    const one = unit.build(choices.get(unit.conflict?.nodeId ?? '') ?? 'mine')
    return one ? [one] : []
  })
  const ids = new Set(built.map(({ node }) => node.id))
  const wires = built.flatMap((one) => one.wires).filter((wire) => ids.has(wire.source))
  // The order of connections decides what a merge node joins first: theirs, then what I added.
  const order = new Map(
    [...theirs.connections, ...mine.connections, ...base.connections]
      .map(ends)
      .reverse()
      .map((key, index, keys) => [key, keys.length - index]),
  )
  const rank = (wire: Connection) => order.get(ends(wire)) ?? 0
  return {
    ...theirs,
    ...mergeDrawings(base, mine, theirs),
    nodes: built.map(({ node }) => node),
    connections: wires.sort((a, b) => rank(a) - rank(b)),
  }
}
