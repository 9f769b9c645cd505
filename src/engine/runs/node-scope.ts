import type { NodeSlots, PlanObserver } from './execute-plan.ts'
import type { RunDeps, RunWork } from './run-deps.ts'

/** Observes what happens inside the nodes of a run, by path. */
export type Recorder = {
  plan(under: string): PlanObserver
  item(path: string, ports: Readonly<Record<string, unknown>>, outcome: Promise<object>): void
}

/** What the nodes of one run share. */
export type NodeScope = {
  deps: RunDeps
  work: RunWork
  slots: NodeSlots
  /** Only when a run is inspected instead of executed. */
  recorder?: Recorder
}

/** A part of the run has failed, so nothing more of it begins. A run that is only read goes on. */
export function windDown({ work, recorder }: NodeScope): void {
  if (!recorder) work.halt.windDown()
}
