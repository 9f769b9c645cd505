// Generated from the registry of operations by scripts/write-client-types.ts; do not edit.
export type Money = {
  /** Major units, at most 6 decimals. */
  amount: number
  currency: string
}

export type RunInput = {
  /** Keyed by input node ID, as described by inputSchema. */
  inputs?: Record<string, unknown>
  /** Public HTTP(S) address for a signed webhook, of at most 2048 characters. */
  callbackUrl?: string
  /** Events that callbackUrl gets besides the end of the run. waiting: the run waits for a person or a message. */
  callbackEvents?: 'waiting'[]
  /** Your own data, stored and returned with the run. */
  metadata?: Record<string, unknown>
  /** The run makes no call that could raise its cost, including calls in progress, above this amount; it fails with COST_LIMIT_REACHED instead. */
  maxCost?: number
  /** exact: where a node would send the same request as an earlier run of your account, the earlier answer is taken over and costs nothing. Default: what the workflow says in data.reuse, or none. */
  reuse?: 'none' | 'exact'
  /** Ids of nodes: only these and what they need run, and only inputs that they need are required. All others are SKIPPED. */
  targets?: string[]
  /** With reuse exact: ids of nodes that make their calls anew all the same. */
  fresh?: string[]
  /** By id of a node: a run whose result of that node is used. The node is not executed, whatever feeds it, nor is what only it needs. */
  pins?: Record<string, string>
  /** economy: text calls wait for batches of their vendors, which cost about half, as far as these end before deadlineAt, or are made in the flex tier of their vendor. Everything else is done at once. */
  lane?: 'economy'
  /** With lane economy: when the run must have ended, in place of all time limits. At most 30 days away. */
  deadlineAt?: string
  /** What the run is counted under in usage and budgets. Left out: the tag of the workflow, else of the key. */
  tag?: string
  /** Run this draft of the console instead of the saved graph. Nothing is saved. */
  draft?: {
    /** Identifier of a draft of this workflow. */
    draftId: string
    /** The revision that is meant. */
    revision: number
  }
  /** If sent, it must equal the Idempotency-Key header. */
  idempotencyKey?: string
}

export type RunStatus =
  | 'QUEUED'
  | 'RUNNING'
  | 'CANCEL_REQUESTED'
  | 'COMPLETED'
  | 'FAILED'
  | 'CANCELLED'
