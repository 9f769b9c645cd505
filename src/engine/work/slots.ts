/** At most `max` pieces of work may hold slots under `key` at once. */
export type SlotLimit = { key: string; max: number }

export type SlotLimits = {
  /** Slots in this process, over all queues. */
  inProcess: number
  of(queue: string): readonly SlotLimit[]
  /** How many of a queue may be claimed together. */
  atOnce?(queue: string): number
}

export type SlotPlan = { queue: string; limit: number; room: number }

/** Counts the work in progress in this process, so that no queue can take all the capacity. */
export type Slots = {
  /** Takes slots for each queue in turn, at most its share of the free ones. */
  plan(queues: readonly string[]): SlotPlan[]
  /** Takes as many slots as are free, at most `wanted`. */
  take(queue: string, wanted: number): number
  /** Returns slots that were not needed, or are no longer needed. */
  release(queue: string, count: number): void
}

export function createSlots(limits: SlotLimits): Slots {
  const used = new Map<string, number>()
  let usedInProcess = 0
  const count = (queue: string, change: number) => {
    usedInProcess += change
    for (const { key } of limits.of(queue)) {
      const now = (used.get(key) ?? 0) + change
      if (now === 0) used.delete(key)
      else used.set(key, now)
    }
  }
  const free = () => limits.inProcess - usedInProcess
  const roomOf = (queue: string) =>
    Math.min(...limits.of(queue).map(({ key, max }) => max - (used.get(key) ?? 0)))
  const take = (queue: string, wanted: number) => {
    const taken = Math.max(0, Math.min(wanted, free(), roomOf(queue)))
    if (taken > 0) count(queue, taken)
    return taken
  }
  return {
    plan(queues) {
      const share = Math.max(1, Math.floor(free() / Math.max(1, queues.length)))
      return queues.flatMap((queue) => {
        const room = roomOf(queue)
        const limit = take(queue, Math.min(share, limits.atOnce?.(queue) ?? share))
        return limit > 0 ? [{ queue, limit, room }] : []
      })
    },
    take,
    release: (queue, released) => count(queue, -released),
  }
}

/** For work that is limited by account alone: its queues are named after their accounts. */
export const perAccount = (max: number) => (accountId: string) => [{ key: accountId, max }]
