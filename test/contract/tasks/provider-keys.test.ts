import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { describe, test } from 'node:test'
import { systemClock } from '#core/clock.ts'
import { uuidV7 } from '#core/ids.ts'
import { type OpenedKey, openProviderKeys } from '#engine/calls/provider-keys.ts'
import { startTaskWorker } from '#engine/tasks/task-worker.ts'
import { keepLease } from '#engine/work/lease-keeper.ts'
import { type Provider, ProviderError } from '#providers/provider.ts'
import type { Db } from '#store/db.ts'
import { credentialsIn } from '#store/engine/credentials.ts'
import { leasesIn } from '#store/engine/leases.ts'
import { createSecretBox } from '#store/secret-box.ts'
import { insertCredential, replaceCredential } from '#store/tables/credentials.ts'
import { findTask } from '#store/tables/tasks.ts'
import { databases } from '../../support/databases.ts'
import { addAccount } from '../deliveries/setting.ts'
import { until } from '../runs/setting.ts'
import { addTask, migrations } from './setting.ts'
import { taskWorkerOf } from './task-worker.ts'

const box = createSecretBox(randomBytes(32))

/** An account with a key, and adapters that say when they are opened and closed. */
async function openKeys(db: Db) {
  const accountId = await addAccount(db)
  const content = (key: string) => ({
    ...{ accountId, name: 'mine', hosts: [], nowMs: Date.now() },
    secret: { kind: 'provider', provider: 'p', key } as const,
  })
  const id = uuidV7(Date.now())
  await db.transaction((tx) => insertCredential(tx, box, { ...content('k1'), id }, { most: 5 }))
  const events: string[] = []
  let baseUrl = 'https://a'
  const keys = openProviderKeys({
    ...{ credentials: credentialsIn(db, box), clock: systemClock, onError: assert.fail },
    accessTo: () => {
      const at = baseUrl
      return {
        baseUrl: at,
        async open(key) {
          events.push(`open ${key} ${at}`)
          return { name: 'p', close: async () => void events.push(`close ${key} ${at}`) }
        },
      }
    },
  })
  return {
    ...{ keys, events },
    use: (work: (key: OpenedKey) => Promise<unknown> = async () => {}) =>
      keys.use({ accountId, credential: { id }, provider: 'p' }, work),
    replace: (key: string) => db.transaction((tx) => replaceCredential(tx, box, content(key))),
    move: (to: string) => {
      baseUrl = to
    },
  }
}

for (const { name, open } of databases) {
  describe(`provider keys (${name})`, () => {
    test('an adapter is opened once for a key, and closed with the rest', async () => {
      await using opened = await open({ migrations })
      const { use, keys, events } = await openKeys(opened.db)
      await use()
      await use()
      assert.deepEqual(events, ['open k1 https://a'])
      await keys.close()
      assert.deepEqual(events, ['open k1 https://a', 'close k1 https://a'])
    })

    test('the adapter of a replaced key is closed once its last call has ended', async () => {
      await using opened = await open({ migrations })
      const { use, replace, events } = await openKeys(opened.db)
      const { promise, resolve } = Promise.withResolvers<void>()
      const began = Promise.withResolvers<void>()
      const slow = use(() => {
        began.resolve()
        return promise
      })
      await began.promise
      await replace('k2')
      await use()
      assert.deepEqual(events, ['open k1 https://a', 'open k2 https://a'])
      resolve()
      await slow
      assert.deepEqual(events.slice(2), ['close k1 https://a'])
    })

    test('where the operator moves a provider to, its keys are sent from then on', async () => {
      await using opened = await open({ migrations })
      const { use, move, events } = await openKeys(opened.db)
      await use()
      move('https://b')
      await use()
      assert.deepEqual(events, ['open k1 https://a', 'open k1 https://b', 'close k1 https://a'])
    })

    test('a lost submission is not repeated, though the key of now finds no job', async () => {
      await using opened = await open({ migrations })
      const { db } = opened
      let submissions = 0
      const provider: Provider = {
        name: 'p',
        async submit() {
          submissions++
          throw new ProviderError('server', { outcome: 'unknown', message: 'cut' })
        },
        find: async () => null,
      }
      const keeper = await keepLease(leasesIn(db), {
        clock: systemClock,
        leaseMs: 600_000,
        onError: () => {},
      })
      const { deps, ...limits } = taskWorkerOf(db, provider)
      const credential = { id: uuidV7(Date.now()), name: 'mine' }
      const providerKeys = {
        use: <T>(_: unknown, work: (key: OpenedKey) => Promise<T>) =>
          work({ provider, credential }),
      }
      const worker = await startTaskWorker({ ...limits, deps: { ...deps, providerKeys }, keeper })
      const accountId = await addAccount(db)
      const change = { model: 'm', credential_id: credential.id, nowMs: Date.now() }
      const id = await addTask(db, accountId, change)
      worker.wake()
      await until(async () => (await findTask(db, accountId, id))?.status === 'FAILED')
      const task = await findTask(db, accountId, id)
      assert.deepEqual([task?.error?.code, submissions], ['PROVIDER_OUTCOME_UNKNOWN', 1])
      await worker.stop()
      await keeper.release()
    })
  })
}
