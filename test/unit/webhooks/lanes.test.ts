import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { createLanes } from '#webhooks/lanes.ts'

const limits = { all: 20, account: 10, host: 6, lane: 4 }
const lane = fc
  .tuple(fc.constantFrom('a', 'b', 'c', 'd', 'e'), fc.constantFrom('h', 'i', 'j', 'k'))
  .map(([account, host]) => `${account} ${host}`)

test('whatever is reserved and released, no limit is passed and no room is lost', () => {
  const rounds = fc.array(fc.tuple(fc.uniqueArray(lane, { maxLength: 12 }), fc.nat(6)), {
    maxLength: 20,
  })
  fc.assert(
    fc.property(rounds, (history) => {
      const lanes = createLanes(limits)
      const held: string[] = []
      for (const [asking, releases] of history) {
        for (const { lane, limit } of lanes.reserve(asking)) {
          assert.ok(limit >= 1)
          held.push(...Array<string>(limit).fill(lane))
        }
        assertWithin(held)
        for (const lane of held.splice(0, releases)) lanes.release(lane, 1)
      }
      for (const lane of held) lanes.release(lane, 1)
      assert.deepEqual(lanes.reserve(['z z']), [{ lane: 'z z', limit: limits.lane }])
    }),
  )
})

function assertWithin(held: readonly string[]) {
  const most = (key: (lane: string) => string | undefined) =>
    Math.max(
      0,
      ...Map.groupBy(held, key)
        .values()
        .map(({ length }) => length),
    )
  assert.ok(held.length <= limits.all)
  assert.ok(most((lane) => lane.split(' ')[0]) <= limits.account)
  assert.ok(most((lane) => lane.split(' ')[1]) <= limits.host)
  assert.ok(most((lane) => lane) <= limits.lane)
}

test('a lane that is full leaves its turn to the next', () => {
  const lanes = createLanes(limits)
  lanes.reserve(['a h'])
  assert.deepEqual(
    lanes.reserve(['a h', 'b h', 'a i']).map(({ lane }) => lane),
    ['b h', 'a i'],
  )
})

test('many lanes share what is free: each gets something before one gets all', () => {
  const lanes = createLanes({ all: 8, account: 8, host: 8, lane: 8 })
  assert.deepEqual(lanes.reserve(['a h', 'b i', 'c j', 'd k']), [
    { lane: 'a h', limit: 2 },
    { lane: 'b i', limit: 2 },
    { lane: 'c j', limit: 2 },
    { lane: 'd k', limit: 2 },
  ])
})
