// Fires triggers. Any number of processes do this at the same time: what is due is decided in a
// transaction that locks its trigger, a firing is unique by its occurrence, and its run has a key
// that is stored with it. So a crash, a pause or a second scheduler repeats work, never a run.
//
//   due ──advance──▶ firing PENDING ──start──▶ STARTED, with its run
//                       │      ▲        ├────▶ SKIPPED, with its reason
//                       │      └────────┴────  tried again: the database was away, a process died
//                       ├─▶ QUEUED   until the run before it has ended
//                       └─▶ SKIPPED  an earlier run has not ended, or it was missed
import type { TimedClock } from '#core/clock.ts'
import { repeat } from '#core/repeat.ts'
import { type Due, whatIsDue } from '#core/triggers/due.ts'
import { jitterOf } from '#core/triggers/timetable.ts'
import {
  type FiringReason,
  jitterMsOf,
  type PauseReason,
  timetableOf,
} from '#core/triggers/trigger.ts'
import type { FiringRow, TriggerRow, Triggers } from '#store/engine-store.ts'

/** What became of the attempt to start the run of a firing. */
export type StartedFiring =
  | { runId: string }
  | { reason: FiringReason; message: string; pause?: PauseReason }

/** Rejects if it may succeed later. May be called several times for one firing. */
export type StartRun = (firing: FiringRow, trigger: TriggerRow) => Promise<StartedFiring>

export type FiringDeps = {
  triggers: Triggers
  start: StartRun
  onFired?(kind: TriggerRow['kind'], outcome: 'STARTED' | 'QUEUED' | FiringReason): void
  onError(error: unknown, triggerId?: string): void
}

// Within a second of its time; an idle round is one statement.
const everyMs = 1_000
/** How long the process that stored or claimed a firing has to start its run. */
export const heldMs = 30_000
const startedAtOnce = 20
const advancedInARound = 1_000
// Doubles from a second up to this.
const longestRetryMs = 300_000

export function startScheduler(deps: FiringDeps & { clock: TimedClock }): {
  stop(): Promise<void>
} {
  let isStopping = false
  const stop = repeat(
    everyMs,
    () => schedule(deps, () => isStopping),
    (error) => deps.onError(error),
    deps.clock,
  )
  return {
    async stop() {
      isStopping = true
      await stop()
    },
  }
}

/** One round: everything that is due, left over or next in its queue. */
export async function schedule(deps: FiringDeps, isStopping = () => false): Promise<void> {
  const { triggers } = deps
  const nowMs = await triggers.now()
  if (!(await triggers.hasWork(nowMs))) return
  for (let round = 0; round < advancedInARound && !isStopping(); round++) {
    const made = await triggers.advance(nowMs, nowMs + heldMs, (trigger) => decide(trigger, nowMs))
    if (!made) break
    await startAll(deps, made)
  }
  while (!isStopping()) {
    const limits = { nowMs, untilMs: nowMs + heldMs, limit: startedAtOnce }
    const left = await triggers.claim(limits)
    if (left.length === 0) break
    await startAll(deps, left)
  }
  for (const triggerId of await triggers.queued()) {
    if (isStopping()) return
    const next = await triggers.dequeue(triggerId, nowMs, nowMs + heldMs)
    if (next) await startAll(deps, [next])
  }
}

function decide(trigger: TriggerRow, nowMs: number): Due & { dueMs: number | null } {
  const { id, kind, settings, next_at: nextMs } = trigger
  const timetable = timetableOf(kind, settings)
  if (!timetable || nextMs === null) return { fire: [], missed: null, nextMs: null, dueMs: null }
  const jitterMs = jitterMsOf(settings)
  const due = whatIsDue({ id, timetable, nextMs, jitterMs, catchUp: settings.catchUp }, nowMs)
  return { ...due, dueMs: dueOf(id, due.nextMs, jitterMs) }
}

const dueOf = (id: string, nextMs: number | null, jitterMs: number) =>
  nextMs === null ? null : nextMs + jitterOf(id, nextMs, jitterMs)

async function startAll(deps: FiringDeps, firings: readonly FiringRow[]): Promise<void> {
  for (let i = 0; i < firings.length; i += startedAtOnce) {
    await Promise.all(firings.slice(i, i + startedAtOnce).map((firing) => settle(deps, firing)))
  }
}

async function settle(deps: FiringDeps, made: FiringRow): Promise<void> {
  // Those before it may have taken a while, and the trigger may have been switched off meanwhile.
  const current = await deps.triggers.reread(made)
  if (!current || current.firing.status !== made.status) return
  const { firing, trigger } = current
  if (firing.status === 'PENDING') await startFiring(deps, firing, trigger)
  else if (firing.status === 'QUEUED') deps.onFired?.(trigger.kind, 'QUEUED')
  else if (firing.reason) deps.onFired?.(trigger.kind, firing.reason)
}

/** Starts the run of a PENDING firing and stores what became of it; null if that is not known. */
export async function startFiring(
  { triggers, start, onFired, onError }: FiringDeps,
  firing: FiringRow,
  trigger: TriggerRow,
): Promise<StartedFiring | null> {
  try {
    const started = await start(firing, trigger)
    if ('runId' in started) {
      const isFirst = await triggers.started(firing.id, started.runId)
      if (isFirst) onFired?.(trigger.kind, 'STARTED')
      return started
    }
    const { reason, message, pause } = started
    if (pause) {
      await triggers.pause(trigger.id, { reason: pause, message, nowMs: await triggers.now() })
    }
    await triggers.skipped(firing.id, { reason, message })
    onFired?.(trigger.kind, reason)
    return started
  } catch (error) {
    onError(error, trigger.id)
    const waitMs = Math.min(longestRetryMs, 1_000 * 2 ** Math.min(firing.tries, 9))
    // If this fails too, the hold runs out by itself.
    await triggers
      .now()
      .then((nowMs) => triggers.tryAgain(firing.id, nowMs + waitMs))
      .catch(() => {})
    return null
  }
}
