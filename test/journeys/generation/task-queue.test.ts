import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { databases } from '../../support/databases.ts'
import { type Bench, ended, newCustomer, openBench, submitted } from './setting.ts'

const model = 'fal/flux-schnell'

/** Prompts in the order in which the provider received them. */
const submissions = (bench: Bench): string[] =>
  bench.doubles.fal.requests
    .filter(({ route }) => route === 'submit')
    .map(({ body }) => (body as { prompt: string }).prompt)

for (const { name: database } of databases) {
  describe(`the queue on ${database}`, () => {
    test('an account runs only as many tasks as allowed; the others wait and follow', async (t) => {
      const env = { MAX_TASKS_IN_FLIGHT: '2' }
      const bench = await openBench(t, { doubles: ['fal'], env, database })
      const { fal } = bench.doubles
      const other = await newCustomer(bench)
      fal.plan('succeeded')
      fal.always('submit', { do: 'hold' })
      const ids = []
      for (const prompt of ['a', 'b', 'c', 'd', 'e']) {
        ids.push(await submitted(bench, 'image', { model, prompt }))
      }
      await fal.arrived('submit', 2)
      // A later task of another account runs first, which shows that the waiting ones were skipped.
      const call = { key: other.key }
      const theirs = await submitted(bench, 'image', { model, prompt: 'theirs' }, call)
      await fal.arrived('submit', 3)
      assert.deepEqual(submissions(bench).toSpliced(2).sort(), ['a', 'b'])
      assert.equal(submissions(bench)[2], 'theirs')
      fal.release()
      for (const id of ids) assert.equal((await ended(bench, id)).status, 'COMPLETED')
      assert.equal((await ended(bench, theirs, call)).status, 'COMPLETED')
      assert.deepEqual(submissions(bench).slice(3).sort(), ['c', 'd', 'e'])
    })

    test('200 queued tasks of one account do not delay the first of another', async (t) => {
      const env = { MAX_TASKS_IN_FLIGHT: '5' }
      const bench = await openBench(t, { doubles: ['fal'], env, database })
      const { fal } = bench.doubles
      const other = await newCustomer(bench)
      fal.plan('succeeded')
      fal.always('submit', { do: 'hold' })
      await Promise.all(
        Array.from({ length: 200 }, (_, i) => submitted(bench, 'image', { model, prompt: `${i}` })),
      )
      await fal.arrived('submit', 5)
      const call = { key: other.key }
      const theirs = await submitted(bench, 'image', { model, prompt: 'theirs' }, call)
      await fal.arrived('submit', 6)
      assert.equal(submissions(bench)[5], 'theirs')
      fal.release()
      assert.equal((await ended(bench, theirs, call)).status, 'COMPLETED')
    })
  })
}
