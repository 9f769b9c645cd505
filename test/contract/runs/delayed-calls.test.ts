import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { systemClock } from '#core/clock.ts'
import { unpackNodes } from '#core/run-nodes.ts'
import { createLaneGate } from '#engine/calls/lane-gate.ts'
import { type Provider, ProviderError } from '#providers/provider.ts'
import type { Db } from '#store/db.ts'
import { requestCancel } from '#store/tables/cancel-run.ts'
import { databases } from '../../support/databases.ts'
import { noLimits } from '../../support/no-lanes.ts'
import { forEach, type Graph } from './loops.ts'
import {
  addRun,
  addWorkflow,
  chain,
  countingProvider,
  migrations,
  newAccount,
  rowOf,
  startProcess,
  until,
} from './setting.ts'
import { answer, approval, isAsleep, makeDue } from './sleeping.ts'

const askedMs = 40_000
const refusal = (status: number) =>
  new ProviderError('busy', {
    ...({ outcome: 'rejected', status, message: 'slow down', retryAfterMs: askedMs } as const),
  })

/** Refuses these prompts once each. */
function refusing(refusals: Record<string, ProviderError>) {
  const left = new Map(Object.entries(refusals))
  const provider = countingProvider()
  const { generateText } = provider
  const busy: Provider['generateText'] = async (request, options) => {
    const answered = await generateText?.(request, options)
    const prompt = String(request.messages[0]?.content)
    const error = left.get(prompt)
    left.delete(prompt)
    if (error || !answered) throw error
    return answered
  }
  return { ...provider, generateText: busy }
}

const newGate = () =>
  createLaneGate({ lanes: noLimits, clock: systemClock, patienceMs: 10_000, random: () => 0 })

/** The time that the vendor asked for has passed. */
const later = { ...systemClock, nowMs: () => Date.now() + askedMs + 5_000 }

const delaysOf = async (db: Db, id: string) => {
  const { nodes, created_at } = await rowOf(db, id)
  return unpackNodes(nodes?.value ?? [], created_at).flatMap(({ status, delayed = [] }) =>
    delayed.map(({ kind, model, path }) => ({ status, kind, model, path })),
  )
}

const isOver = async (db: Db, id: string) => (await rowOf(db, id)).completed_at !== null

for (const { name, open } of databases) {
  describe(`calls that are made later, on ${name}`, () => {
    async function begin(provider: Provider, graph: Graph, input: unknown = 'a') {
      const database = await open({ migrations })
      const { db } = database
      const account = newAccount()
      const first = await startProcess(db, provider, { gate: newGate() })
      const workflow = await addWorkflow(db, account, graph)
      const id = await addRun(db, account, workflow, { inputs: JSON.stringify({ in: input }) })
      const workers = [first.worker]
      return {
        ...{ db, account, id, first },
        async another(clock = later) {
          await first.worker.stop()
          const { worker } = await startProcess(db, provider, { gate: newGate(), clock })
          workers.push(worker)
        },
        async [Symbol.asyncDispose]() {
          for (const worker of workers) await worker.stop()
          await database[Symbol.asyncDispose]()
        },
      }
    }

    for (const [status, kind] of [
      [429, 'RATE_LIMIT'],
      [503, 'RETRY'],
    ] as const) {
      test(`a run whose vendor answers ${status} and asks for a while sleeps, says why, and goes on then`, async () => {
        const provider = refusing({ 'a+': refusal(status) })
        await using setting = await begin(provider, chain(2))
        const { db, id } = setting
        await until(() => isAsleep(db, id))
        const { owner, wake_at } = await rowOf(db, id)
        const leftMs = (wake_at ?? 0) - Date.now()
        assert.equal(owner, null)
        assert.ok(leftMs > askedMs - 15_000 && leftMs <= askedMs, `${leftMs} ms`)
        assert.deepEqual(await delaysOf(db, id), [
          { status: 'RUNNING', kind, model: 'm', path: 'g1#0' },
        ])
        await setting.another()
        await makeDue(db)
        await until(() => isOver(db, id))
        const { status: end, node_errors } = await rowOf(db, id)
        assert.equal(end, 'COMPLETED', JSON.stringify(node_errors))
        assert.deepEqual(
          [...provider.asked],
          [
            ['a', 1],
            ['a+', 2],
          ],
        )
        assert.deepEqual(await delaysOf(db, id), [])
      })
    }

    test('what wakes it earlier does not make the vendor be asked earlier', async () => {
      const { nodes, connections } = approval()
      const busy = { id: 'busy', type: 'text.generate', data: { model: 'm', prompt: 'busy' } }
      const provider = refusing({ busy: refusal(503) })
      await using setting = await begin(provider, { nodes: [...nodes, busy], connections })
      const { db, account, id } = setting
      await until(() => isAsleep(db, id))
      assert.equal(await answer(db, account, id, { decision: 'approve' }), true)
      // What the approval let go is done, and the run sleeps again.
      await until(async () => provider.asked.has('a+ a+!') && (await isAsleep(db, id)))
      assert.equal(provider.asked.get('busy'), 1)
      await setting.another()
      await makeDue(db)
      await until(() => isOver(db, id))
      assert.equal((await rowOf(db, id)).status, 'COMPLETED')
      assert.equal(provider.asked.get('busy'), 2)
    })

    test('one that is cancelled meanwhile has ended at once', async () => {
      const provider = refusing({ a: refusal(429) })
      await using setting = await begin(provider, chain(1))
      const { db, account, id } = setting
      await until(() => isAsleep(db, id))
      await db.transaction((tx) =>
        requestCancel(tx, account, id, { reason: null, nowMs: Date.now() }),
      )
      const { status, nodes, created_at } = await rowOf(db, id)
      assert.equal(status, 'CANCELLED')
      const [, called] = unpackNodes(nodes?.value ?? [], created_at)
      assert.deepEqual([called?.status, called?.delayed], ['CANCELLED', undefined])
      assert.equal(provider.asked.get('a'), 1)
    })

    test('an item of a list keeps its place: the next ones do not ask a busy vendor', async () => {
      const items = ['one', 'two', 'three']
      const provider = refusing({ one: refusal(429) })
      await using setting = await begin(provider, forEach({ concurrency: 1 }), items)
      const { db, id } = setting
      await until(() => isAsleep(db, id))
      assert.deepEqual([...provider.asked], [['one', 1]])
      await setting.another()
      await makeDue(db)
      await until(() => isOver(db, id))
      assert.equal((await rowOf(db, id)).status, 'COMPLETED')
      assert.deepEqual(
        items.map((item) => provider.asked.get(item)),
        [2, 1, 1],
      )
    })
  })
}
