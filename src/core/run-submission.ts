// The types of a run's submission, shared by the request side and the engine.
import type { Entry } from './batcher.ts'
import { Failure } from './errors.ts'
import type { Spender } from './generation.ts'
import type { Principal } from './principal.ts'
import type { Routes } from './route.ts'
import type { PinnedVersion, RunOptions } from './run-facts.ts'
import type { RunStatus } from './run-states.ts'
import type { StepKind } from './step-states.ts'

/** A finished call of another run that this run reuses. Its cost belongs to the other run. */
export type ReusedStep = {
  path: string
  kind: StepKind
  attempts: number
  startedAtMs: number
  endedAtMs: number
  taskId: string | null
  /** JSON, or a reference to it in the payload store. */
  result: string
}

export type RunSubmission = {
  principal: Spender & Partial<Pick<Principal, 'userId'>>
  /** Bound to one run of the workflow; `fingerprint` shows whether a repeat is identical. */
  key: string
  fingerprint: string
  workflow: { id: number; name: string; version: number; dataVersion: number }
  called: readonly PinnedVersion[] | null
  /** The routes that its nodes name, as they are now: the run keeps them. */
  routes?: Routes | undefined
  nodeCount: number
  /** JSON, or a reference to it in the payload store. */
  inputs: string
  metadata: Record<string, unknown>
  callbackUrl: string | null
  /** Events besides the end that go there. */
  callbackEvents?: readonly string[] | null
  maxCostMicros: number | null
  options?: RunOptions | null
  retryOf: string | null
  steps?: readonly ReusedStep[]
  /** Called if another submission has this key and is undecided. */
  onDuplicate?(): void
}

export type SubmittedRun = {
  id: string
  workflowId: number
  status: RunStatus
  createdAtMs: number
  /** If it had a run that sleeps. */
  wakeAtMs?: number | null
  /** False if the key already had a run. */
  isNew: boolean
}

/** A submission that waits to be stored, with others of its `list`: account and workflow. */
export type PendingSubmission = Entry<{ list: string; submission: RunSubmission }, SubmittedRun>

/** Once this resolves, the run is durable. */
export type SubmitRun = (submission: RunSubmission) => Promise<SubmittedRun>

export const keyReused = (runId: string) =>
  new Failure('IDEMPOTENCY_KEY_REUSED', { details: { runId } })
