import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { RunCancelled } from '#core/interruptions.ts'
import { createHalt, WindingDown } from '#engine/runs/run-halt.ts'
import { createRunMoney } from '#engine/runs/run-money.ts'

const refused = { message: 'The next call could exceed maxCost, so it was not made.' }

describe('the maxCost of a run', () => {
  test('lets a call wait for what is only reserved, and refuses it by what is spent', async () => {
    const money = createRunMoney(100, createHalt())
    assert.equal(money.hold(60), undefined)
    const second = money.hold(60)
    const third = money.hold(90)
    money.pay(10)
    money.release(60)
    await second
    assert.deepEqual([money.spentMicros, money.heldMicros], [10, 60])
    money.pay(10)
    money.release(60)
    await assert.rejects(async () => third, refused)
    assert.throws(() => money.hold(81), refused)
    assert.equal(money.hold(80), undefined)
  })

  test('is first come, first served, and lets what is free pass', async () => {
    const money = createRunMoney(100, createHalt())
    money.hold(60)
    const order: string[] = []
    const large = money.hold(100)?.then(() => order.push('large'))
    const small = money.hold(1)?.then(() => order.push('small'))
    assert.equal(money.hold(0), undefined)
    money.release(60)
    await large
    money.release(100)
    await small
    assert.deepEqual(order, ['large', 'small'])
  })

  test('of 0 lets no call start that may cost something', () => {
    const money = createRunMoney(0, createHalt())
    assert.throws(() => money.hold(1), refused)
    assert.equal(money.hold(0), undefined)
  })

  test('holds nobody back when the run stops', async () => {
    const halt = createHalt()
    const money = createRunMoney(100, halt)
    money.hold(100)
    const waiting = [money.hold(50), money.hold(60)]
    halt.stop(new RunCancelled())
    for (const one of waiting) await assert.rejects(async () => one, RunCancelled)
    assert.equal(money.heldMicros, 100)
  })

  test('is never passed, and everything that fits in the end is let through', async () => {
    const call = fc.record({
      needed: fc.nat(100),
      cost: fc.double({ min: 0, max: 1, noNaN: true }),
    })
    const calls = fc.array(call, { maxLength: 30 })
    await fc.assert(
      fc.asyncProperty(
        fc.nat(300),
        calls,
        fc.infiniteStream(fc.nat()),
        async (limit, all, picks) => {
          const money = createRunMoney(limit, createHalt())
          const flying: { needed: number; costMicros: number }[] = []
          let left = all.length
          const start = async ({ needed, cost }: (typeof all)[number]) => {
            try {
              await money.hold(needed)
              flying.push({ needed, costMicros: Math.floor(needed * cost) })
            } catch {
              left--
              assert.ok(money.spentMicros + needed > limit, 'it would have fitted')
            }
          }
          const started = all.map(start)
          while (left > 0) {
            await new Promise(setImmediate)
            if (left === 0) break
            assert.ok(money.spentMicros + money.heldMicros <= limit)
            assert.ok(flying.length > 0, 'calls wait although nothing is in flight')
            const [ended] = flying.splice(picks.next().value % flying.length, 1)
            if (!ended) continue
            money.pay(ended.costMicros)
            money.release(ended.needed)
            left--
          }
          await Promise.all(started)
        },
      ),
      { numRuns: 50 },
    )
  })
})

test('a run that winds down ends the waits that begin later, and not the calls in flight', () => {
  const halt = createHalt()
  halt.windDown()
  assert.ok(halt.ending().reason instanceof WindingDown)
  assert.equal(halt.signal().aborted, false)
})
