import type { CallsUnderWay } from './calls-under-way.ts'
import type { NodeSlots, PlanObserver } from './execute-plan.ts'
import type { RunDeps, RunWork } from './run-deps.ts'
import type { PartHalt } from './run-halt.ts'

/** Observes what happens inside the nodes of a run, by path. */
export type Recorder = {
  plan(under: string): PlanObserver
  item(path: string, ports: Readonly<Record<string, unknown>>, outcome: Promise<object>): void
}

/** What the nodes of one run share, or those inside an item that may fail without the others. */
export type NodeScope = {
  deps: RunDeps
  work: RunWork
  slots: NodeSlots
  /** Of the run, or of the item. */
  halt: PartHalt
  calls: CallsUnderWay
  /** Only when a run is inspected instead of executed. */
  recorder?: Recorder
}

/** A part of it has failed, so nothing more of it begins. A run that is only read goes on. */
export function windDown({ halt, recorder }: NodeScope): void {
  if (!recorder) halt.windDown()
}
