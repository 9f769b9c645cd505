import assert from 'node:assert/strict'
import { mock, test } from 'node:test'
import { systemClock } from '#core/clock.ts'
import type { BegunStep } from '#core/step-states.ts'
import type { CallSite } from '#engine/runs/call-site.ts'
import { createCallsUnderWay } from '#engine/runs/calls-under-way.ts'
import { createNodeSlots, executePlan, type PlanObserver } from '#engine/runs/execute-plan.ts'
import { recordedCall } from '#engine/runs/make-call.ts'
import { makeMediaTask } from '#engine/runs/media-call.ts'
import type { NodeScope } from '#engine/runs/node-scope.ts'
import { createHalt } from '#engine/runs/run-halt.ts'
import { createRunMemory, limitsOfProcess } from '#engine/runs/run-memory.ts'
import { createRunMoney } from '#engine/runs/run-money.ts'
import { compilePlan } from '#engine/runs/run-plan.ts'
import { graph, models, node, validate, wire } from '../../graph/graphs.ts'
import { execution, media, wakeful } from '../../graph/run-plan.ts'

const turns = async () => {
  for (let i = 0; i < 20; i++) await new Promise((resolve) => setImmediate(resolve))
}

const quiet: PlanObserver = {
  mayStart() {},
  started() {},
  completed() {},
  skipped() {},
  failed() {},
}

const ask = (id: string) => node(id, 'text.generate', { model: 'text', prompt: id })

/** Executes a graph of texts whose answers a test gives. */
async function texts(data: ReturnType<typeof graph>) {
  const { plan } = await validate(data)
  assert.ok(plan)
  const asked = new Map<string, PromiseWithResolvers<{ text: string; finish: 'stop' }>>()
  const done = executePlan(
    compilePlan(plan, models, new Map()),
    {},
    {
      slots: createNodeSlots(),
      held: createRunMemory(limitsOfProcess()).open({}),
      observer: quiet,
      ...wakeful(),
      execution: () =>
        execution({
          generateText({ prompt }) {
            const answer = Promise.withResolvers<{ text: string; finish: 'stop' }>()
            asked.set(prompt, answer)
            return answer.promise
          },
        }),
    },
  )
  return { asked, done }
}

test('eight nodes of a run are at work at once, and the next one when one of them is done', async () => {
  const names = Array.from({ length: 10 }, (_, i) => `n${i}`)
  const { asked } = await texts(graph(names.map(ask)))
  await turns()
  assert.equal(asked.size, 8)
  asked.get('n0')?.resolve({ text: 'done', finish: 'stop' })
  await turns()
  assert.equal(asked.size, 9)
})

test('after a failure no node starts, though all that it needs is there', async () => {
  const { asked, done } = await texts(
    graph(
      [ask('bad'), ask('good'), node('next', 'text.generate', { model: 'text' })],
      [wire('good', 'next.prompt')],
    ),
  )
  await turns()
  asked.get('bad')?.reject(new Error('no'))
  await turns()
  asked.get('good')?.resolve({ text: 'next', finish: 'stop' })
  await turns()
  // Before the end is awaited, which a node that nobody answers would put off for ever.
  assert.deepEqual([...asked.keys()], ['bad', 'good'])
  const { failures } = await done
  assert.deepEqual(
    failures.map((failure) => failure.node.id),
    ['bad'],
  )
})

/** A run that makes one call, with the parts of the server that the call needs. */
function callOf(deps: object, journal: object, stored: Promise<unknown> = Promise.resolve()) {
  const halt = createHalt()
  const work = {
    ...{ row: { id: 'r', account_id: 'a', max_cost_micros: null }, claim: { owner: 'w' } },
    ...{ steps: new Map(), calls: createCallsUnderWay(), orders: new Set(), callCount: 0 },
    ...{ callsOut: 0, halt, money: createRunMoney(null, halt), stored },
    ...{ spender: {}, spenderReadAtMs: 1 },
    journal: { begin: async () => {}, end: async () => {}, forget: async () => {}, ...journal },
  }
  const stopping = new AbortController().signal
  const given = {
    clock: { ...systemClock, nowMs: () => 1 },
    random: () => 0.5,
    delayedAtMostMs: 60_000,
    stopping,
    onError() {},
    ...deps,
  }
  const scope = { deps: given, work, halt, calls: work.calls } as unknown as NodeScope
  const { activity } = wakeful()
  const site = { path: 'n', root: { id: 'n' }, progress: { attempts: 0 }, calls: 0, activity }
  return { scope, site: site as unknown as CallSite }
}

test('a call that is not accepted is made three times, and then its node fails', async (t) => {
  mock.timers.enable({ apis: ['setTimeout'] })
  t.after(() => mock.timers.reset())
  const ended: { status: string; attempts: number }[] = []
  const { scope, site } = callOf({}, { end: async (step: BegunStep) => void ended.push(step) })
  let made = 0
  const failed = recordedCall(scope, site, {
    kind: 'TEXT',
    isSafe: false,
    neededMicros: null,
    async perform() {
      made++
      throw new Error('busy')
    },
    repeatAfterMs: () => 0,
  }).catch((error: Error) => error.message)
  for (let pause = 0; pause < 5; pause++) {
    await turns()
    mock.timers.tick(10_000)
  }
  assert.equal(typeof (await failed), 'string')
  assert.equal(made, 3)
  assert.deepEqual(
    ended.map(({ status, attempts }) => [status, attempts]),
    [['FAILED', 3]],
  )
})

test('a picture is ordered only after the results it is made from are stored', async () => {
  const sources = Promise.withResolvers<void>()
  let isOrdered = false
  const { scope, site } = callOf(
    {
      catalogue: { find: () => undefined, known: () => undefined },
      orderTask: async () => ({ spend: null, task: () => ({}) }),
      ledger: {
        async store() {
          isOrdered = true
          return [{ id: 't' }]
        },
      },
      taskEnded: async () => ({ status: 'COMPLETED', media: [], cost_micros: 0 }),
      mediaUrls: () => [media('http://x.test/p.png')],
      payloads: { put: async (_account: string, json: string) => json },
    },
    {},
    sources.promise,
  )
  const call = { kind: 'IMAGE', model: 'm', prompt: 'x', parameters: {} } as const
  const made = makeMediaTask(scope, site, call)
  await turns()
  assert.equal(isOrdered, false)
  sources.resolve()
  await made
  assert.equal(isOrdered, true)
})
