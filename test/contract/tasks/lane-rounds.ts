// Several processes share the limits of one provider key, and one account wants far more than the
// others. The vendor counts by itself.
import assert from 'node:assert/strict'
import { systemClock } from '#core/clock.ts'
import type { LaneLimits } from '#core/lane.ts'
import { Stop } from '#core/stop.ts'
import { createLanes } from '#engine/calls/lanes.ts'
import type { Db } from '#store/db.ts'
import { lanesIn } from '#store/engine/lanes.ts'

type Crowd = {
  processes: number
  limits: LaneLimits
  many: number
  few: number
  each: number
  /** How long the vendor takes. */
  callMs: number
}

/** Returns, for each job, its account and how many others were served before it. */
export async function serveCrowd(db: Db, { processes, limits, many, few, each, callMs }: Crowd) {
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
    const call = { accountId, isBatch: true, tokens: 1, model: 'm', until: new Stop() }
    const pass = await lanes[index % processes]?.enter({ provider: 'p' }, call)
    vendor.now += 1
    vendor.most = Math.max(vendor.most, vendor.now)
    vendor.served.push(accountId)
    vendor.at.push(performance.now())
    await new Promise((resolve) => setTimeout(resolve, callMs))
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

/** When 95 % of the small accounts' calls had begun, in ms: alone, and beside one that wants much. */
export async function compareCrowds(db: Db, crowd: Crowd) {
  const smallP95Ms = async (many: number): Promise<number> => {
    const startedMs = performance.now()
    const { most, served, at } = await serveCrowd(db, { ...crowd, many })
    assert.ok(most <= (crowd.limits.concurrency ?? Number.POSITIVE_INFINITY), `${most} at once`)
    const small = at.filter((_, index) => served[index] !== 'big')
    return Math.round((small[Math.ceil(small.length * 0.95) - 1] ?? 0) - startedMs)
  }
  const aloneMs = await smallP95Ms(0)
  const besideMs = await smallP95Ms(crowd.many)
  assert.ok(besideMs <= 2 * aloneMs, `${besideMs} ms instead of ${aloneMs} ms`)
  return { aloneMs, besideMs }
}
