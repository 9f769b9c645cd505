import assert from 'node:assert/strict'
import { test } from 'node:test'
import { systemClock } from '#core/clock.ts'
import { createNodeSlots, executePlan } from '#engine/runs/execute-plan.ts'
import {
  createRunMemory,
  type HeldValues,
  memoryOf,
  untilRoom,
  untilRoomAndTurn,
} from '#engine/runs/run-memory.ts'
import { compilePlan } from '#engine/runs/run-plan.ts'
import { graph, models, node, validate, wire } from '../../graph/graphs.ts'
import { execution, wakeful } from '../../graph/run-plan.ts'

const limits = { perRun: 1_000, inProcess: 1_500, little: 100 }

const isWaiting = (held: HeldValues) => held.mustWait(() => {})

test('a run that needs too much memory fails, and holds what it held before', () => {
  const memory = createRunMemory(limits)
  const held = memory.open({})
  held.add(900)
  assert.throws(() => held.add(101), { code: 'EXPRESSION_LIMIT', message: /more than 0 MiB/ })
  held.add(80)
  assert.equal(memory.isFull(), false)
})

test('past the limit of the process one run goes on, and those that hold little, others wait', async () => {
  const memory = createRunMemory(limits)
  const [first, second, small] = [memory.open({}), memory.open({}), memory.open({})]
  first.add(900)
  second.add(900)
  assert.equal(memory.isFull(), true)
  assert.equal(isWaiting(first), false)
  assert.equal(isWaiting(small), false)
  const waited = untilRoom(second).then(() => 'went on')
  assert.equal(await Promise.race([waited, Promise.resolve('waits')]), 'waits')
  first.close()
  assert.equal(await waited, 'went on')
  assert.equal(memory.isFull(), false)
})

test('when the run that went on ends, another one goes on though there is still too much', async () => {
  const memory = createRunMemory({ ...limits, perRun: 2_000 })
  const [first, second, third] = [memory.open({}), memory.open({}), memory.open({})]
  first.add(500)
  second.add(1_600)
  third.add(500)
  assert.equal(isWaiting(first), false)
  const both = Promise.all([untilRoom(second), untilRoom(third)])
  first.close()
  assert.equal(memory.isFull(), true)
  await untilRoom(second)
  assert.equal(isWaiting(third), true)
  second.remove(1_600)
  await both
})

test('what the nodes of a run that is over still give is not counted, and they do not wait', async () => {
  const memory = createRunMemory(limits)
  const [over, other] = [memory.open({}), memory.open({})]
  over.add(900)
  other.add(900)
  assert.equal(isWaiting(other), false)
  const waited = untilRoom(over)
  over.close()
  await waited
  over.add(10_000)
  over.remove(20)
  other.add(50)
  assert.equal(memory.isFull(), false)
})

test('many small objects count as what they take, not as their JSON; shared members end', () => {
  const empty = Array.from({ length: 10_000 }, () => ({}))
  assert.ok(memoryOf(empty) > 15 * JSON.stringify(empty).length)
  let doubled: unknown = 'x'
  for (let level = 0; level < 60; level++) doubled = [doubled, doubled]
  assert.ok(memoryOf(doubled) > 2 ** 20)
})

const quiet = { mayStart() {}, started() {}, completed() {}, skipped() {}, failed() {} }

/** Executes a graph, and returns how much was held at most and in the end. */
async function heldBy(data: ReturnType<typeof graph>, inputs: Record<string, unknown>) {
  const { plan } = await validate(data)
  assert.ok(plan)
  let now = 0
  let most = 0
  const held: HeldValues = {
    add: (bytes) => {
      now += bytes
      most = Math.max(most, now)
    },
    keep: () => {},
    remove: (bytes) => {
      now -= bytes
    },
    mustWait: () => false,
    close() {},
  }
  const { outputs, failures } = await executePlan(compilePlan(plan, models, new Map()), inputs, {
    slots: createNodeSlots(),
    held,
    observer: quiet,
    ...wakeful(),
    execution: () => execution(),
  })
  assert.deepEqual(failures, [])
  return { outputs, now, most }
}

const text = 'long '.repeat(1_000)

test('a value is held until the last node that reads it has settled', async () => {
  const chain = Array.from({ length: 20 }, (_, i) =>
    node(`t${i}`, 'text.template', { template: '{{a}}' }),
  )
  const wires = chain.map(({ id }, i) => wire(i === 0 ? 'in' : `t${i - 1}`, `${id}.a`))
  const data = graph(
    [node('in', 'input.text'), ...chain, node('out', 'output')],
    [...wires, wire('t19', 'out')],
  )
  const { outputs, now, most } = await heldBy(data, { in: text })
  assert.ok(outputs.out === text)
  assert.equal(now, 0)
  assert.ok(most <= 3 * memoryOf(text), `${most} bytes at once`)
})

test('a value that nobody reads is not held', async () => {
  const unread = Array.from({ length: 20 }, (_, i) =>
    node(`t${i}`, 'text.template', { template: '{{a}}' }),
  )
  const data = graph(
    [node('in', 'input.text'), ...unread, node('out', 'output')],
    [...unread.map(({ id }) => wire('in', `${id}.a`)), wire('in', 'out')],
  )
  const { most } = await heldBy(data, { in: text })
  assert.ok(most <= 3 * memoryOf(text), `${most} bytes at once`)
})

test('lists that are worked on at the same time share one slice of each turn', async (t) => {
  let nowMs = performance.now()
  t.mock.method(performance, 'now', () => nowMs)
  const memory = createRunMemory({ perRun: 100, inProcess: 100, little: 1 })
  let isBusy = true
  let longestMs = 0
  const watch = async () => {
    while (isBusy) {
      const beganAtMs = nowMs
      await new Promise((resolve) => setImmediate(resolve))
      longestMs = Math.max(longestMs, nowMs - beganAtMs)
    }
  }
  const work = async () => {
    for (let i = 0; i < 20; i++) {
      await untilRoomAndTurn(memory.open({}), systemClock)
      nowMs += 3
    }
  }
  const watched = watch()
  await Promise.all(Array.from({ length: 50 }, work))
  isBusy = false
  await watched
  assert.ok(longestMs <= 2 * (10 + 3), `requests waited for ${longestMs} ms`)
})
