/** At most `max` pieces of work may hold slots under `key` at once. */
export type SlotLimit = { key: string; max: number }

/** Work holds such a slot for its first `forMs`, however long it takes. */
export type BeginningLimit = SlotLimit & { forMs: number }

export type SlotLimits = {
  /** Slots in this process, over all queues. */
  inProcess: number
  of(queue: string): readonly SlotLimit[]
  /**
   * For work of which much may come at once, beside the others: it begins at this pace. Half of the
   * limit or more is claimed at a time, and after work without such a limit.
   */
  beginning?(queue: string): BeginningLimit | undefined
}

export type SlotPlan = { queue: string; limit: number; room: number }

/** Counts the work in progress in this process, so that no queue can take all the capacity. */
export type Slots = {
  /** Takes slots for each queue in turn, at most its share of the free ones. */
  plan(queues: readonly string[]): SlotPlan[]
  /** Takes as many slots as are free, at most `wanted`. */
  take(queue: string, wanted: number): number
  /** Returns slots that were not needed. */
  release(queue: string, count: number): void
  /** False if a claim would get so little that it is not worth a look. */
  isRoomy(queue: string): boolean
  /** How long work of this queue keeps others of it from beginning; undefined if it does not. */
  beginsForMs(queue: string): number | undefined
  /** Others of the queue may begin. */
  begun(queue: string, count: number): void
  /** Returns the slot of work that has begun. */
  ended(queue: string): void
}

export function createSlots(limits: SlotLimits): Slots {
  const used = new Map<string, number>()
  let usedInProcess = 0
  const add = (key: string, change: number) => {
    const now = (used.get(key) ?? 0) + change
    if (now === 0) used.delete(key)
    else used.set(key, now)
  }
  const count = (queue: string, change: number) => {
    usedInProcess += change
    for (const { key } of limits.of(queue)) add(key, change)
  }
  const countBeginning = (queue: string, change: number) => {
    const limit = limits.beginning?.(queue)
    if (limit) add(limit.key, change)
  }
  const free = () => limits.inProcess - usedInProcess
  const roomUnder = ({ key, max }: SlotLimit) => max - (used.get(key) ?? 0)
  const roomOf = (queue: string) => {
    const beginning = limits.beginning?.(queue)
    const room = Math.min(...limits.of(queue).map(roomUnder))
    return beginning ? Math.min(room, roomUnder(beginning)) : room
  }
  const isRoomy = (queue: string) => {
    const beginning = limits.beginning?.(queue)
    return !beginning || roomUnder(beginning) >= beginning.max / 2
  }
  const take = (queue: string, wanted: number) => {
    const taken = Math.max(0, Math.min(wanted, free(), roomOf(queue)))
    if (taken > 0) {
      count(queue, taken)
      countBeginning(queue, taken)
    }
    return taken
  }
  return {
    plan(queues) {
      const share = Math.max(1, Math.floor(free() / Math.max(1, queues.length)))
      return queues.flatMap((queue) => {
        const room = roomOf(queue)
        const limit = isRoomy(queue) ? take(queue, share) : 0
        return limit > 0 ? [{ queue, limit, room }] : []
      })
    },
    take,
    release(queue, unused) {
      count(queue, -unused)
      countBeginning(queue, -unused)
    },
    isRoomy,
    beginsForMs: (queue) => limits.beginning?.(queue)?.forMs,
    begun: (queue, count) => countBeginning(queue, -count),
    ended: (queue) => count(queue, -1),
  }
}

/** For work that is limited by account alone: its queues are named after their accounts. */
export const perAccount = (max: number) => (accountId: string) => [{ key: accountId, max }]
