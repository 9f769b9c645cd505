import type { AccountCache } from '#core/account-cache.ts'
import type { BatchTimes } from '#core/economy.ts'
import type { Principal } from '#core/principal.ts'
import type { Routes } from '#core/route.ts'
import type { PinnedVersion } from '#core/run-facts.ts'
import type { SubmitRun } from '#core/run-submission.ts'
import type { Step } from '#core/step-states.ts'
import type { EstimateReuse } from '#graph/node/reuse-lookup.ts'
import type { Plan } from '#graph/plan/plan.ts'
import type { UnsupportedNode } from '#graph/validation/problems.ts'
import type { RecordRunEnd } from '#store/tables/deliveries.ts'
import type { RunRow } from '#store/tables/runs.ts'
import type { StepHead, Steps } from '#store/tables/steps.ts'

/** What happened inside a run, reconstructed from its records. */
export type ReconstructedRun = {
  plan: Plan
  called: ReadonlyMap<number, { plan: Plan }>
  /** By path. UNKNOWN: the node has started, but its result is not recorded yet. */
  nodes: ReadonlyMap<string, ReconstructedNode>
  /** Inputs and outputs of the requested path; null if they are not known. */
  inputs: Record<string, unknown> | null
  outputs: Record<string, unknown> | null
}

export type ReconstructedNode = {
  state: 'COMPLETED' | 'FAILED' | 'SKIPPED' | 'UNKNOWN'
  error: { code: string; message: string; retryable: boolean } | null
}

/** A graph that may be run, with the facts that a submission needs. */
export type CompiledInputs = {
  plan: Plan
  /** The versions of the called workflows, or null. */
  called: readonly PinnedVersion[] | null
  unsupported: readonly UnsupportedNode[]
  /** Outputs that need a node this server cannot run, unless a browser node's result is given. */
  dead: readonly string[]
  mayCost: boolean
  /** Some node may wait for a time or an answer. */
  mayWait: boolean
  /** Models that it calls and whose price is not known. */
  unpriced: readonly string[]
  /** The routes that it names. */
  routes?: Routes | undefined
  /** It reuses answers unless a run says otherwise. */
  reuses: boolean
}

/** The dependencies of the operations on runs, apart from the store. */
export type RunServices = {
  submit: SubmitRun
  recordRunEnd: RecordRunEnd
  /** Called once the end of a run is stored. */
  onEnded(run: Pick<RunRow, 'id' | 'status'>): void
  /** Throws SPEND_LIMIT_REACHED if nothing more may be spent. */
  assertMaySpend(principal: Principal): Promise<void>
  /** Throws QUOTA_EXCEEDED if as many runs of the account sleep as may. */
  assertMayWait(accountId: string): Promise<void>
  /** Throws UNPRICED_MODEL if a limit applies that a call of one of these models would pass. */
  assertPriced(
    principal: Principal,
    models: readonly string[],
    options: { hasMaxCost: boolean },
  ): void
  /** Inputs, outputs and results that are too long for a row are stored as blobs. */
  payloads: {
    put(accountId: string, json: string, maxBytesInRow?: number): Promise<string>
    get(accountId: string, held: string): Promise<string>
    read(accountId: string, held: string): Promise<unknown>
  }
  /** Replaces the addresses of this account's media inside a value by fresh ones. */
  refreshMedia(accountId: string, value: unknown): Promise<unknown>
  /**
   * Creates new records for this account's media inside a value, so that they live as long as a
   * run that starts now. Undefined if one of them has been deleted.
   */
  keepMedia(accountId: string, value: unknown): Promise<unknown>
  /** After the end of a run that slept: what it refers to is kept as long as the run. */
  renewAtEnd(run: RunRow): Promise<void>
  /** Stores the picture or film at an address, or says why it cannot be used. */
  acceptMedia(
    accountId: string,
    url: string,
    kind: 'image' | 'video',
  ): Promise<{ media: unknown } | { problem: string }>
  /** The calls a run has made. */
  stepsOf(runId: string): Promise<Step[]>
  /** The result of one call, if it was left out because it is long. */
  stepResultOf: Steps['resultOf']
  /** The calls without their results. */
  stepHeadsOf(runId: string): Promise<StepHead[]>
  /** Recomputes the pure nodes from the recorded calls; calls nothing itself. */
  reconstruct(
    row: RunRow,
    steps: readonly Step[],
    path: string,
    onOutputs?: (path: string, outputs: object) => void,
  ): Promise<ReconstructedRun>
  /** What a run of this payer would take over of earlier calls. */
  reusableAnswers(payer: { spender: Principal; isCostLimited: boolean }): EstimateReuse
  /** When text calls of a run with a deadline can wait for a batch. */
  economy: { times: BatchTimes; gatherMs: number }
  /** Validated graphs by workflow, version and revision of the models. */
  accepted: AccountCache<CompiledInputs>
  /** Nodes of graphs by workflow and version. */
  nodeHeads: AccountCache<readonly { id: string; type: string }[]>
}
