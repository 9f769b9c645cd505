import assert from 'node:assert/strict'
import { test } from 'node:test'
import { systemClock } from '#core/clock.ts'
import { createResumptions } from '#engine/runs/resumptions.ts'

const turns = () => new Promise((resolve) => setImmediate(resolve))

/** Asks for a turn for each of these numbers of deaths, and returns who has begun so far. */
function ask({ turn }: ReturnType<typeof createResumptions>, deaths: readonly number[]) {
  const begun: number[] = []
  const ends: (() => void)[] = []
  for (const count of deaths) {
    void turn(count).then((end) => {
      begun.push(count)
      ends.push(end)
    })
  }
  return { begun, endAll: () => ends.splice(0).forEach((end) => void end()) }
}

test('runs that continue after a crash begin a few at a time, and in the end all of them', async () => {
  const asked = ask(createResumptions({ isFull: () => false }, systemClock), new Array(30).fill(0))
  await turns()
  assert.equal(asked.begun.length, 8)
  for (let i = 0; i < 3; i++) {
    asked.endAll()
    await turns()
  }
  assert.equal(asked.begun.length, 30)
})

test('one that was begun in vain before begins alone, after all others', async () => {
  const asked = ask(createResumptions({ isFull: () => false }, systemClock), [3, 0, 2, 1, 0])
  await turns()
  // Nothing else waited when the first one asked.
  assert.deepEqual(asked.begun, [3])
  asked.endAll()
  await turns()
  assert.deepEqual(asked.begun, [3, 0, 0, 1])
  asked.endAll()
  await turns()
  assert.deepEqual(asked.begun, [3, 0, 0, 1, 2])
})

test('none begins while memory is full', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] })
  let isFull = true
  const asked = ask(createResumptions({ isFull: () => isFull }, systemClock), [0, 0])
  await turns()
  assert.deepEqual(asked.begun, [])
  isFull = false
  t.mock.timers.tick(100)
  await turns()
  assert.deepEqual(asked.begun, [0, 0])
})
