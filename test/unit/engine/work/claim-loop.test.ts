import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { Stopping } from '#core/interruptions.ts'
import { fakeClaims, openLoop, settled } from './fake-claims.ts'

describe('the claim loop', () => {
  test('shares its slots between queues, however long one of them is', async (t) => {
    const fake = fakeClaims()
    fake.add('greedy', 'g1', 'g2', 'g3', 'g4', 'g5', 'g6', 'g7')
    fake.add('modest', 'm1')
    fake.add('other', 'o1', 'o2')
    const { loop, begun } = openLoop(t, fake, { inProcess: 6 })
    await loop.start()
    assert.deepEqual(begun.slice(0, 5), ['g1', 'g2', 'm1', 'o1', 'o2'])
    assert.equal(begun.length, 6, 'what others left free is used')
  })

  test('goes on where it stopped: every queue gets its turn when slots are short', async (t) => {
    const fake = fakeClaims()
    for (const queue of ['a', 'b', 'c', 'd']) fake.add(queue, `${queue}1`, `${queue}2`)
    const { loop, begun, end } = openLoop(t, fake, { inProcess: 2 })
    await loop.start()
    for (let i = 0; i < 6; i++) {
      end(begun[i] ?? '')
      await settled()
    }
    assert.deepEqual(begun, ['a1', 'b1', 'c1', 'd1', 'a2', 'b2', 'c2', 'd2'])
  })

  test('serves more queues than fit into one round without waiting for the timer', async (t) => {
    const fake = fakeClaims()
    for (const queue of ['a', 'b', 'c', 'd', 'e']) fake.add(queue, `${queue}1`)
    const { loop, begun } = openLoop(t, fake, { queuesPerRound: 2 })
    await loop.start()
    assert.deepEqual(begun, ['a1', 'b1', 'c1', 'd1', 'e1'])
  })

  test('keeps the limit of a queue, and looks again when one of its slots is free', async (t) => {
    const fake = fakeClaims()
    fake.add('a', 'a1', 'a2', 'a3')
    const { loop, begun, end } = openLoop(t, fake, { account: 2 })
    await loop.start()
    assert.deepEqual(begun, ['a1', 'a2'])
    end('a1')
    await settled()
    assert.deepEqual(begun, ['a1', 'a2', 'a3'])
  })

  test('lets masses begin at a pace, however soon they end', async (t) => {
    const fake = fakeClaims()
    fake.add('m', ...Array.from({ length: 9 }, (_, i) => `m${i + 1}`))
    const { loop, begun, end, pass } = openLoop(t, fake, { paced: { prefix: 'm', max: 4 } })
    await loop.start()
    assert.deepEqual(begun, ['m1', 'm2', 'm3', 'm4'])
    for (const id of begun) end(id)
    await settled()
    assert.equal(begun.length, 4)
    pass()
    await settled()
    assert.deepEqual(begun.slice(4), ['m5', 'm6', 'm7', 'm8'])
    pass()
    await settled()
    assert.deepEqual(begun.slice(8), ['m9'])
  })

  test('looks at nothing else when masses may begin again', async (t) => {
    const fake = fakeClaims()
    fake.add('m', 'm1', 'm2', 'm3')
    fake.add('x', 'x1')
    const { loop, begun, end, pass } = openLoop(t, fake, { paced: { prefix: 'm', max: 1 } })
    await loop.start()
    assert.deepEqual(begun, ['x1', 'm1'])
    const before = fake.log.length
    end('x1')
    end('m1')
    await settled()
    assert.deepEqual(fake.log.slice(before), [])
    pass()
    await settled()
    assert.deepEqual(begun.slice(2), ['m2'])
    assert.deepEqual(fake.log.slice(before), ['claim'])
  })

  test('masses of several queues take turns, and few of each begin together', async (t) => {
    const fake = fakeClaims()
    for (const queue of ['m1', 'm2']) fake.add(queue, `${queue}a`, `${queue}b`, `${queue}c`)
    fake.add('m3', 'm3a')
    fake.add('m4', 'm4a')
    const paced = { prefix: 'm', max: 3 }
    const { loop, begun, pass } = openLoop(t, fake, { inProcess: 100, account: 3, paced })
    await loop.start()
    assert.deepEqual(begun, ['m1a', 'm1b', 'm1c'])
    pass()
    await settled()
    assert.deepEqual(begun.slice(3), ['m2a', 'm2b', 'm2c'])
    pass()
    await settled()
    assert.deepEqual(begun.slice(6), ['m3a', 'm4a'])
  })

  test('claims masses after what else waits, by themselves, and lets nothing starve', async (t) => {
    const fake = fakeClaims()
    fake.add('m', 'm1', 'm2', 'm3')
    fake.add('x', 'x1', 'x2')
    const { loop, begun, end, pass } = openLoop(t, fake, {
      account: 1,
      paced: { prefix: 'm', max: 4 },
    })
    await loop.start()
    assert.deepEqual(begun, ['x1', 'm1'], 'nothing of x can be claimed any more')
    pass()
    fake.add('y', 'y1')
    end('m1')
    await settled()
    assert.deepEqual(begun.slice(2), ['y1', 'm2'])
  })

  test('asks for nothing when work ends for whose slot nobody waits', async (t) => {
    const fake = fakeClaims()
    fake.add('a', 'a1')
    const { loop, end } = openLoop(t, fake)
    await loop.start()
    const before = fake.log.length
    end('a1')
    await settled()
    assert.deepEqual(fake.log.slice(before), [])
  })

  test('misses no slot that gets free while a claim is under way', async (t) => {
    const fake = fakeClaims()
    const { loop, begun, end } = openLoop(t, fake, { account: 1 })
    await loop.start()
    loop.holdSlots('a', 1)?.begin([fake.addClaimed('a', 'a1', 'w')])
    const held = Promise.withResolvers<void>()
    fake.next.held = held.promise
    fake.add('a', 'a2')
    fake.add('b', 'b1')
    fake.wake()
    await settled()
    end('a1')
    await settled()
    held.resolve()
    await settled()
    assert.deepEqual(begun, ['a1', 'b1', 'a2'])
  })

  test('claims once more after wake-ups during a claim, however many, and never twice at once', async (t) => {
    const fake = fakeClaims()
    const { loop, begun } = openLoop(t, fake)
    await loop.start()
    const held = Promise.withResolvers<void>()
    fake.next.held = held.promise
    fake.add('a', 'a1')
    fake.wake()
    await settled()
    assert.equal(loop.state, 'CLAIMING')
    fake.add('a', 'a2')
    for (let i = 0; i < 5; i++) fake.wake()
    assert.equal(loop.state, 'CLAIM_AGAIN')
    fake.add('b', 'b1')
    held.resolve()
    await settled()
    assert.equal(loop.state, 'IDLE')
    assert.deepEqual(begun, ['a1', 'a2', 'b1'])
    assert.equal(fake.rounds(), 2)
    assert.deepEqual(
      fake.log.filter((entry) => entry.includes('under way')),
      [],
    )
  })

  test('tries a claim that failed again with the timer, and has its slots back', async (t) => {
    t.mock.timers.enable({ apis: ['setInterval'] })
    const fake = fakeClaims()
    fake.add('a', 'a1', 'a2')
    fake.next.claim = 'refuse'
    const { loop, begun, errors } = openLoop(t, fake, { inProcess: 2 })
    await loop.start()
    assert.deepEqual([begun, errors, loop.state], [[], ['refused'], 'IDLE'])
    t.mock.timers.tick(500)
    await settled()
    assert.deepEqual(begun, ['a1', 'a2'])
  })

  test('begins work whose claim was made and whose answer was lost', async (t) => {
    t.mock.timers.enable({ apis: ['setInterval'] })
    const fake = fakeClaims()
    fake.add('a', 'a1')
    const { loop, begun } = openLoop(t, fake)
    await loop.start()
    fake.next.claim = 'lose-answer'
    fake.add('a', 'a2')
    fake.wake()
    await settled()
    assert.deepEqual([begun, fake.waiting()], [['a1'], []], 'nobody knows of it')
    t.mock.timers.tick(500)
    await settled()
    assert.deepEqual(begun, ['a1', 'a2'])
  })

  test('begins what is claimed outside of the queues though no slot is free', async (t) => {
    const fake = fakeClaims()
    fake.add('a', 'a1')
    let ready = [{ id: 'x', epoch: 3, queue: 'a' }]
    const prepare = async () => ready.splice(0)
    const { loop, begun } = openLoop(t, fake, { inProcess: 1, prepare })
    await loop.start()
    assert.deepEqual(begun, ['x', 'a1'])
    ready = [{ id: 'y', epoch: 1, queue: 'a' }]
    fake.wake()
    await settled()
    assert.deepEqual(begun, ['x', 'a1', 'y'])
  })
})

describe('a claim loop that stops', () => {
  test('releases what a claim brings afterwards, and begins none of it', async (t) => {
    const fake = fakeClaims()
    const { loop, begun } = openLoop(t, fake)
    await loop.start()
    const held = Promise.withResolvers<void>()
    fake.next.held = held.promise
    fake.add('a', 'a1', 'a2')
    fake.wake()
    await settled()
    const stopped = loop.stop()
    held.resolve()
    await stopped
    assert.deepEqual([begun, fake.waiting(), loop.state], [[], ['a1', 'a2'], 'STOPPED'])
    assert.ok(fake.log.includes('release a1 a2'))
  })

  test('claims nothing more', async (t) => {
    const fake = fakeClaims()
    const { loop, begun } = openLoop(t, fake)
    await loop.start()
    await loop.stop()
    fake.add('a', 'a1')
    await loop.wake()
    assert.deepEqual(begun, [])
    assert.equal(loop.holdSlots('a', 1), null)
  })

  test('waits for its work, and no longer than its grace', async (t) => {
    t.mock.timers.enable({ apis: ['setTimeout'] })
    const fake = fakeClaims()
    fake.add('a', 'a1', 'a2')
    const { loop, end } = openLoop(t, fake)
    await loop.start()
    const stopped = loop.stop()
    await settled()
    assert.ok(loop.stopping.reason instanceof Stopping)
    end('a1')
    t.mock.timers.tick(999)
    await settled()
    assert.deepEqual([loop.state, loop.leaving.aborted], ['STOPPING', false])
    t.mock.timers.tick(1)
    await settled()
    assert.equal(loop.leaving.aborted, true, 'what is left is told to end')
    end('a2')
    await stopped
    assert.equal(loop.state, 'STOPPED')
  })
})

describe('slots held for work that is being stored', () => {
  test('are those that are free, and are free again when the work has ended', async (t) => {
    const fake = fakeClaims()
    const { loop, begun, end } = openLoop(t, fake, { account: 2 })
    await loop.start()
    const held = loop.holdSlots('a', 5)
    assert.equal(held?.count, 2)
    assert.equal(loop.holdSlots('a', 1), null)
    held?.begin([fake.addClaimed('a', 'a1', 'w')])
    assert.deepEqual(begun, ['a1'])
    assert.equal(loop.holdSlots('a', 5)?.count, 1, 'what was not needed is free')
    end('a1')
    await settled()
    assert.equal(loop.holdSlots('a', 5)?.count, 1)
  })

  test('are given up where nobody can tell: the work is found, unless others are being stored', async (t) => {
    const fake = fakeClaims()
    const { loop, begun } = openLoop(t, fake)
    await loop.start()
    const [lost, other] = [loop.holdSlots('a', 1), loop.holdSlots('b', 1)]
    fake.addClaimed('a', 'a1', 'w')
    lost?.cancel()
    await settled()
    // What is being stored for `b` would look like an orphan too.
    assert.deepEqual([begun, fake.log.includes('release orphaned')], [[], false])
    assert.equal(loop.holdSlots('a', 1), null, 'this worker does not know what it owns')
    other?.begin([fake.addClaimed('b', 'b1', 'w')])
    fake.wake()
    await settled()
    assert.deepEqual(begun, ['b1', 'a1'])
  })

  test('are not to be had under a lost lease', async (t) => {
    const { loop, lost } = openLoop(t, fakeClaims())
    await loop.start()
    lost.abort()
    assert.equal(loop.holdSlots('a', 1), null)
  })
})
