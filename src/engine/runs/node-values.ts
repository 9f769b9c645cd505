// What a node was given and gave, computed again from the records of its run. Calls nothing and
// writes nothing: a node whose calls are not recorded has no values.
import type { NodeInputs, NodeOutputs } from '#nodes/node-type.ts'
import type { RunRow } from '#store/runs.ts'
import type { StepRow } from '#store/steps.ts'
import { createPlaces, executePlan } from './execute-plan.ts'
import { nodeCalls } from './node-calls.ts'
import { isUnavailable } from './run-apart.ts'
import { newWork, withInputs } from './run-claimed.ts'
import type { PlanShelf } from './run-plan.ts'
import type { RunParts } from './run-work.ts'

export type NodeValues = {
  inputs: Record<string, unknown> | null
  outputs: Record<string, unknown> | null
}

export async function nodeValues(
  parts: RunParts,
  shelf: PlanShelf,
  run: { row: RunRow; steps: readonly StepRow[]; nodeId: string },
): Promise<NodeValues> {
  const compiled = await shelf.planOf(run.row)
  const row = await withInputs(parts, run.row)
  const work = newWork(row, compiled, run.steps, null, '')
  const places = createPlaces()
  let inputs: NodeInputs<unknown> | null = null
  const quiet = () => {}
  const end = await executePlan(compiled, work.inputs, {
    places,
    observer: {
      mayStart: quiet,
      started(node, given) {
        if (node.id === run.nodeId) inputs = given
      },
      completed: quiet,
      skipped: quiet,
      failed: quiet,
    },
    // Unlike a run, looking goes on past a failure.
    goOn: true,
    execution: (root) => {
      const progress = work.nodes[root.index]
      if (!progress) throw new Error(`no node ${root.index}`)
      return nodeCalls({ parts, work, places }, root.id, { root, progress })
    },
  })
  // Without its result the nodes behind it would seem to have no values.
  const unavailable = end.failures.find(({ error }) => isUnavailable(error))
  if (unavailable) throw unavailable.error
  const index = compiled.plan.nodes.findIndex(({ id }) => id === run.nodeId)
  return { inputs: inputs && shown(inputs), outputs: shownOutputs(end.values[index] ?? null) }
}

function shown({ ports, merged }: NodeInputs<unknown>): Record<string, unknown> {
  return merged.length === 0 ? { ...ports } : { ...ports, in: merged }
}

const shownOutputs = (outputs: NodeOutputs | null) => outputs && { ...outputs }
