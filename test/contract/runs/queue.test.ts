import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { systemClock } from '#core/clock.ts'
import { createRunSubmitter } from '#engine/runs/submit-run.ts'
import type { Db } from '#store/db.ts'
import { requestCancel } from '#store/tables/cancel-run.ts'
import { type Attempt, openAttempt, settleAttempts } from '#store/tables/ledger.ts'
import { deleteOldRuns } from '#store/tables/old-runs.ts'
import { finishRuns, type RunEnd } from '#store/tables/run-progress.ts'
import { settleLateCosts } from '#store/tables/run-work.ts'
import { listRuns } from '#store/tables/runs.ts'
import type { Settlement } from '#store/tables/settlement.ts'
import { databases } from '../../support/databases.ts'
import {
  addRun,
  addWorkflow,
  allEnded,
  chain,
  countingProvider,
  migrations,
  newAccount,
  rowOf,
  runsOn,
  startProcess,
  submit,
  until,
} from './setting.ts'

const attemptOf = (accountId: string, runId: string): Attempt => ({
  attempt: 'a1',
  accountId,
  keyId: null,
  taskId: null,
  runId,
  nodeId: 'g0',
  operation: 'chat',
  provider: 'p',
  model: 'm',
  unitPrice: null,
  reservedMicros: 9,
  createdAtMs: 1,
})

const count = async (db: Db, where: string): Promise<number> => {
  const [row] = await db.query<{ n: number }>(`select count(*) as n from runs where ${where}`)
  return row?.n ?? 0
}

for (const { name, open } of databases) {
  describe(name, () => {
    test('an account with a long queue does not delay the first run of another', async () => {
      await using database = await open({ migrations })
      const { db } = database
      const [greedy, modest] = [newAccount(), newAccount()]
      const provider = countingProvider()
      provider.held.add('held')
      const process = await startProcess(db, provider, { activePerAccount: 5 })
      const mine = await addWorkflow(db, greedy, chain(1))
      const other = await addWorkflow(db, modest, chain(1))
      for (let i = 0; i < 50; i++) await addRun(db, greedy, mine, { inputs: '{"in":"held"}' })
      await until(async () => (await count(db, 'owner is not null')) === 5)
      const id = await addRun(db, modest, other, { inputs: '{"in":"quick"}' })
      await until(async () => (await rowOf(db, id)).status === 'COMPLETED')
      assert.equal(await count(db, `owner is not null`), 5)
      assert.equal(await count(db, `status = 'QUEUED'`), 45)
      provider.open('held')
      await allEnded(db)
      await process.bury()
    })

    test('more waiting runs than an account may have are refused; the rest are stored', async () => {
      await using database = await open({ migrations })
      const { db } = database
      const accountId = newAccount()
      const workflow = await addWorkflow(db, accountId, chain(1))
      const clock = systemClock
      const submitRun = createRunSubmitter({
        runs: runsOn(db),
        clock,
        maxQueued: 3,
        queueTimeoutMs: 1_000,
      })
      const submitKey = (key: string) => submit({ submitRun }, accountId, workflow, { key })
      const outcomes = await Promise.allSettled(['a', 'b', 'c', 'd', 'e'].map(submitKey))
      const refused = outcomes.filter((outcome) => outcome.status === 'rejected')
      assert.deepEqual(
        refused.map(({ reason }) => reason.code),
        ['QUOTA_EXCEEDED', 'QUOTA_EXCEEDED'],
      )
      // A repeat of what was stored is no new run.
      assert.equal((await submitKey('a')).isNew, false)
      const { rows, total } = await listRuns(db, accountId, workflow.id, { page: 1, size: 10 })
      assert.deepEqual([total, rows.map((row) => row.seq)], [3, [3, 2, 1]])
    })

    test('runs that wait from before count, whichever workflow they are of', async () => {
      await using database = await open({ migrations })
      const { db } = database
      const accountId = newAccount()
      const workflows = [
        await addWorkflow(db, accountId, chain(1)),
        await addWorkflow(db, accountId, chain(1)),
      ] as const
      const clock = systemClock
      const submitRun = createRunSubmitter({
        runs: runsOn(db),
        clock,
        maxQueued: 3,
        queueTimeoutMs: 1_000,
      })
      for (const [i, key] of ['a', 'b', 'c'].entries()) {
        await submit({ submitRun }, accountId, workflows[i % 2 ? 1 : 0], { key })
      }
      for (const workflow of workflows) {
        const refused = submit({ submitRun }, accountId, workflow, { key: 'd' })
        await assert.rejects(refused, { code: 'QUOTA_EXCEEDED' })
      }
      const other = newAccount()
      const theirs = await addWorkflow(db, other, chain(1))
      assert.equal((await submit({ submitRun }, other, theirs, { key: 'd' })).isNew, true)
    })

    test('the limit of waiting runs holds for many workflows at once', async () => {
      await using database = await open({ migrations })
      const { db } = database
      const accountId = newAccount()
      const clock = systemClock
      const submitRun = createRunSubmitter({
        runs: runsOn(db),
        clock,
        maxQueued: 5,
        queueTimeoutMs: 1_000,
      })
      const workflows = await Promise.all(
        Array.from({ length: 6 }, () => addWorkflow(db, accountId, chain(1))),
      )
      const outcomes = await Promise.allSettled(
        ['a', 'b', 'c', 'd'].flatMap((key) =>
          workflows.map((workflow) => submit({ submitRun }, accountId, workflow, { key })),
        ),
      )
      assert.equal(outcomes.filter(({ status }) => status === 'fulfilled').length, 5)
      assert.equal(await count(db, 'owner is null'), 5)
    })

    test('a cancelled or overdue run that was given back ends though no slot is free', async () => {
      await using database = await open({ migrations })
      const { db } = database
      const accountId = newAccount()
      const workflow = await addWorkflow(db, accountId, chain(2))
      const provider = countingProvider()
      for (const name of ['long', 'a', 'b']) provider.held.add(name)
      const before = await startProcess(db, provider)
      const [a, b] = [
        await addRun(db, accountId, workflow, { inputs: '{"in":"a"}' }),
        await addRun(db, accountId, workflow, { inputs: '{"in":"b"}' }),
      ]
      await until(() => provider.asked.size === 2)
      before.store.kill()
      await db.write(`update runs set owner = null, run_at = $1`, [Date.now() + 60_000])
      const process = await startProcess(db, provider, { activePerAccount: 1 })
      await addRun(db, accountId, workflow, { inputs: '{"in":"long"}' })
      await until(() => provider.asked.has('long'))
      await db.transaction((tx) => requestCancel(tx, accountId, a, { reason: null, nowMs: 7 }))
      await db.write('update runs set deadline_at = 1 where id = $1', [b])
      await until(async () => (await count(db, 'completed_at is not null')) === 2)
      assert.equal((await rowOf(db, a)).status, 'CANCELLED')
      const overdue = await rowOf(db, b)
      assert.equal(overdue.status, 'FAILED')
      assert.match(JSON.stringify(overdue.node_errors), /RUN_TIMEOUT/)
      assert.equal(provider.asked.get('b'), 1, 'nothing is called once its time is up')
      provider.open('long')
      await allEnded(db)
      await before.bury()
      await process.bury()
    })

    test('no more runs are active than may be, and the others begin in the order they came', async () => {
      await using database = await open({ migrations })
      const { db } = database
      const accountId = newAccount()
      const workflow = await addWorkflow(db, accountId, chain(1))
      const provider = countingProvider()
      const names = ['a', 'b', 'c', 'd', 'e']
      for (const name of names) provider.held.add(name)
      const process = await startProcess(db, provider, { activePerAccount: 2 })
      for (const name of names) {
        await submit(process, accountId, workflow, { key: name, inputs: `{"in":"${name}"}` })
      }
      for (const [i, name] of names.entries()) {
        const active = names.slice(0, i + 2)
        await until(() => active.every((other) => provider.asked.has(other)))
        assert.deepEqual([...provider.asked.keys()].sort(), active)
        assert.ok((await count(db, 'owner is not null')) <= 2)
        provider.open(name)
      }
      await allEnded(db)
      await process.bury()
    })

    test('a run that waited too long fails without being started', async () => {
      await using database = await open({ migrations })
      const { db } = database
      const accountId = newAccount()
      const workflow = await addWorkflow(db, accountId, chain(1))
      const id = await addRun(db, accountId, workflow, { deadline_at: Date.now() - 1 })
      const provider = countingProvider()
      const process = await startProcess(db, provider)
      await allEnded(db)
      await process.bury()
      const row = await rowOf(db, id)
      assert.deepEqual([row.status, row.started_at, provider.asked.size], ['FAILED', null, 0])
      assert.match(JSON.stringify(row.node_errors), /RUN_TIMEOUT/)
    })

    test('a run past its time limit fails, naming the nodes that were at work', async () => {
      await using database = await open({ migrations })
      const { db } = database
      const accountId = newAccount()
      const workflow = await addWorkflow(db, accountId, chain(2))
      const provider = countingProvider()
      provider.held.add('x')
      let aheadMs = 0
      const clock = { ...systemClock, nowMs: () => Date.now() + aheadMs }
      const process = await startProcess(db, provider, { runTimeoutMs: 3_600_000, clock })
      const id = await addRun(db, accountId, workflow, { inputs: '{"in":"x"}' })
      await until(() => provider.asked.has('x'))
      aheadMs = 3_600_001
      await allEnded(db)
      await process.bury()
      const row = await rowOf(db, id)
      const [error] = row.node_errors ?? []
      assert.deepEqual([row.status, error?.nodeId, error?.code], ['FAILED', 'g0', 'RUN_TIMEOUT'])
      assert.equal(row.in_flight, 1)
    })

    test('a queued run is cancelled at once; an ended one is not', async () => {
      await using database = await open({ migrations })
      const { db } = database
      const accountId = newAccount()
      const workflow = await addWorkflow(db, accountId, chain(1))
      const id = await addRun(db, accountId, workflow)
      const cancel = (account: string, reason: string) =>
        db.transaction((tx) => requestCancel(tx, account, id, { reason, nowMs: 7 }))
      assert.equal(await cancel(newAccount(), 'theirs'), undefined)
      const first = await cancel(accountId, 'mine')
      assert.deepEqual(
        [first?.row.status, first?.accepted, first?.endedNow, first?.row.completed_at],
        ['CANCELLED', true, true, 7],
      )
      const again = await cancel(accountId, 'again')
      assert.deepEqual(
        [again?.row.cancel_reason, again?.accepted, again?.endedNow],
        ['mine', false, false],
      )
    })

    test('a late cost is added once, when the call has settled', async () => {
      await using database = await open({ migrations })
      const { db } = database
      const accountId = newAccount()
      const workflow = await addWorkflow(db, accountId, chain(1))
      const id = await addRun(db, accountId, workflow)
      await db.write(`update runs set status = 'CANCELLED', completed_at = 1, in_flight = 1`)
      await openAttempt(db, attemptOf(accountId, id))
      await settleLateCosts(db, Date.now())
      assert.equal((await rowOf(db, id)).in_flight, 1)
      const settled = { attempt: 'a1', outcome: 'SUCCEEDED' as const, units: {}, costMicros: 5 }
      await db.transaction((tx) => settleAttempts(tx, [{ ...settled, nowMs: 2 }]))
      await settleLateCosts(db, Date.now())
      await settleLateCosts(db, Date.now())
      const row = await rowOf(db, id)
      assert.deepEqual([row.in_flight, row.cost_micros], [0, 5])
    })

    test('a run costs what its call did cost, though it was taken for lost when the run ended', async () => {
      await using database = await open({ migrations })
      const { db } = database
      const accountId = newAccount()
      const workflow = await addWorkflow(db, accountId, chain(1))
      const id = await addRun(db, accountId, workflow)
      await openAttempt(db, attemptOf(accountId, id))
      const settle = (settlement: Omit<Settlement, 'attempt' | 'units' | 'nowMs'>) =>
        db.transaction((tx) =>
          settleAttempts(tx, [{ attempt: 'a1', units: {}, nowMs: 2, ...settlement }]),
        )
      await settle({ outcome: 'UNKNOWN', costMicros: 9, remark: 'LOST' })
      await db.write(`update runs set status = 'CANCELLED', completed_at = 1, cost_micros = 9`)
      await settle({ outcome: 'SUCCEEDED', costMicros: 5 })
      await settleLateCosts(db, Date.now())
      const row = await rowOf(db, id)
      assert.deepEqual([row.in_flight, row.cost_micros], [0, 5])
    })

    test('a run that ends while a cost of it is corrected is added up again', async () => {
      await using database = await open({ migrations })
      const { db } = database
      const accountId = newAccount()
      const id = await addRun(db, accountId, await addWorkflow(db, accountId, chain(1)))
      // What a correction leaves, which was committed while the run was about to end.
      await db.write(`update runs set status = 'RUNNING', owner = 'w', epoch = 1, in_flight = 1`)
      const end: RunEnd = {
        ...{ status: 'COMPLETED', ifCancelled: 'COMPLETED', outputs: null, nodeErrors: null },
        ...{ nodes: '{}', totals: { completed: 1, skipped: 0, failed: 0 }, nowMs: 3 },
        ...{ costMicros: 9, isPaid: false, inFlight: false, hasWaits: false },
      }
      const statement = finishRuns(db.dialect, [{ claim: { id, owner: 'w', epoch: 1 }, end }])
      await db.transaction((tx) => tx.run(statement))
      const ended = await rowOf(db, id)
      assert.deepEqual([ended.status, ended.in_flight], ['COMPLETED', 1])
    })

    test('old runs go with their steps, from the old end of their list', async () => {
      await using database = await open({ migrations })
      const { db } = database
      const accountId = newAccount()
      const workflow = await addWorkflow(db, accountId, chain(1))
      const ids: string[] = []
      for (const nowMs of [1_000, 2_000, 3_000, 9_000]) {
        ids.push(await addRun(db, accountId, workflow, { nowMs, deadline_at: 1e13 }))
      }
      for (const id of [ids[0], ids[1], ids[3]]) {
        await db.write(`update runs set status = 'FAILED', completed_at = 1 where id = $1`, [
          id ?? '',
        ])
      }
      await db.write(
        `insert into steps (run_id, path, kind, status, attempts, started_at) values ($1, 'a#0', 'TEXT', 'DONE', 1, 1)`,
        [ids[0] ?? ''],
      )
      // The third is still open, and the fourth is new.
      assert.equal(await deleteOldRuns(db, 5_000, 100), 2)
      assert.equal(await deleteOldRuns(db, 5_000, 100), 0)
      const { rows, total } = await listRuns(db, accountId, workflow.id, { page: 1, size: 10 })
      assert.deepEqual([total, rows.map((row) => row.id)], [2, [ids[3], ids[2]]])
      assert.deepEqual(await db.query('select * from steps'), [])
      const ended = `update runs set status = 'FAILED', completed_at = 1, in_flight = 1 where id = $1`
      await db.write(ended, [ids[2] ?? ''])
      assert.equal(await deleteOldRuns(db, 5_000, 100), 0, 'its cost is still to be added up')
    })

    test('a run that has not ended keeps no later run of its list, and the list has no gap', async () => {
      await using database = await open({ migrations })
      const { db } = database
      const accountId = newAccount()
      const workflow = await addWorkflow(db, accountId, chain(1))
      const ids: string[] = []
      for (let nowMs = 1; nowMs <= 8; nowMs++) {
        ids.push(await addRun(db, accountId, workflow, { nowMs, deadline_at: 1e13 }))
      }
      const [, second = '', , , fifth = '', , , last = ''] = ids
      await db.write(
        `update runs set status = 'FAILED', completed_at = 9
         where id <> $1 and id <> $2 and id <> $3`,
        [second, fifth, last],
      )
      // Ended after their time to be kept began.
      assert.equal(await deleteOldRuns(db, 9, 100), 0)
      while ((await deleteOldRuns(db, 5_000, 2)) > 0);
      const page = (number: number) =>
        listRuns(db, accountId, workflow.id, { page: number, size: 2 })
      const first = await page(1)
      assert.deepEqual([first.total, first.rows.map((row) => row.id)], [3, [last, fifth]])
      assert.deepEqual(
        (await page(2)).rows.map((row) => row.id),
        [second],
      )
    })
  })
}

test('two processes that store runs of one account at once keep its limit together', async () => {
  const database = await databases.find(({ name }) => name === 'postgres')?.open({ migrations })
  assert.ok(database)
  await using _ = database
  const { db } = database
  const accountId = newAccount()
  const workflows = [
    await addWorkflow(db, accountId, chain(1)),
    await addWorkflow(db, accountId, chain(1)),
  ] as const
  const stored = Promise.withResolvers<void>()
  const mayCommit = Promise.withResolvers<void>()
  const slow: Db = {
    ...db,
    transaction: (work) =>
      db.transaction(async (tx) => {
        const value = await work(tx)
        stored.resolve()
        await mayCommit.promise
        return value
      }),
  }
  const limits = { clock: systemClock, maxQueued: 1, queueTimeoutMs: 60_000 }
  const [first, second] = [
    createRunSubmitter({ runs: runsOn(slow), ...limits }),
    createRunSubmitter({ runs: runsOn(db), ...limits }),
  ]
  const early = submit({ submitRun: first }, accountId, workflows[0], { key: 'k' })
  await stored.promise
  const late = submit({ submitRun: second }, accountId, workflows[1], { key: 'k' })
  let isDecided = false
  const decided = () => {
    isDecided = true
  }
  late.then(decided, decided)
  await until(async () => {
    const waiting = await db.query(`select 1 as one from pg_locks where not granted`)
    return isDecided || waiting.length > 0
  })
  mayCommit.resolve()
  assert.equal((await early).isNew, true)
  await assert.rejects(late, { code: 'QUOTA_EXCEEDED' })
  assert.equal(await count(db, 'owner is null'), 1)
})

describe('a process that has its database to itself', () => {
  const setUp = async (options: Parameters<typeof startProcess>[2] = {}) => {
    const database = await databases.find(({ name }) => name === 'sqlite')?.open({ migrations })
    assert.ok(database)
    const accountId = newAccount()
    const workflow = await addWorkflow(database.db, accountId, chain(1))
    const provider = countingProvider()
    const process = await startProcess(database.db, provider, options)
    return { database, db: database.db, accountId, workflow, provider, process }
  }

  test('stores a run as claimed where its worker has a slot', async () => {
    const { database, db, accountId, workflow, provider, process } = await setUp()
    await using _ = database
    provider.held.add('x')
    const run = await submit(process, accountId, workflow, { key: 'k' })
    const row = await rowOf(db, run.id)
    assert.deepEqual(
      [run.status, run.isNew, row.status, row.owner, row.epoch, typeof row.started_at],
      ['QUEUED', true, 'RUNNING', process.workerId, 1, 'number'],
    )
    provider.open('x')
    await allEnded(db)
    await process.bury()
  })

  test('lets no run begin before one of its account that waits', async () => {
    const { database, db, accountId, workflow, provider, process } = await setUp()
    await using _ = database
    await addRun(db, accountId, workflow, { inputs: '{"in":"first"}', isNotified: false })
    await submit(process, accountId, workflow, { key: 'k', inputs: '{"in":"second"}' })
    await allEnded(db)
    assert.deepEqual([...provider.asked.keys()], ['first', 'second'])
    await process.bury()
  })

  test('whose worker lost its lease stores the run for the next one', async () => {
    const { database, db, accountId, workflow, provider, process } = await setUp()
    await using _ = database
    await process.expire()
    const run = await submit(process, accountId, workflow, { key: 'k' })
    assert.equal((await rowOf(db, run.id)).owner, null)
    const heir = await startProcess(db, provider)
    await allEnded(db)
    assert.equal(provider.asked.get('x'), 1)
    await process.bury()
    await heir.bury()
  })

  test('that failed to store a run has its slot again', async () => {
    const { database, db, accountId, workflow, provider, process } = await setUp({
      activePerAccount: 1,
    })
    await using _ = database
    const refusing = `create trigger refusing before insert on runs begin select raise(fail, 'no'); end`
    await db.write(refusing)
    await assert.rejects(submit(process, accountId, workflow, { key: 'k' }), /no/)
    await db.write('drop trigger refusing')
    await submit(process, accountId, workflow, { key: 'k' })
    await allEnded(db)
    assert.equal(provider.asked.get('x'), 1)
    await process.bury()
  })
})
