// Problems found by a check, assigned to what they are about: a field, a port or a node. They form
// one list, errors before warnings, which a key steps through.
import { findNode, type Graph } from './graph.ts'
import { feedsRun } from './made.ts'
import type { NodeTypes } from './node-types.ts'
import type { PlacedProblem, Problem } from './placed-problem.ts'
import { problemWords } from './problem-words.ts'

type Validation = { errors: readonly Problem[]; warnings: readonly Problem[] }

export function placeProblems(
  graph: Graph,
  { errors, warnings }: Validation,
  types: NodeTypes,
): PlacedProblem[] {
  // Who has just begun is told how to go on, not what is missing.
  if (graph.nodes.length === 0 && errors.length === 0) return []
  const placed = [
    ...errors.map((problem) => place(graph, problem, 'error')),
    ...warnings
      .filter((problem) => !isUnasked(graph, problem))
      .map((problem) => place(graph, problem, 'warning')),
  ]
  return placed.map((problem) => ({ ...problem, words: problemWords(problem, graph, types) }))
}

/** A picture that is only viewed here, or goes to another tool, is not needed by the run. */
function isUnasked(graph: Graph, { code, nodeId }: Problem): boolean {
  const node = nodeId === undefined ? undefined : findNode(graph, nodeId)
  return (
    code === 'UNSUPPORTED_NODE' &&
    (node?.type.startsWith('browser.') ?? false) &&
    !feedsRun(graph, nodeId ?? '')
  )
}

function place(
  graph: Graph,
  problem: Problem,
  level: 'error' | 'warning',
): Omit<PlacedProblem, 'words'> {
  const wire =
    problem.connectionIndex === undefined ? undefined : graph.connections[problem.connectionIndex]
  if (wire) {
    if (problem.path.endsWith('/sourceHandle')) return { ...problem, level, nodeId: wire.source }
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

/** The problem after the current one; the first follows the last. */
export const nextProblem = (
  problems: readonly PlacedProblem[],
  current: PlacedProblem | null,
): PlacedProblem | null =>
  problems[((current ? problems.indexOf(current) : -1) + 1) % problems.length] ?? null
