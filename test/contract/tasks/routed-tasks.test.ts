// Pictures that are ordered over a route: which candidates are asked, and when the next one is.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type CatalogueEntry, createCatalogue, type Pricing } from '#core/catalogue.ts'
import { systemClock } from '#core/clock.ts'
import { LongDelay } from '#core/delayed-call.ts'
import type { MoveReason, Route } from '#core/route.ts'
import { createTaskOrders } from '#engine/tasks/submit-task.ts'
import type { TaskDeps } from '#engine/tasks/task-work.ts'
import { startTaskWorker } from '#engine/tasks/task-worker.ts'
import { keepLease } from '#engine/work/lease-keeper.ts'
import type { Db } from '#store/db.ts'
import { leasesIn } from '#store/engine/leases.ts'
import { delaysOf } from '#store/tables/delayed-tasks.ts'
import { findTask } from '#store/tables/tasks.ts'
import { databases } from '../../support/databases.ts'
import { noLimits } from '../../support/no-lanes.ts'
import { addAccount } from '../deliveries/setting.ts'
import { until } from '../runs/setting.ts'
import { addTask, migrations } from './setting.ts'
import { taskWorkerOf } from './task-worker.ts'

const painter = (id: string, pricing: Pricing | null = null): CatalogueEntry => ({
  model: {
    ...{ id, name: id, provider: 'p', kind: 'IMAGE', description: '', enabled: true },
    ...{ capabilities: { inputModalities: ['text'] }, pricing },
  },
  ...{ provider: 'p', providerModel: id, fallbacks: [] },
})

const route = (on: readonly MoveReason[]): Route => ({
  ...{ name: 'r', sort: 'order', on },
  candidates: [{ model: 'full' }, { model: 'free' }],
})

const lanes: typeof noLimits = {
  ...noLimits,
  isLimited: ({ providerModel }) => providerModel === 'full',
  enter: () => Promise.reject(new LongDelay({ kind: 'LANE', model: 'full', position: 9 }, 60_000)),
}

/** A worker whose provider accepts every picture; `asked` has the models. */
async function work(db: Db, entries: readonly CatalogueEntry[], more: Partial<TaskDeps> = {}) {
  const asked: string[] = []
  const submit = async ({ model }: { model: string }) => {
    asked.push(model)
    return { ref: { v: 1, provider: 'p', id: 'job' } } as const
  }
  const poll = async () => ({ state: 'running', nextMs: 60_000 }) as const
  const keeper = await keepLease(leasesIn(db), {
    ...{ clock: systemClock, leaseMs: 600_000, onError: () => {} },
  })
  const { deps, ...limits } = taskWorkerOf(db, { name: 'p', submit, poll })
  const catalogue = createCatalogue([...entries])
  const worker = await startTaskWorker({
    ...{ ...limits, keeper, deps: { ...deps, catalogue, ...more } },
  })
  return {
    asked,
    async [Symbol.asyncDispose]() {
      await worker.stop()
      await keeper.release()
    },
  }
}

for (const { name, open } of databases) {
  test(`a full lane is a reason to move only if the route says so, on ${name}`, async () => {
    await using opened = await open({ migrations })
    const { db } = opened
    const accountId = await addAccount(db)
    const order = (on: readonly MoveReason[]) =>
      addTask(db, accountId, {
        ...{ model: 'route:r', nowMs: Date.now() },
        request: JSON.stringify({ prompt: 'a', route: route(on) }),
      })
    const [moves, waits] = [await order(['rate_limit']), await order(['connect'])]
    await using worker = await work(db, [painter('full'), painter('free')], { lanes })
    const delayOf = async () => (await delaysOf(db, accountId, [waits])).get(waits)
    await until(async () => (await findTask(db, accountId, moves))?.stage === 'SUBMITTED')
    await until(async () => worker.asked.length > 1 || (await delayOf()) !== undefined)
    assert.deepEqual(worker.asked, ['free'])
    const { kind, model } = (await delayOf()) ?? {}
    assert.deepEqual([kind, model], ['LANE', 'full'])
  })

  test(`a route that bounds the price asks a model by its stand-in price, on ${name}`, async () => {
    await using opened = await open({ migrations })
    const { db } = opened
    const accountId = await addAccount(db)
    const entries = [painter('unpriced'), painter('priced', { currency: 'USD', perImage: 0.04 })]
    const bounded: Route = {
      ...{ name: 'r', sort: 'order', on: ['rate_limit'], maxPrice: { perImage: 0.05 } },
      candidates: [{ model: 'unpriced' }, { model: 'priced' }],
    }
    const order = createTaskOrders({
      ledger: { store: () => assert.fail('it is stored here') },
      spending: { admit: () => assert.fail('nothing limits it') },
      ...{ clock: systemClock, catalogue: createCatalogue(entries) },
      acceptImage: () => assert.fail('it has no picture'),
      ...{ queueTimeoutMs: 600_000, roomTimeoutMs: 1_000 },
    })
    const principal = {
      ...{ accountId, keyId: null, limits: {}, accountSpendPerMonthMicros: null },
      ...{ routes: { r: bounded }, standIns: { unpriced: { perImage: 0.01 } } },
    }
    const asking = { modelId: 'route:r', kind: 'IMAGE', request: { prompt: 'a' } } as const
    await addTask(db, accountId, (await order({ ...asking, principal })).task())
    await using worker = await work(db, entries)
    await until(() => worker.asked.length > 0)
    assert.deepEqual(worker.asked, ['unpriced'])
  })
}
