// How an attempt ended, and what it counts for in the sums.
import type { PricedUnits } from '#core/pricing.ts'

/**
 * PENDING: the call may be under way. REJECTED: surely not accepted. UNKNOWN: the answer was lost,
 * so it may have been billed. SUCCEEDED and FAILED: the provider said so.
 */
export type Outcome = 'PENDING' | 'SUCCEEDED' | 'FAILED' | 'REJECTED' | 'UNKNOWN'

/** Stored whole, as JSON: every part of a usage has its own price. */
export type Units = PricedUnits

export type Settlement = {
  attempt: string
  outcome: Exclude<Outcome, 'PENDING'>
  units: Units
  costMicros: number | null
  nowMs: number
  remark?: Remark | undefined
}

/** LOST: settled by someone who did not make the call. CLAMPED: more was reported than can be. */
export type Remark = 'LOST' | 'CLAMPED'

/** What a settled attempt counts for. */
export type Settled = {
  account_id: string
  key_id: string | null
  model: string
  workflow_id: number | null
  /** Null: the server's key was billed. */
  credential: string | null
}

/** An attempt that was settled just now; or whose settlement is taken back. */
export type Ended = { settled: Settled; settlement: Settlement; times?: 1 | -1 }
