// What a schedule owes at a point in time: which occurrences fire now, and which were missed. A
// decision, nothing is done here: the scheduler stores it in one transaction.
import { jitterOf, type Timetable } from './timetable.ts'

export const catchUps = ['none', 'last', 'all'] as const
export type CatchUp = (typeof catchUps)[number]

/** How late an occurrence may be and still count as on time. */
export const onTimeMs = 60_000
/** How many occurrences `catchUp: all` makes up for. */
export const maxCaughtUp = 100

export type Due = {
  /** To fire now, oldest first. */
  fire: readonly number[]
  missed: { firstMs: number; count: number } | null
  /** The next occurrence after these; null if there is none. */
  nextMs: number | null
}

export type DueTrigger = {
  id: string
  timetable: Timetable
  /** The first occurrence that nobody has decided about yet. */
  nextMs: number
  jitterMs: number
  catchUp: CatchUp
}

export function whatIsDue(trigger: DueTrigger, nowMs: number): Due {
  const { timetable, nextMs, jitterMs, catchUp } = trigger
  const dueOf = (atMs: number) => atMs + jitterOf(trigger.id, atMs, jitterMs)
  // Everything up to here is certainly late, whatever its jitter.
  const surelyLateMs = nowMs - onTimeMs - jitterMs - 1
  const old = timetable.between({ afterMs: nextMs - 1, untilMs: surelyLateMs }, maxCaughtUp)
  const late = [...old.newest]
  const onTime: number[] = []
  let lateCount = old.count
  let next = timetable.next(Math.max(nextMs - 1, surelyLateMs))
  // Jitter may be longer than the time between two occurrences. None overtakes another: it would be
  // looked at only after that one, and pass for late although it could not have fired before.
  let dueMs = Number.NEGATIVE_INFINITY
  for (; next !== null; next = timetable.next(next)) {
    dueMs = Math.max(dueMs, dueOf(next))
    if (dueMs > nowMs) break
    if (dueMs < nowMs - onTimeMs) {
      late.push(next)
      lateCount++
    } else onTime.push(next)
  }
  const kept = { none: 0, last: 1, all: maxCaughtUp }[catchUp]
  const madeUp = kept === 0 ? [] : late.slice(-kept)
  const count = lateCount - madeUp.length
  const firstMs = old.firstMs ?? late[0] ?? nextMs
  return {
    fire: [...madeUp, ...onTime],
    missed: count > 0 ? { firstMs, count } : null,
    nextMs: next,
  }
}

/** The times at which the next ones will really fire. */
export function nextFirings(
  { id, timetable, jitterMs }: Pick<DueTrigger, 'id' | 'timetable' | 'jitterMs'>,
  afterMs: number,
  most: number,
): number[] {
  const found: number[] = []
  for (let at = timetable.next(afterMs); at !== null && found.length < most; ) {
    found.push(Math.max(at + jitterOf(id, at, jitterMs), found.at(-1) ?? at))
    at = timetable.next(at)
  }
  return found
}
