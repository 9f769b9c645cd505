// The structured values that are stored with runs and their steps.
import type { WorkErrorCode } from './error-table.ts'
import type { Spender } from './generation.ts'

/** Why a call or a node failed, as records show it. */
export type NodeError = { code: WorkErrorCode; message: string; retryable: boolean }

/** Why a node of a run failed, or the run as a whole if `nodeId` is empty. */
export type RunNodeError = NodeError & { nodeId: string; type: string; at: string }

/** A workflow that a run calls, in the version that was current when the run was accepted. */
export type PinnedVersion = readonly [workflowId: number, version: number]

/** What a submission asked of a run besides its inputs; kept by its retries. */
export type RunOptions = {
  /** Only these nodes run, and what they need. */
  targets?: readonly string[]
  /** By node, the run whose result it has instead of being executed; the inputs contain it. */
  pins?: Readonly<Record<string, string>>
  /** These nodes make their calls anew although the run reuses answers. */
  fresh?: readonly string[]
  /** Answers of earlier calls are taken over where the same request would be sent. */
  reuse?: 'exact'
  /** Text calls may wait for vendors' batches; all of it must have ended by the deadline. */
  lane?: 'economy'
  deadlineMs?: number
}

/** Whose limits the calls of a run count against; account and workflow are the run's. */
export type RunSpender = Omit<Spender, 'accountId' | 'workflowId'> & {
  /** Who started it; null if no person is known. Absent in runs of earlier versions. */
  userId?: string | null
}
