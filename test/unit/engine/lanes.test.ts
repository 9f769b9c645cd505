import assert from 'node:assert/strict'
import { test } from 'node:test'
import { systemClock } from '#core/clock.ts'
import { newLane } from '#core/lane.ts'
import { Stop } from '#core/stop.ts'
import { createLanes } from '#engine/calls/lanes.ts'
import { CommitUnknown, type Lanes as LaneStore } from '#store/engine-store.ts'

test('a turn that was stored although nobody heard so holds no place in the lane', async (t) => {
  const state = newLane()
  let isCut = true
  const store: LaneStore = {
    async change(_, change) {
      const changed = change(state, Date.now())
      if (!isCut) return changed
      isCut = false
      throw new CommitUnknown('the connection was cut')
    },
  }
  const errors: unknown[] = []
  const lanes = createLanes({
    ...{ store, clock: systemClock, limitsOf: () => ({ concurrency: 1 }), user: 'only' },
    onError: (error) => void errors.push(error),
  })
  t.after(lanes.close)
  const call = { accountId: 'a', isBatch: false, tokens: 0, model: 'm', until: new Stop() }
  for (const _ of [1, 2]) {
    const pass = await lanes.enter({ provider: 'p' }, call)
    pass?.left(null)
  }
  assert.equal(errors.length, 1)
})
