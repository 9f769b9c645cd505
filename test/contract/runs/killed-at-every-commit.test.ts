import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { databases } from '../../support/databases.ts'
import { createPauses } from '../../support/pauses.ts'
import {
  addRun,
  addWorkflow,
  allEnded,
  chain,
  countingProvider,
  migrations,
  newAccount,
  rowOf,
  startProcess,
  submit,
  until,
} from './setting.ts'
import { assertLegal, watchTransitions } from './watch.ts'

const steps = 3

for (const { name, open } of databases) {
  describe(name, () => {
    for (const moment of ['before', 'after'] as const) {
      test(`killed ${moment} any of its commits, a run ends, and each call was made at most once`, async () => {
        await using database = await open({ migrations })
        const { db } = database
        await watchTransitions(db)
        const accountId = newAccount()
        const workflow = await addWorkflow(db, accountId, chain(steps))
        let sawAll = false
        const outcomes = new Set<string>()
        for (let commits = 1; !sawAll; commits++) {
          assert.ok(commits < 60, 'a run makes so many commits')
          const provider = countingProvider()
          const victim = await startProcess(db, provider)
          victim.store.killAt(commits, moment)
          const inputs = JSON.stringify({ in: `p${commits}` })
          const id = await addRun(db, accountId, workflow, { inputs })
          await Promise.race([victim.store.died, ended(db, id)])
          sawAll = !victim.store.isDead()
          await victim.bury()
          const heir = await startProcess(db, provider)
          await allEnded(db)
          await heir.bury()
          const row = await rowOf(db, id)
          for (const [prompt, count] of provider.asked) assert.equal(count, 1, prompt)
          outcomes.add(row.status)
          if (row.status === 'COMPLETED') {
            assert.deepEqual(JSON.parse(row.outputs ?? ''), { [`g${steps - 1}`]: `p${commits}+++` })
            assert.equal(provider.asked.size, steps)
          } else {
            assert.equal(row.node_errors?.[0]?.code, 'PROVIDER_OUTCOME_UNKNOWN')
          }
        }
        await assertLegal(db)
        assert.deepEqual([...outcomes].sort(), ['COMPLETED', 'FAILED'])
      })
    }

    for (const moment of ['before', 'after'] as const) {
      test(`killed ${moment} any commit after a submission, its key has one run, and that ends`, async () => {
        await using database = await open({ migrations })
        const { db } = database
        await watchTransitions(db)
        const accountId = newAccount()
        const workflow = await addWorkflow(db, accountId, chain(1))
        for (let commits = 1, sawAll = false; !sawAll; commits++) {
          assert.ok(commits < 60, 'a run makes so many commits')
          const provider = countingProvider()
          const victim = await startProcess(db, provider)
          victim.store.killAt(commits, moment)
          const submission = { key: `k${commits}`, inputs: JSON.stringify({ in: `p${commits}` }) }
          // Nobody answers if its process dies.
          const answered = submit(victim, accountId, workflow, submission)
          const sawEnd = answered.then(({ id }) => ended(db, id))
          await Promise.race([victim.store.died, sawEnd])
          sawAll = !victim.store.isDead()
          await victim.bury()
          const heir = await startProcess(db, provider)
          const run = await submit(heir, accountId, workflow, submission)
          await allEnded(db)
          await heir.bury()
          for (const [prompt, count] of provider.asked) assert.equal(count, 1, prompt)
          const rows = await db.query('select id from runs where idempotency_key = $1', [
            submission.key,
          ])
          assert.deepEqual(rows, [{ id: run.id }])
        }
        await assertLegal(db)
      })
    }

    test('what was finished is not repeated when a run is resumed', async () => {
      await using database = await open({ migrations })
      const { db } = database
      const accountId = newAccount()
      const workflow = await addWorkflow(db, accountId, chain(2))
      const provider = countingProvider()
      provider.held.add('x+')
      const victim = await startProcess(db, provider)
      const id = await addRun(db, accountId, workflow, { inputs: '{"in":"x"}' })
      while (!provider.asked.has('x+')) await new Promise((resolve) => setTimeout(resolve, 2))
      await victim.bury()
      const heir = await startProcess(db, provider)
      await allEnded(db)
      await heir.bury()
      assert.equal(provider.asked.get('x'), 1)
      assert.equal(provider.asked.get('x+'), 1)
      const row = await rowOf(db, id)
      assert.equal(row.status, 'FAILED')
      // It may have been billed: the ledger says so and the run counts it.
      assert.ok(row.cost_micros > 2)
    })

    test('a long result that was stored is read again when a run is resumed', async () => {
      await using database = await open({ migrations })
      const { db } = database
      const accountId = newAccount()
      const workflow = await addWorkflow(db, accountId, chain(3))
      const provider = countingProvider()
      const long = 'x'.repeat(5_000)
      provider.held.add(`${long}+`)
      const victim = await startProcess(db, provider)
      const id = await addRun(db, accountId, workflow, { inputs: JSON.stringify({ in: long }) })
      await until(() => provider.asked.has(`${long}+`))
      await victim.bury()
      // As if the second call had never been made.
      await db.write(`delete from ledger where node_id = 'g1#0'`)
      provider.held.clear()
      const heir = await startProcess(db, provider)
      await allEnded(db)
      await heir.bury()
      const { status, outputs } = await rowOf(db, id)
      assert.deepEqual([status, JSON.parse(outputs ?? '')], ['COMPLETED', { g2: `${long}+++` }])
      assert.equal(provider.asked.get(long), 1)
    })

    test('a worker whose lease was taken writes nothing but what its call cost', async () => {
      await using database = await open({ migrations })
      const { db } = database
      const accountId = newAccount()
      const workflow = await addWorkflow(db, accountId, chain(2))
      const provider = countingProvider()
      provider.held.add('x')
      const hung = await startProcess(db, provider)
      const id = await addRun(db, accountId, workflow, { inputs: '{"in":"x"}' })
      while (!provider.asked.has('x')) await new Promise((resolve) => setTimeout(resolve, 2))
      await hung.expire()
      const heir = await startProcess(db, provider)
      await allEnded(db)
      // The ledger is told what its call cost, and the run is to add that up again.
      const seen = async () => {
        const { in_flight, cost_micros, ...row } = await rowOf(db, id)
        return [row, await heir.steps.ofRun(id)]
      }
      const before = await seen()
      provider.open('x')
      await new Promise((resolve) => setImmediate(resolve))
      await hung.worker.stop()
      assert.deepEqual(await seen(), before)
      assert.equal(provider.asked.get('x+'), undefined)
      await heir.bury()
    })
  })
}

async function ended(db: Parameters<typeof rowOf>[0], id: string) {
  const pause = createPauses(2)
  for (;;) {
    if ((await rowOf(db, id)).completed_at !== null) return
    await pause()
  }
}
