import { toMicros } from '#core/money.ts'
import type { Static } from '#core/schema.ts'
import { withPart } from '#graph/plan/part.ts'
import { findEstimate, keepEstimate } from '#store/tables/run-estimates.ts'
import type { RunRow } from '#store/tables/runs.ts'
import { findGraph } from '#store/tables/workflows.ts'
import type { Context } from '../context.ts'
import { estimateGraph, type GraphEstimate } from '../workflows/estimate-graph.ts'
import { examineGraph } from '../workflows/examine-graph.ts'

export type RunEstimate = Static<typeof GraphEstimate>

/**
 * What a run was expected to cost. It is computed on the first read, for the graph versions pinned
 * by the run, so that submitting a run does not wait for it. Null if a model no longer exists.
 */
export async function estimateOfRun(
  context: Context,
  row: RunRow,
  inputs: Record<string, unknown>,
): Promise<RunEstimate | null> {
  const { db } = context.services
  const kept = await findEstimate(db, row.id)
  if (kept !== undefined) return kept as RunEstimate
  const graph = await findGraph(db, row.workflow_id, row.data_version)
  const { plan, calls } = await examineAccepted(context, row, graph?.value ?? null)
  if (!plan) return null
  const targeted = withPart(plan, row.options ?? {})
  const { workflow_id: workflowId } = row
  const estimate = await estimateGraph(context, { plan: targeted, calls, workflowId }, inputs)
  const micros = toMicros(estimate.estimatedCost)
  await keepEstimate(db, { runId: row.id, micros, estimate })
  return estimate
}

/** Examines the graph of a run with the versions of called workflows that it was accepted with. */
export function examineAccepted(context: Context, row: RunRow, graph: unknown) {
  const versions = new Map(row.called)
  return examineGraph(context, graph, row.workflow_id, (ids) => loadPinned(context, ids, versions))
}

async function loadPinned(
  { services: { db } }: Context,
  ids: readonly number[],
  versions: ReadonlyMap<number, number>,
) {
  const graphs = await Promise.all(
    ids.map(async (workflowId) => {
      const version = versions.get(workflowId)
      const graph = version && (await findGraph(db, workflowId, version))
      if (!version || !graph) return []
      return [{ workflowId, version, data: graph.value, chars: graph.text.length }]
    }),
  )
  return graphs.flat()
}
