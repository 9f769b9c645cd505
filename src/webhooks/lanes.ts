/** How many deliveries may be under way in this process. */
export type LaneLimits = {
  all: number
  account: number
  /** A receiver, whoever's runs call it. */
  host: number
  /** One account's deliveries to one receiver. */
  lane: number
}

/** A lane is named "account host"; its parts, cut at the space, cannot be taken for each other. */
function scopesOf(lane: string) {
  const space = lane.indexOf(' ')
  return [
    ['all', ''],
    ['account', lane.slice(0, space)],
    ['host', lane.slice(space)],
    ['lane', lane],
  ] as const
}

/** Counts what is under way, so that no receiver and no account can take all the room. */
export function createLanes(limits: LaneLimits) {
  const underWay = new Map<string, number>()
  const add = (lane: string, change: number) => {
    for (const [, key] of scopesOf(lane)) {
      const count = (underWay.get(key) ?? 0) + change
      if (count === 0) underWay.delete(key)
      else underWay.set(key, count)
    }
  }
  const roomOf = (lane: string) =>
    Math.min(...scopesOf(lane).map(([scope, key]) => limits[scope] - (underWay.get(key) ?? 0)))

  return {
    /** Takes room for each lane in turn, none more than its share of what is left. */
    reserve(lanes: readonly string[]): { lane: string; limit: number }[] {
      const free = limits.all - (underWay.get('') ?? 0)
      const share = Math.max(1, Math.floor(free / Math.max(lanes.length, 1)))
      return lanes.flatMap((lane) => {
        const limit = Math.min(roomOf(lane), share)
        if (limit <= 0) return []
        add(lane, limit)
        return [{ lane, limit }]
      })
    },
    /** Room that was not used, or is used no longer. */
    release: (lane: string, count: number) => add(lane, -count),
  }
}
