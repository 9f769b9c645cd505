// The submission of a run, as words that the request side and the engine share.
import { Failure } from './errors.ts'
import type { Spender } from './generation.ts'
import type { RunStatus } from './run-states.ts'

/** A finished call of another run that this one begins with. What it cost, that run has paid. */
export type ReusedStep = {
  path: string
  kind: 'TEXT' | 'MEDIA' | 'HTTP' | 'IMPORT'
  attempts: number
  startedAtMs: number
  endedAtMs: number | null
  taskId: string | null
  /** JSON, or a reference to it in the payload store. */
  result: string
}

export type RunSubmission = {
  principal: Spender
  /** Bound to one run of the workflow; `fingerprint` tells whether a repeat asks for the same. */
  key: string
  fingerprint: string
  workflow: { id: number; name: string; version: number; dataVersion: number }
  /** The versions of the workflows it calls, as JSON. */
  called: string | null
  nodeCount: number
  /** JSON, or a reference to it in the payload store. */
  inputs: string
  /** JSON. */
  metadata: string
  callbackUrl: string | null
  maxCostMicros: number | null
  retryOf: string | null
  steps?: readonly ReusedStep[]
}

export type SubmittedRun = {
  id: string
  workflowId: number
  status: RunStatus
  createdAtMs: number
  /** False where the key had a run already. */
  isNew: boolean
}

/** Once this resolves the run survives anything. */
export type SubmitRun = (submission: RunSubmission) => Promise<SubmittedRun>

export const keyReused = (runId: string) =>
  new Failure('IDEMPOTENCY_KEY_REUSED', { details: { runId } })
