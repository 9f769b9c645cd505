// Jobs of a provider with several keys: submitted with one, and asked for with that one alone.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { systemClock } from '#core/clock.ts'
import { startTaskWorker } from '#engine/tasks/task-worker.ts'
import { keepLease } from '#engine/work/lease-keeper.ts'
import { type Provider, ProviderError } from '#providers/provider.ts'
import type { Db } from '#store/db.ts'
import { leasesIn } from '#store/engine/leases.ts'
import { callsOfTask } from '#store/tables/calls.ts'
import { findTask } from '#store/tables/tasks.ts'
import { databases } from '../../support/databases.ts'
import { addAccount } from '../deliveries/setting.ts'
import { until } from '../runs/setting.ts'
import { addTask, migrations } from './setting.ts'
import { taskWorkerOf } from './task-worker.ts'

type Key = Pick<Provider, 'submit' | 'poll' | 'find'>

/** A worker with these keys; `known` are those that it can still ask with. */
async function work(db: Db, keys: Record<string, Key>, known: Record<string, Key> = keys) {
  const keeper = await keepLease(leasesIn(db), {
    ...{ clock: systemClock, leaseMs: 600_000, onError: () => {} },
  })
  const deployments = Object.entries(keys).map(([name, key], index) => ({
    // The first is asked first.
    ...{ name, weight: index === 0 ? 1000 : 1, models: null },
    provider: { name: 'p', ...key },
  }))
  const { deps, ...limits } = taskWorkerOf(db, { name: 'p', deployments })
  const providerWith = (_: string, name: string | null) => {
    const key = name === null ? undefined : known[name]
    return key && { name: 'p', ...key }
  }
  const storeOutputs = async () => '[]'
  const worker = await startTaskWorker({
    ...{ ...limits, keeper, deps: { ...deps, providerWith, storeOutputs } },
  })
  return {
    wake: worker.wake,
    async [Symbol.asyncDispose]() {
      await worker.stop()
      await keeper.release()
    },
  }
}

const job = { v: 1, provider: 'p', id: 'job' } as const
const accepts: Key = { submit: async () => ({ ref: job }) }
const never = (what: string) => async () => assert.fail(`${what} with the wrong key`)
const busy: Key = {
  async submit() {
    throw new ProviderError('busy', { outcome: 'rejected', status: 429, message: 'busy' })
  },
}

for (const { name, open } of databases) {
  describe(`a task of a provider with several keys (${name})`, () => {
    test('is submitted with another if one refuses, and asked for with that one after a restart', async () => {
      await using opened = await open({ migrations })
      const { db } = opened
      const accountId = await addAccount(db)
      const id = await addTask(db, accountId, { model: 'm', nowMs: Date.now() })
      const look = () => findTask(db, accountId, id)
      {
        const b: Key = { ...accepts, poll: async () => ({ state: 'running', nextMs: 60_000 }) }
        await using worker = await work(db, { a: busy, b })
        worker.wake()
        await until(async () => (await look())?.stage === 'SUBMITTED')
      }
      assert.equal((await look())?.deployment, 'b')
      // The list has changed: the first key is another one now.
      const c: Key = { submit: never('submitted'), poll: never('asked for') }
      const b: Key = { poll: async () => ({ state: 'succeeded', outputs: [] }) }
      await using worker = await work(db, { c }, { b, c })
      worker.wake()
      await until(async () => (await look())?.status === 'COMPLETED')
      const calls = await callsOfTask(db, accountId, id)
      assert.deepEqual(
        calls.map(({ via, outcome }) => [via?.deployment, via?.number, via?.first, outcome]),
        [
          ['a', 1, `${id}:1`, 'REJECTED'],
          ['b', 2, `${id}:1`, 'SUCCEEDED'],
        ],
      )
    })

    test('whose key is gone fails with its name, and is not submitted again', async () => {
      await using opened = await open({ migrations })
      const { db } = opened
      const accountId = await addAccount(db)
      const id = await addTask(db, accountId, { model: 'm', nowMs: Date.now() })
      const look = () => findTask(db, accountId, id)
      {
        const a: Key = { ...accepts, poll: async () => ({ state: 'running', nextMs: 60_000 }) }
        await using worker = await work(db, { a })
        worker.wake()
        await until(async () => (await look())?.stage === 'SUBMITTED')
      }
      const c: Key = { submit: never('submitted'), poll: never('asked for') }
      await using worker = await work(db, { c })
      worker.wake()
      await until(async () => (await look())?.status === 'FAILED')
      const { error } = (await look()) ?? {}
      assert.equal(error?.code, 'PROVIDER_OUTCOME_UNKNOWN')
      assert.match(error?.message ?? '', /deployment "a" of p/)
      const [call] = await callsOfTask(db, accountId, id)
      assert.equal(call?.outcome, 'UNKNOWN')
    })

    test('whose submission was lost is not repeated, though the key of now finds no job', async () => {
      await using opened = await open({ migrations })
      const { db } = opened
      const accountId = await addAccount(db)
      let submissions = 0
      const cut: Key = {
        async submit() {
          submissions++
          throw new ProviderError('server', { outcome: 'unknown', message: 'cut' })
        },
        find: async () => null,
      }
      await using worker = await work(db, { a: cut, b: { submit: never('submitted') } })
      const id = await addTask(db, accountId, { model: 'm', nowMs: Date.now() })
      worker.wake()
      await until(async () => (await findTask(db, accountId, id))?.status === 'FAILED')
      assert.equal(submissions, 1)
    })
  })
}
