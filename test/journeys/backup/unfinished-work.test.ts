// What a backup finds unfinished may have been finished by the original since, and paid for: a
// restored copy never does it again, unless its operator says that the original did nothing.
import assert from 'node:assert/strict'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { databases } from '../../support/databases.ts'
import { P, startServer, type TestServer } from '../../support/server.ts'
import { addWorkflow, ended, graph, readRun, started, until } from '../runs/setting.ts'
import { cli, endedTask, newFolder, newPlace, rowsOf } from './setting.ts'

const text = graph(
  [
    { id: 'text', type: 'text.generate', data: { model: 'demo-text', prompt: 'a lighthouse' } },
    { id: 'out', type: 'output' },
  ],
  ['text -> out'],
)

const delay = graph([{ id: 'later', type: 'wait.delay', data: { seconds: 86_400 } }], [])

async function imageTask(server: TestServer): Promise<string> {
  const messages = [{ role: 'user', content: 'a lighthouse' }]
  const json = { model: 'demo-image', messages }
  const answer = await server.call({ method: 'POST', path: `${P}/images/generations`, json })
  return answer.body.data.taskId
}

const ledger = (env: Record<string, string>) =>
  rowsOf<{ outcome: string; remark: string | null }>(
    env,
    `select outcome, remark from ledger order by outcome, remark`,
  )

describe('work that had not ended when the backup was made', () => {
  for (const { name } of databases) {
    test(`on ${name} is ended, or goes on if the original stood still`, async (t) => {
      const original = await newPlace(t, name)
      const slow = await startServer({
        ...original,
        OUTBOUND_ALLOW: '127.0.0.1/32',
        // No call of the original ends before the backup is made.
        EMBEDDED_OPTIONS: 'delayMs=600000',
        ...{ MAX_ACTIVE_RUNS: '1', MAX_TASKS_IN_FLIGHT: '1', SHUTDOWN_SECONDS: '0' },
      })
      t.after(() => slow.stop())
      const workflowId = await addWorkflow(slow, text)
      const callbackUrl = 'http://127.0.0.1:9999/hook'
      // It leaves its slot to the next.
      const asleep = await started(slow, await addWorkflow(slow, delay), { callbackUrl })
      const begun = await started(slow, workflowId, { callbackUrl })
      await until(slow, begun, (run) => run.status === 'RUNNING')
      const queued = await started(slow, workflowId, { callbackUrl })
      const sent = await imageTask(slow)
      for (;;) {
        const { body } = await slow.call(`${P}/tasks/${sent}`)
        if (body.data.status === 'RUNNING') break
        await pause(20)
      }
      const waiting = await imageTask(slow)
      while ((await ledger(original)).length < 2) await pause(20)
      const folder = join(await newFolder(t), 'copy')
      await cli(['backup', folder], original)
      const { ownerKey } = slow
      await slow.stop()

      const [closed, resumed] = [await newPlace(t, name), await newPlace(t, 'sqlite')]
      const said = JSON.parse((await cli(['restore', folder, '--trust', '--json'], closed)).stdout)
      assert.deepEqual(said.closed, { runs: 3, tasks: 2, webhooks: 0 })
      {
        await using server = await startServer(closed)
        assert.equal(server.ownerKey, ownerKey)
        for (const runId of [asleep, begun, queued]) {
          const run = await readRun(server, runId)
          assert.equal(run.status, 'FAILED')
          assert.equal(run.nodeErrors[0].code, 'PROVIDER_OUTCOME_UNKNOWN')
        }
        const waits = await rowsOf(closed, 'select status from waits')
        assert.deepEqual(waits, [{ status: 'CANCELLED' }])
        for (const taskId of [sent, waiting]) {
          const task = await endedTask(server, taskId)
          assert.equal(task.error.code, 'PROVIDER_OUTCOME_UNKNOWN')
        }
        // Neither a call to the provider nor a webhook.
        const attempts = await ledger(closed)
        assert.equal(attempts.length, 2)
        assert.ok(
          attempts.some(({ outcome, remark }) => outcome === 'UNKNOWN' && remark === 'LOST'),
        )
        assert.deepEqual(await rowsOf(closed, 'select id from deliveries'), [])
      }
      await cli(['restore', folder, '--trust', '--resume'], resumed)
      await using server = await startServer(resumed)
      assert.equal((await ended(server, queued)).status, 'COMPLETED')
      assert.equal((await readRun(server, asleep)).waitingFor.length, 1)
      assert.equal((await endedTask(server, waiting)).status, 'COMPLETED')
      // What had begun and is not known to have ended is not repeated here either.
      const interrupted = await ended(server, begun)
      assert.equal(interrupted.nodeErrors[0].code, 'PROVIDER_OUTCOME_UNKNOWN')
    })
  }
})
