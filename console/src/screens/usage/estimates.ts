// Estimates arrive in pages of runs; the screen shows their sums.
import type { WorkflowEstimate } from '#console/api/types.ts'

/** One row per workflow, most expensive first. */
export function sumEstimates(pages: readonly (readonly WorkflowEstimate[])[]): WorkflowEstimate[] {
  const sums = new Map<number, WorkflowEstimate>()
  for (const one of pages.flat()) {
    const known = sums.get(one.workflowId)
    sums.set(one.workflowId, known ? added(known, one) : one)
  }
  return [...sums.values()].sort((a, b) => b.actual.amount - a.actual.amount)
}

/** Newer pages come first, so the workflow's latest name is kept. */
const added = (newer: WorkflowEstimate, older: WorkflowEstimate): WorkflowEstimate => ({
  ...newer,
  runs: newer.runs + older.runs,
  estimated: { ...newer.estimated, amount: plus(newer.estimated.amount, older.estimated.amount) },
  actual: { ...newer.actual, amount: plus(newer.actual.amount, older.actual.amount) },
})

/** Amounts are sums of millionths: rounding removes floating-point errors. */
const plus = (a: number, b: number) => Math.round((a + b) * 1e6) / 1e6
