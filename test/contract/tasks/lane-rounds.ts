// Several processes share the limits of one provider key, and one account wants far more than the
// others. The vendor counts by itself.
import assert from 'node:assert/strict'
import { systemClock } from '#core/clock.ts'
import type { LaneLimits } from '#core/lane.ts'
import { Stop } from '#core/stop.ts'
import { createLanes } from '#engine/calls/lanes.ts'
import type { Db } from '#store/db.ts'
import { lanesIn } from '#store/engine/lanes.ts'

export type Crowd = {
  processes: number
  limits: LaneLimits
  many: number
  few: number
  each: number
}

/** Returns, for each job, its account and how many others were served before it. */
export async function serveCrowd(db: Db, { processes, limits, many, few, each }: Crowd) {
  const lanes = Array.from({ length: processes }, (_, index) =>
    createLanes({
      store: lanesIn(db),
      clock: systemClock,
      limitsOf: () => limits,
      user: `process ${index}`,
      onError: (error) => assert.fail(String(error)),
    }),
  )
  const vendor = { now: 0, most: 0, served: [] as string[], at: [] as number[] }
  const one = async (accountId: string, index: number) => {
    const call = { accountId, isBatch: true, tokens: 1, until: new Stop() }
    const pass = await lanes[index % processes]?.enter({ provider: 'p' }, call)
    vendor.now += 1
    vendor.most = Math.max(vendor.most, vendor.now)
    vendor.served.push(accountId)
    vendor.at.push(performance.now())
    await new Promise(setImmediate)
    vendor.now -= 1
    pass?.left(1)
  }
  const jobs = [
    ...Array.from({ length: many }, (_, index) => one('big', index)),
    ...Array.from({ length: few * each }, (_, index) => one(`small ${index % few}`, index)),
  ]
  await Promise.all(jobs)
  for (const { close } of lanes) await close()
  return vendor
}
