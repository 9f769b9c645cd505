import type { Model } from '#console/api/types.ts'
import { type GraphNode, newId, type Position } from './graph.ts'
import type { NodeTypeInfo } from './node-types.ts'

/** Close enough that five in a row stay legible beside an open inspector. */
const step = 280

/** Without a pointer position, a new node goes to the right of the given one, or to the origin. */
export const besideOf = (node: GraphNode | undefined): Position =>
  node ? { x: (node.position?.x ?? 0) + step, y: node.position?.y ?? 0 } : { x: 0, y: 0 }

type Env = {
  taken: ReadonlySet<string>
  /** What the nodes of the graph are called. */
  titles: ReadonlySet<string>
  at: Position
  models: readonly Model[]
}

export const makeNode = (info: NodeTypeInfo, { taken, titles, at, models }: Env): GraphNode => ({
  id: newId(taken, idStem(info)),
  type: info.type,
  position: { x: Math.round(at.x), y: Math.round(at.y) },
  data: { ...startData(info, models), ...nameBeside(titles, info.label) },
})

/** A second node of a type is called "Output 2", so that people and lists can tell them apart. */
function nameBeside(titles: ReadonlySet<string>, label: string): { label?: string } {
  if (!titles.has(label)) return {}
  for (let number = 2; ; number++) {
    if (!titles.has(`${label} ${number}`)) return { label: `${label} ${number}` }
  }
}

/** A node that needs a model starts with the first that fits; a route is chosen by name. */
export function startData({ initial, modelKinds }: NodeTypeInfo, models: readonly Model[]) {
  const fitting = models.filter(({ kind }) => modelKinds.includes(kind))
  const first = fitting.find(({ route }) => !route) ?? fitting[0]
  return first ? { model: first.id, ...initial } : { ...initial }
}

/** A run's inputs and outputs are keyed by node id, so ids should read well: "text", "image". */
const idStem = ({ type, label }: NodeTypeInfo): string =>
  type.startsWith('input.') ? type.slice('input.'.length) : label
