import { readGraph } from '#console/canvas/graph.ts'

/** The defaults of inputs that a run was not given, by node. */
export const usedDefaults = (
  graph: unknown,
  given: Readonly<Record<string, unknown>>,
): Record<string, unknown> =>
  Object.fromEntries(
    (readGraph(graph)?.nodes ?? []).flatMap(({ id, type, data }) =>
      type.startsWith('input.') && !(id in given) && data.default !== undefined
        ? [[id, data.default]]
        : [],
    ),
  )
