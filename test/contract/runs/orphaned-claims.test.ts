import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { createCatalogue } from '#core/catalogue.ts'
import { systemClock } from '#core/clock.ts'
import { createCircuitBreaker } from '#engine/calls/circuit-breaker.ts'
import { createPictureMemory } from '#engine/calls/picture-memory.ts'
import { startTaskWorker } from '#engine/tasks/task-worker.ts'
import { keepLease } from '#engine/work/lease-keeper.ts'
import { StoreUnavailable } from '#store/db.ts'
import { leasesIn } from '#store/engine/leases.ts'
import { tasksIn } from '#store/engine/tasks.ts'
import { databases } from '../../support/databases.ts'
import { losingAnAnswer } from '../../support/lost-answers.ts'
import { noKeys } from '../../support/no-keys.ts'
import { noLanes, noLimits } from '../../support/no-lanes.ts'
import { startReceiver } from '../deliveries/receiver.ts'
import { addAccount, afterAttempts, endRun, handClock, startWorker } from '../deliveries/setting.ts'
import { addTask } from '../tasks/setting.ts'
import {
  addRun,
  addWorkflow,
  allEnded,
  chain,
  countingProvider,
  migrations,
  newAccount,
  startProcess,
  submit,
  until,
} from './setting.ts'

for (const { name, open } of databases) {
  describe(`on ${name}, work that was claimed and whose worker never heard of it`, () => {
    test('is begun all the same: a run', async () => {
      await using opened = await open({ migrations })
      const { db } = opened
      const accountId = newAccount()
      const workflow = await addWorkflow(db, accountId, chain(1))
      const provider = countingProvider()
      const losing = losingAnAnswer(db, /update runs set\s+owner = \$1/)
      const process = await startProcess(losing, provider)
      await addRun(db, accountId, workflow, { inputs: '{"in":"x"}' })
      await allEnded(db)
      assert.equal(provider.asked.get('x'), 1)
      await process.bury()
    })

    test('is begun all the same: a task', async () => {
      await using opened = await open({ migrations })
      const { db } = opened
      const onError = () => {}
      const keeper = await keepLease(leasesIn(db), {
        clock: systemClock,
        leaseMs: 600_000,
        onError,
      })
      const losing = losingAnAnswer(db, /update tasks set\s+owner = \$1/)
      await addTask(db, newAccount(), { nowMs: Date.now() })
      const worker = await startTaskWorker({
        keeper,
        deps: {
          tasks: tasksIn(losing),
          clock: systemClock,
          catalogue: createCatalogue([]),
          providers: new Map(),
          providerWith: () => undefined,
          providerKeys: noKeys,
          breaker: createCircuitBreaker(systemClock),
          lanes: noLimits,
          gate: noLanes,
          loadImage: () => Promise.reject(new Error('no pictures here')),
          pictures: createPictureMemory(),
          storeOutputs: () => Promise.reject(new Error('no results here')),
          random: () => 0.5,
          onEnded: () => {},
          onError,
        },
        capacity: 10,
        inFlightPerAccount: 10,
        imageTimeoutMs: 600_000,
        videoTimeoutMs: 600_000,
        stopGraceMs: 0,
      })
      await until(async () => {
        const rows = await db.query('select id from tasks where completed_at is null')
        return rows.length === 0
      })
      await worker.stop()
      await keeper.release()
    })

    test('is begun all the same: a delivery', async () => {
      await using opened = await open({ migrations })
      const { db } = opened
      await using receiver = await startReceiver()
      const accountId = await addAccount(db)
      await endRun(db, { accountId, callbackUrl: receiver.url })
      const losing = losingAnAnswer(db, /update deliveries set owner = \$1/)
      await using _worker = await startWorker(losing, { clock: handClock() })
      const delivery = await afterAttempts(db, accountId, 1)
      assert.equal(delivery.status, 'DELIVERED')
    })
  })
}

test('a run that was stored as claimed, and whose worker never heard of it, is begun', async () => {
  const opened = await databases.find(({ name }) => name === 'sqlite')?.open({ migrations })
  assert.ok(opened)
  await using _ = opened
  const { db } = opened
  const accountId = newAccount()
  const workflow = await addWorkflow(db, accountId, chain(1))
  const provider = countingProvider()
  const process = await startProcess(losingAnAnswer(db, /insert into runs/), provider)
  const lost = submit(process, accountId, workflow, { key: 'k' })
  await assert.rejects(lost, StoreUnavailable)
  await allEnded(db)
  assert.equal(provider.asked.get('x'), 1)
  assert.equal((await submit(process, accountId, workflow, { key: 'k' })).isNew, false)
  await process.bury()
})
