// A run that only waits is released and sleeps: it is a row then, and no process knows of it. When it
// wakes, it is executed again from the start, as after a crash, and finds its calls recorded.
//
//   at rest ─▶ nearest time > 10 s away ─▶ one write: released, asleep until then
//                  │                            └─ refused: something has happened, look at it
//                  └─ sooner: it stays here, and the watch closes the wait
//
// The write names the `wakes` that were read before the waits. Whatever closes a wait raises them
// first, so a run never falls asleep over something that has happened.
import { shortestSleepMs } from '#core/delayed-call.ts'
import { Interruption } from '#core/interruptions.ts'
import { isLong } from '#core/payload-text.ts'
import { snapshotOf } from './finish-run.ts'
import { keptNow } from './kept-values.ts'
import { renewHeld } from './renew-held.ts'
import { spoilUnusable } from './reuse.ts'
import type { RunDeps, RunWork } from './run-deps.ts'

/** The run sleeps. Whoever wakes it continues it. */
export class Asleep extends Interruption {
  override name = 'Asleep'
}

export type FallAsleepDeps = Pick<
  RunDeps,
  'payloads' | 'clock' | 'waits' | 'stopping' | 'renewAfterMs' | 'reuse' | 'steps'
>

/** Lets a run sleep if it is at rest. If it cannot, the watch tries again a little later. */
export async function fallAsleep(deps: FallAsleepDeps, work: RunWork): Promise<void> {
  const { halt, journal } = work
  const waits = work.waits()
  const nearest = waits.nearest()
  if (!work.activity.isAtRest || !nearest) return
  const untilDeadlineMs = (work.row.options?.deadlineMs ?? Infinity) - deps.clock.nowMs()
  if (Math.min(nearest.leftMs, untilDeadlineMs) <= shortestSleepMs) return
  if (waits.isFallingAsleep || halt.reason || deps.stopping.aborted || !journal) return
  waits.isFallingAsleep = true
  const { leftMs, expiresAtMs } = nearest
  // What it refers to is deleted by its age, so a long sleep is interrupted to renew it.
  const sleepMs = Math.round(Math.min(leftMs, untilDeadlineMs, deps.renewAfterMs))
  try {
    if (deps.clock.nowMs() - work.row.created_at > deps.renewAfterMs)
      await renewHeld(deps, work.row)
    // A run that is cancelled asleep is not executed again.
    await spoilUnusable(deps, work)
    const kept = await keptValues(deps, work)
    // Something of it may have been lost meanwhile, which the journal no longer knows.
    halt.throwIfStopped()
    const isAsleep = await journal.sleep(work.claim, {
      ...snapshotOf(work),
      wake:
        expiresAtMs === null
          ? { inMs: sleepMs }
          : { atMs: Math.round(Math.min(expiresAtMs, expiresAtMs - leftMs + sleepMs)) },
      wakes: waits.wakes,
      kept,
      nowMs: deps.clock.nowMs(),
    })
    if (isAsleep) return halt.stop(new Asleep())
    waits.isFallingAsleep = false
    await lookAtWaits(deps, [work])
  } catch (error) {
    halt.stop(error as Error)
  }
}

/** Reads what these runs wait for, and continues those for which something has happened. */
export async function lookAtWaits(
  { waits }: Pick<RunDeps, 'waits'>,
  works: readonly RunWork[],
): Promise<void> {
  const ids = works.map(({ row }) => row.id)
  const wakes = new Map((await waits.wakesOf(ids)).map((run) => [run.id, run.wakes]))
  const changed = works.filter((work) => wakes.get(work.row.id) !== work.waits().wakes)
  if (changed.length === 0) return
  const rows = Map.groupBy(
    await waits.ofRuns(changed.map(({ row }) => row.id)),
    (one) => one.run_id,
  )
  for (const work of changed) {
    // If it is falling asleep, this worker may have lost it: what it reads must not continue it.
    const own = work.waits()
    if (own.isFallingAsleep) continue
    own.wakes = wakes.get(work.row.id) ?? own.wakes
    own.update(rows.get(work.row.id) ?? [])
  }
}

/** JSON or a reference to it; null if there are none. */
async function keptValues(deps: FallAsleepDeps, work: RunWork): Promise<string | null> {
  const kept = keptNow(work.values)
  if (kept.size === 0) return null
  const json = JSON.stringify(Object.fromEntries(kept))
  return isLong(json) ? deps.payloads.put(work.row.account_id, json) : json
}
