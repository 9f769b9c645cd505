import type { LaneUse } from '#core/lane.ts'
import type { FairQueue } from './fair-queue.ts'

type Entry = {
  accountId: string
  sinceMs: number
  model: string
  isBatch: boolean
  enteredMs: number
}

type UsedLane = {
  provider: string
  people: Pick<FairQueue<Entry>, 'all'>
  batch: Pick<FairQueue<Entry>, 'all'>
  /** By model. */
  inFlight: ReadonlyMap<string, number>
}

/** Those of all keys of a provider together, by model. */
export function usesOf(lanes: Iterable<UsedLane>, nowMs: number): LaneUse[] {
  const uses = new Map<string, LaneUse>()
  for (const { provider, people, batch, inFlight } of lanes) {
    const of = (model: string): LaneUse => {
      const key = JSON.stringify([provider, model])
      const nothing = { people: 0, batch: 0, inFlight: 0, oldestMs: 0 }
      const use = uses.get(key) ?? { provider, model, ...nothing }
      uses.set(key, use)
      return use
    }
    for (const [model, calls] of inFlight) of(model).inFlight += calls
    for (const entry of [...people.all(), ...batch.all()]) {
      const use = of(entry.model)
      use[entry.isBatch ? 'batch' : 'people'] += 1
      use.oldestMs = Math.max(use.oldestMs, nowMs - entry.enteredMs)
    }
  }
  return [...uses.values()]
}
