import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { deliverySlots } from '#engine/deliveries/delivery-slots.ts'
import { createSlots, perAccount } from '#engine/work/slots.ts'

const limits = { all: 20, account: 10, host: 6, queue: 4 }
const queue = fc
  .tuple(fc.constantFrom('a', 'b', 'c', 'd', 'e'), fc.constantFrom('h', 'i', 'j', 'k'))
  .map(([account, host]) => `${account} ${host}`)

test('whatever is planned and released, no limit is passed and no slot is lost', () => {
  const rounds = fc.array(fc.tuple(fc.uniqueArray(queue, { maxLength: 12 }), fc.nat(6)), {
    maxLength: 20,
  })
  fc.assert(
    fc.property(rounds, (history) => {
      const slots = createSlots(deliverySlots(limits))
      const held: string[] = []
      for (const [asking, releases] of history) {
        for (const { queue, limit } of slots.plan(asking)) {
          assert.ok(limit >= 1)
          held.push(...Array<string>(limit).fill(queue))
        }
        assertWithin(held)
        for (const queue of held.splice(0, releases)) slots.release(queue, 1)
      }
      for (const queue of held) slots.release(queue, 1)
      assert.deepEqual(slots.plan(['z z']), [
        { queue: 'z z', limit: limits.queue, room: limits.queue },
      ])
    }),
  )
})

function assertWithin(held: readonly string[]) {
  const most = (key: (queue: string) => string | undefined) =>
    Math.max(
      0,
      ...Map.groupBy(held, key)
        .values()
        .map(({ length }) => length),
    )
  assert.ok(held.length <= limits.all)
  assert.ok(most((queue) => queue.split(' ')[0]) <= limits.account)
  assert.ok(most((queue) => queue.split(' ')[1]) <= limits.host)
  assert.ok(most((queue) => queue) <= limits.queue)
}

test('a queue that is full leaves its turn to the next', () => {
  const slots = createSlots(deliverySlots(limits))
  slots.plan(['a h'])
  assert.deepEqual(
    slots.plan(['a h', 'b h', 'a i']).map(({ queue }) => queue),
    ['b h', 'a i'],
  )
})

test('many queues share what is free: each gets something before one gets all', () => {
  const slots = createSlots({ inProcess: 8, of: perAccount(8) })
  assert.deepEqual(
    slots.plan(['a', 'b', 'c', 'd']).map(({ queue, limit }) => [queue, limit]),
    [
      ['a', 2],
      ['b', 2],
      ['c', 2],
      ['d', 2],
    ],
  )
})

test('slots that are taken for work that is being stored count like any others', () => {
  const slots = createSlots({ inProcess: 5, of: perAccount(3) })
  assert.equal(slots.take('a', 10), 3)
  assert.equal(slots.take('a', 1), 0)
  assert.equal(slots.take('b', 10), 2)
  assert.deepEqual(slots.plan(['a', 'b']), [])
  slots.release('a', 3)
  assert.deepEqual(slots.plan(['a']), [{ queue: 'a', limit: 3, room: 3 }])
})

test('few begin at once, half of them at a time; what has begun makes room and keeps its slot', () => {
  const slots = createSlots({
    inProcess: 20,
    of: perAccount(10),
    beginning: () => ({ key: 'beginning', max: 4, forMs: 8 }),
  })
  const limits = (queues: string[]) => slots.plan(queues).map(({ limit }) => limit)
  assert.deepEqual(limits(['a']), [4])
  slots.begun('a', 1)
  assert.deepEqual(limits(['a', 'b']), [], 'one place is not worth a claim')
  slots.begun('a', 1)
  assert.deepEqual(limits(['b', 'a']), [2], 'the places are shared by all queues')
  for (const queue of ['a', 'b']) slots.begun(queue, 2)
  assert.deepEqual(limits(['a']), [4])
  slots.begun('a', 4)
  assert.deepEqual(limits(['a']), [2], 'eight of ten slots are still used')
  slots.release('a', 2)
  for (let i = 0; i < 8; i++) slots.ended('a')
  for (let i = 0; i < 2; i++) slots.ended('b')
  assert.deepEqual(limits(['a']), [4])
})
