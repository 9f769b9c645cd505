// What runs and their calls hold besides plain columns.
import type { WorkErrorCode } from './error-table.ts'
import type { Spender } from './generation.ts'

/** Why a call or a node failed, as records show it. */
export type NodeError = { code: WorkErrorCode; message: string; retryable: boolean }

/** Why a node of a run failed; of the run as a whole where `nodeId` is empty. */
export type RunNodeError = NodeError & { nodeId: string; type: string; at: string }

/** Of a workflow that a run calls: the version the run was accepted with. */
export type PinnedVersion = readonly [workflowId: number, version: number]

/** Whose limits the calls of a run count against; the account is the run's. */
export type RunSpender = Omit<Spender, 'accountId'>
