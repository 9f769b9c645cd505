import type { NodeSlots, PlanObserver } from './execute-plan.ts'
import type { RunDeps, RunWork } from './run-work.ts'

/** Hears of what happens inside the nodes of a run, by path. */
export type RunTrace = {
  plan(under: string): PlanObserver
  item(path: string, ports: Readonly<Record<string, unknown>>, outcome: Promise<object>): void
}

/** What the nodes of one run share. */
export type NodeScope = {
  deps: RunDeps
  work: RunWork
  slots: NodeSlots
  /** Only where a run is looked at: hears of everything inside its nodes. */
  trace?: RunTrace
}
