import type { AccountCache } from '#core/account-cache.ts'
import type { Principal } from '#core/principal.ts'
import type { Plan } from '#nodes/execution/plan.ts'
import type { UnsupportedNode } from '#nodes/validation/problems.ts'
import type { RecordRunEnd } from '#store/tables/deliveries.ts'
import type { RunRow } from '#store/tables/runs.ts'
import type { StepHead, StepRow } from '#store/tables/steps.ts'
import type { Intake } from './run-intake.ts'

/** What happened inside a run, as far as its records tell. */
export type RunTrace = {
  plan: Plan
  called: ReadonlyMap<number, { plan: Plan }>
  /** By path; UNKNOWN had begun, and what it does is not recorded yet. */
  nodes: ReadonlyMap<string, TracedNode>
  /** Of the path asked for; null where it is not known. */
  inputs: Record<string, unknown> | null
  outputs: Record<string, unknown> | null
}

export type TracedNode = {
  state: 'COMPLETED' | 'FAILED' | 'SKIPPED' | 'UNKNOWN'
  error: { code: string; message: string; retryable: boolean } | null
}

/** A graph that may be run, with what a submission asks about it. */
export type CompiledInputs = {
  plan: Plan
  /** JSON of the called workflows' versions, or null. */
  called: string | null
  unsupported: readonly UnsupportedNode[]
  /** Outputs that need a node that cannot run here; a browser node's result may be given. */
  dead: readonly string[]
  mayCost: boolean
}

/** What the operations on runs need beyond the store. */
export type RunServices = {
  intake: Intake
  recordRunEnd: RecordRunEnd
  /** Called once the end of a run is stored. */
  onEnded(run: Pick<RunRow, 'id' | 'status'>): void
  /** Throws SPEND_LIMIT_REACHED where nothing more may be spent. */
  assertMaySpend(principal: Principal): Promise<void>
  /** Inputs, outputs and results that are too long for a row lie elsewhere. */
  payloads: {
    put(accountId: string, json: string): Promise<string>
    get(accountId: string, held: string): Promise<string>
  }
  /** Gives pictures and videos of this account inside a value fresh addresses. */
  refreshMedia(accountId: string, value: unknown): Promise<unknown>
  /**
   * Gives pictures and videos of this account inside a value records of their own, so that they
   * live as long as a run that begins now. Undefined where one of them has gone.
   */
  keepMedia(accountId: string, value: unknown): Promise<unknown>
  /** The calls a run has made. */
  stepsOf(runId: string): Promise<StepRow[]>
  /** The same without their results. */
  stepHeadsOf(runId: string): Promise<StepHead[]>
  /** Computes again what can be computed; calls nothing. */
  trace(row: RunRow, steps: readonly StepRow[], path: string): Promise<RunTrace>
  /** Checked graphs by workflow and version. */
  accepted: AccountCache<CompiledInputs>
  /** Nodes of graphs by workflow and version. */
  nodeHeads: AccountCache<readonly { id: string; type: string }[]>
}
