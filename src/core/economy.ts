// Runs that let vendors answer within a day for about half the price. Every time that such a run
// depends on follows from the vendor's window.
import type { NodeError } from './run-facts.ts'

/** Why a text call of such a run went at the normal price. */
export const normalReasons = ['NO_BATCH', 'TOO_LATE', 'REFUSED', 'UNPROCESSED', 'NO_FLEX'] as const
export type NormalReason = (typeof normalReasons)[number]

/** How a call that waited for a batch goes on: the answer of its wait. */
export type BatchedEnd =
  | { answer: unknown; costMicros: number | null }
  | { error: NodeError }
  /** It certainly cost nothing, and is made at the normal price. */
  | { returned: NormalReason }

export type BatchTimes = {
  /** How long a vendor may take for a batch. */
  windowMs: number
  /** Left between the end of the window and a deadline, for calls that come back unprocessed. */
  marginMs: number
  pollMs: number
  /** A batch that the vendor does not list so long after its submission was not accepted. */
  absentAfterMs: number
}

/** For 24 hours: a margin of 15 minutes, a look every minute, absent after 10 minutes. */
export const batchTimes = (windowMs: number): BatchTimes => ({
  windowMs,
  marginMs: Math.max(Math.round(windowMs / 96), 2_000),
  pollMs: Math.max(Math.round(windowMs / 1_440), 250),
  absentAfterMs: Math.max(Math.round(windowMs / 144), 2_000),
})

/** How long a call in the flex tier may take: the vendor's advice (guide "Flex processing"). */
export const flexMs = 15 * 60_000

/** The last moment to make such a call: it may take its time, or be made again at the normal price. */
export const flexByMs = (deadlineMs: number, { marginMs }: BatchTimes): number =>
  deadlineMs - flexMs - marginMs

/** The last moment to submit a call whose run must have ended by the deadline. */
export const sendByMs = (deadlineMs: number, { windowMs, marginMs }: BatchTimes): number =>
  deadlineMs - windowMs - marginMs
