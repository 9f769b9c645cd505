// Problems of a check, brought to the place they are about: a field, a port or a node. One list
// in the order of the graph leads from one to the next.
import type { Graph } from './graph.ts'

export type Problem = {
  readonly code: string
  readonly message: string
  /** JSON Pointer into the graph. */
  readonly path: string
  readonly nodeId?: string
  readonly connectionIndex?: number
}

export type PlacedProblem = Problem & {
  readonly level: 'error' | 'warning'
  readonly nodeId?: string
  readonly port?: string
  /** The setting of the node it is about. */
  readonly field?: string
}

type Validation = { errors: readonly Problem[]; warnings: readonly Problem[] }

export function placeProblems(graph: Graph, { errors, warnings }: Validation): PlacedProblem[] {
  return [
    ...errors.map((problem) => place(graph, problem, 'error')),
    ...warnings.map((problem) => place(graph, problem, 'warning')),
  ]
}

function place(graph: Graph, problem: Problem, level: 'error' | 'warning'): PlacedProblem {
  const wire =
    problem.connectionIndex === undefined ? undefined : graph.connections[problem.connectionIndex]
  if (wire) {
    return { ...problem, level, nodeId: wire.target, ...named('port', wire.targetHandle) }
  }
  const [, , index = '', member, key] = problem.path.split('/').map(unescapePointer)
  const isNode = problem.path.startsWith('/nodes/')
  const nodeId = problem.nodeId ?? (isNode ? graph.nodes[Number(index)]?.id : undefined)
  return {
    ...problem,
    level,
    ...named('nodeId', nodeId),
    ...(isNode && member === 'data' ? named('field', key) : {}),
    ...(problem.code === 'REQUIRED_PORT_UNCONNECTED'
      ? named('port', /port "([^"]+)"/.exec(problem.message)?.[1])
      : {}),
  }
}

const unescapePointer = (part: string) => part.replaceAll('~1', '/').replaceAll('~0', '~')

const named = <Key extends string>(key: Key, value: string | null | undefined) =>
  (value ? { [key]: value } : {}) as { [K in Key]?: string }

/** The problem after the one at hand, round and round. */
export const nextProblem = (
  problems: readonly PlacedProblem[],
  current: PlacedProblem | null,
): PlacedProblem | null =>
  problems[((current ? problems.indexOf(current) : -1) + 1) % problems.length] ?? null
