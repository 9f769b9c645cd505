// The words of triggers, and what is stored of one as JSON.
import type { RunStatus } from '../run-states.ts'
import { openTimeZone } from '../time-zone.ts'
import type { VerifyConfig } from '../verify-config.ts'
import { readCron } from './cron.ts'
import type { CatchUp } from './due.ts'
import { atOnce, byCron, everyMs, type Timetable } from './timetable.ts'

export const triggerKinds = ['SCHEDULE', 'ONCE', 'WEBHOOK'] as const
export type TriggerKind = (typeof triggerKinds)[number]

export const overlaps = ['allow', 'skip', 'queue'] as const
export type Overlap = (typeof overlaps)[number]

/** Why a firing has no run. */
export const firingReasons = [
  'SKIPPED_OVERLAP',
  'MISSED',
  'PAUSED',
  'BUDGET',
  'INVALID_INPUT',
  'NO_VERSION',
  'QUOTA',
] as const
export type FiringReason = (typeof firingReasons)[number]

/** Why a trigger does not fire although it is enabled. */
export const pauseReasons = ['FAILURES', 'KEY_REVOKED', 'MEMBER_LEFT', 'RESTORED'] as const
export type PauseReason = (typeof pauseReasons)[number]

/** ENDED: its run has ended, and that has been counted. */
export type FiringStatus = 'PENDING' | 'QUEUED' | 'STARTED' | 'ENDED' | 'SKIPPED'

/** How many firings of a trigger wait for the one before. */
export const maxQueuedFirings = 100

export type TriggerSettings = {
  inputs: Record<string, unknown>
  metadata: Record<string, unknown>
  callbackUrl: string | null
  maxCost: number | null
  overlap: Overlap
  catchUp: CatchUp
  pauseAfterFailures: number
  /** Of each run. */
  tag?: string
  /** Each run lets vendors answer later for less, and must have ended after this time. */
  economySeconds?: number
  /** SCHEDULE: either a cron expression with its zone, or an interval with its start. */
  cron?: string
  timeZone?: string
  everySeconds?: number
  startAtMs?: number
  endAtMs?: number
  jitterSeconds?: number
  /** ONCE */
  atMs?: number
  /** WEBHOOK */
  verify?: VerifyConfig
  mapping?: string
  dedupe?: { header: string } | { expression: string }
  respond?: 'accepted' | 'result'
}

/** A request of a webhook, as expressions see it, or why it was refused. `refused` comes first. */
export type TriggerSample = {
  refused: string | null
  at: string
  body?: unknown
  headers?: Record<string, string>
  query?: Record<string, unknown>
}

/** Null for a trigger without a schedule. Stored settings were valid when they were stored. */
export function timetableOf(kind: TriggerKind, settings: TriggerSettings): Timetable | null {
  const { cron, timeZone = 'UTC', everySeconds, startAtMs = 0, endAtMs = null, atMs } = settings
  if (kind === 'ONCE') return atMs === undefined ? null : atOnce(atMs)
  if (kind !== 'SCHEDULE') return null
  if (everySeconds !== undefined) return everyMs(everySeconds * 1000, startAtMs, endAtMs)
  const rule = readCron(cron ?? '')
  const zone = openTimeZone(timeZone)
  return typeof rule === 'string' || zone === null ? null : byCron(rule, zone, endAtMs)
}

export const jitterMsOf = ({ jitterSeconds = 0 }: TriggerSettings): number => jitterSeconds * 1000

/** What becomes of one more firing, given the firings of the trigger whose runs have not ended. */
export function placeFiring(
  overlap: Overlap,
  { open, queued }: { open: number; queued: number },
): 'PENDING' | 'QUEUED' | 'SKIPPED' {
  if (overlap === 'allow' || open + queued === 0) return 'PENDING'
  return overlap === 'queue' && queued < maxQueuedFirings ? 'QUEUED' : 'SKIPPED'
}

/** Failures in a row after one more run has ended. A cancelled run says nothing about the trigger. */
export const failuresAfter = (failures: number, ended: RunStatus | null): number => {
  if (ended === 'FAILED') return failures + 1
  return ended === 'COMPLETED' ? 0 : failures
}
