// A call that needs a turn in the lane of its provider key, and room under limits of money:
//
//   enter the lane ─▶ room? ─ yes ─▶ go
//                       └──── no ──▶ leave the lane ─▶ wait for room, which is then reserved
//                                                       └─▶ enter the lane again ─▶ go
//
// All accounts share a lane, so nobody stands in it for want of their own money. What finds room at
// once, as nearly every call does, reserves nothing while it queues in a lane. What had to wait keeps
// its reservation there: that holds up the same account alone, and not for long, since it goes before
// the account's later calls.
import type { LanePass } from './lane-entry.ts'
import type { StartWait, TimeLimit, TimeLimits } from './time-limit.ts'

/** `open` stores the attempt. True if the lane was left, and is to be entered again. */
export async function openFromLane(
  pass: LanePass | undefined,
  open: (noRoomYet: () => void) => Promise<void> | undefined,
): Promise<boolean> {
  let isOutside = false
  await open(() => {
    isOutside = pass !== undefined
    pass?.left('unsent')
  })
  return isOutside
}

type Waits = {
  limits: TimeLimits
  signal: TimeLimit
  waitUntil?: (() => StartWait['until']) | undefined
}

/** While a node waits for its turn, the time of its call stands still. */
export async function afterWaiting<T>(
  { limits, signal, waitUntil }: Waits,
  entering: Promise<T>,
): Promise<T> {
  const wait = waitUntil && limits.waitOf(signal, waitUntil())
  const entered = await entering
  wait?.over()
  return entered
}
