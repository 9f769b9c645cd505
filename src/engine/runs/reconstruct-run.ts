// The inputs and outputs of a run's nodes, recomputed from its records, down to the items of a list
// and the nodes of called workflows. Makes no calls and writes nothing: a node whose calls are not
// recorded has no outputs.

import type { NodeError } from '#core/run-facts.ts'
import type { Step } from '#core/step-states.ts'
import type { NodeInputs, NodeOutputs } from '#graph/node/node-type.ts'
import type { PlanNode } from '#graph/plan/plan.ts'
import type { RunRow } from '#store/engine-store.ts'
import { createNodeSlots, executePlan } from './execute-plan.ts'
import { nodeCalls } from './node-calls.ts'
import { toNodeError, unforeseen } from './node-error.ts'
import { siteOf } from './node-progress.ts'
import type { Recorder } from './node-scope.ts'
import { isInterruption, NotRecorded } from './recorded-call.ts'
import { newWork, withInputs } from './run-claimed.ts'
import type { RunDeps } from './run-deps.ts'
import type { CompiledRun, PlanCache } from './run-plan.ts'

/** UNKNOWN: the node had begun, but its calls are not recorded yet. */
export type NodeState = 'COMPLETED' | 'FAILED' | 'SKIPPED' | 'UNKNOWN'
export type ReconstructedNode = { state: NodeState; error: NodeError | null }

export type ReconstructedRun = Pick<CompiledRun, 'plan' | 'called'> & {
  /** By path: `node`, `node[item]`, `node/node of the called workflow`. */
  nodes: ReadonlyMap<string, ReconstructedNode>
  /** Of the requested path. */
  inputs: Record<string, unknown> | null
  outputs: Record<string, unknown> | null
}

export async function reconstructRun(
  deps: RunDeps,
  plans: PlanCache,
  run: { row: RunRow; steps: readonly Step[]; path: string; onOutputs?: OnOutputs },
): Promise<ReconstructedRun> {
  const compiled = await plans.planOf(run.row)
  const row = await withInputs(deps, { ...run.row, kept: null })
  const work = newWork(deps, { row, compiled, steps: run.steps }, null, '')
  const slots = createNodeSlots()
  const { recorder, found, settled } = createRecorder(run.path, run.onOutputs)
  try {
    await executePlan(compiled, work.inputs, {
      slots,
      held: work.held,
      observer: recorder.plan(''),
      // Unlike a run, a reconstruction continues after a failure.
      goOn: true,
      execution: (root) => {
        const { halt, calls } = work
        const scope = { deps, work, slots, halt, calls, recorder }
        return nodeCalls(scope, root.id, siteOf(work, root))
      },
      activity: work.activity,
      values: work.values,
    })
    await settled()
  } finally {
    work.held.close()
  }
  const { plan, called } = compiled
  return { plan, called, ...found }
}

/** Sees the values of every path once, to keep of them what it needs. */
type OnOutputs = (path: string, outputs: object) => void

/** Keeps the values of one path only: those of a whole run may be large together. */
function createRecorder(wanted: string, onOutputs?: OnOutputs) {
  const nodes = new Map<string, ReconstructedNode>()
  const items = new Set<Promise<unknown>>()
  const found: Omit<ReconstructedRun, 'plan' | 'called'> = { nodes, inputs: null, outputs: null }
  const begin = (path: string, inputs: Record<string, unknown>) => {
    nodes.set(path, { state: 'UNKNOWN', error: null })
    if (path === wanted) found.inputs = inputs
  }
  const complete = (path: string, outputs: object) => {
    nodes.set(path, { state: 'COMPLETED', error: null })
    if (path === wanted) found.outputs = { ...outputs }
    onOutputs?.(path, outputs)
  }
  const fail = (path: string, error: unknown) => {
    if (error instanceof NotRecorded || isInterruption(error)) return
    nodes.set(path, { state: 'FAILED', error: toNodeError(error) ?? unforeseen })
  }
  const recorder: Recorder = {
    plan: (under) => ({
      mayStart() {},
      started: (node: PlanNode, inputs) => begin(under + node.id, shown(inputs)),
      completed: (node: PlanNode, outputs: NodeOutputs) => complete(under + node.id, outputs),
      skipped: (node: PlanNode) =>
        void nodes.set(under + node.id, { state: 'SKIPPED', error: null }),
      failed: (node: PlanNode, error: unknown) => fail(under + node.id, error),
    }),
    item(path, ports, outcome) {
      begin(path, { ...ports })
      const watched = outcome
        .then(
          (outputs) => complete(path, outputs),
          (error) => fail(path, error),
        )
        .finally(() => items.delete(watched))
      items.add(watched)
    },
  }
  /** A list whose node has failed may still have items in progress, which begin others. */
  const settled = async () => {
    while (items.size > 0) await Promise.all(items)
  }
  return { recorder, found, settled }
}

function shown({ ports, merged }: NodeInputs<unknown>): Record<string, unknown> {
  return merged.length === 0 ? { ...ports } : { ...ports, in: merged }
}
