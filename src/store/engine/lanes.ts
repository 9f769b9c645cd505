import { type LaneState, newLane } from '#core/lane.ts'
import type { Db } from '../db.ts'
import { changeLane } from '../tables/lanes.ts'

/** The limits of provider keys. `change` decides while no other process does. */
export type Lanes = {
  change<T>(key: string, change: (state: LaneState, nowMs: number) => T): Promise<T>
}

/** The only process of a database keeps its lanes in memory: nobody else uses them. */
export function lanesIn(db: Db): Lanes {
  if (db.isShared) return { change: (key, change) => changeLane(db, key, change) }
  const states = new Map<string, LaneState>()
  return {
    async change(key, change) {
      const state = states.get(key) ?? newLane()
      states.set(key, state)
      return change(state, Date.now())
    },
  }
}
