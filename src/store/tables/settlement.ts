// How an attempt ended, and what it counts for in the sums.
import type { PricedUnits } from '#core/pricing.ts'

/**
 * PENDING: the call may be under way. REJECTED: certainly not accepted. UNKNOWN: the answer was
 * lost, so it may have been billed. SUCCEEDED and FAILED: the provider said so.
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
  /** JSON of the prices it was billed by, if not those it was stored with. */
  unitPrice?: string | undefined
  /** JSON of how it came to its provider, if not as it was stored. */
  via?: string | undefined
}

/**
 * LOST: settled by a process that did not make the call. CLAMPED: the reported usage was reduced
 * to the context window of the model. SETTLED: nobody knew what it cost, and a person said so.
 */
export type Remark = 'LOST' | 'CLAMPED' | 'SETTLED'

/** What a settled attempt is counted under. */
export type Settled = {
  account_id: string
  key_id: string | null
  model: string
  workflow_id: number | null
  /** Null: the server's key was billed. */
  credential: string | null
  /** Null or absent: none. */
  tag?: string | null | undefined
}

/** An attempt that was just settled or, with `times` -1, whose settlement is reversed. */
export type Ended = { settled: Settled; settlement: Settlement; times?: 1 | -1 }
