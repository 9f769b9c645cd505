import { money } from '#core/money.ts'
import type { Context } from '#operations/context.ts'
import { estimateOfRun } from '#operations/runs/run-estimate.ts'
import { type CostOfRun, completedRuns, estimatedMicros } from '#store/tables/run-estimates.ts'
import { findRun } from '#store/tables/runs.ts'

const maxRuns = 1_000
/** An estimate counts tokens and may evaluate expressions: a page waits for a few at most. */
const madePerRequest = 5

/**
 * What the runs of a span were expected to cost against what they did. Estimates are kept with
 * their runs, so what is made here for one request is there for the next.
 */
export async function estimatesOf(context: Context, span: { fromMs: number; toMs: number }) {
  const { services, principal } = context
  const runs = await completedRuns(services.db, principal.accountId, span, maxRuns)
  const ids = runs.map(({ id }) => id)
  const known = await estimatedMicros(services.db, ids)
  const missing = newestOfEach(runs).filter(({ id }) => !known.has(id))
  for (const { id } of missing.slice(0, madePerRequest)) await makeEstimate(context, id)
  const estimated = await estimatedMicros(services.db, ids)
  const workflows = Map.groupBy(
    runs.filter(({ id }) => estimated.has(id)),
    ({ workflow_id }) => workflow_id,
  )
  return [...workflows]
    .map(([workflowId, own]) => ({
      workflowId,
      name: own[0]?.workflow_name ?? '',
      runs: own.length,
      estimated: money(sum(own.map(({ id }) => estimated.get(id) ?? 0))),
      actual: money(sum(own.map(({ cost_micros }) => cost_micros))),
    }))
    .sort((a, b) => b.actual.amount - a.actual.amount)
}

/** Runs come newest first. */
const newestOfEach = (runs: readonly CostOfRun[]): CostOfRun[] => [
  ...new Map(runs.toReversed().map((run) => [run.workflow_id, run])).values(),
]

async function makeEstimate(context: Context, runId: string) {
  const { db, runs } = context.services
  const row = await findRun(db, context.principal.accountId, runId)
  if (!row) return
  const inputs = JSON.parse(await runs.payloads.get(row.account_id, row.inputs))
  await estimateOfRun(context, row, inputs)
}

const sum = (numbers: readonly number[]) => numbers.reduce((total, number) => total + number, 0)
