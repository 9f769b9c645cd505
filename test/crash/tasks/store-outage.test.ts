import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { ended, eventually, openBench, submitted } from '../../journeys/generation/setting.ts'
import { createDatabase } from '../../support/databases.ts'
import { startPostgres } from '../../support/postgres-server.ts'

describe('a database that goes away for a moment', () => {
  test('costs no job whose answer arrives meanwhile', async (t) => {
    const server = await startPostgres({ fsync: 'on' })
    t.after(server.stop)
    const { url } = await createDatabase(server.url)
    const bench = await openBench(t, { doubles: ['fal', 'openai'], env: { DATABASE_URL: url } })
    const { fal, openai } = bench.doubles
    fal.plan('succeeded')
    for (const double of [fal, openai]) double.script('submit', { do: 'hold' })
    const job = await submitted(bench, 'image', { model: 'fal/flux-schnell' })
    const picture = await submitted(bench, 'image', { model: 'openai/gpt-image-2' })
    await Promise.all([fal.arrived('submit', 1), openai.arrived('submit', 1)])
    const meanwhile = () => {
      fal.release()
      openai.release()
    }
    await server.restart({ afterMs: 500, meanwhile })
    await eventually(
      () => bench.call('/readyz').then(({ status }) => status),
      (status) => status === 200,
    )
    for (const taskId of [job, picture]) {
      const task = await ended(bench, taskId)
      assert.equal(task.status, 'COMPLETED', JSON.stringify(task.error))
    }
    assert.deepEqual([fal.counts.submit, openai.counts.submit], [1, 1])
  })
})
