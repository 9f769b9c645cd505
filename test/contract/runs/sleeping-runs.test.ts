import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { WaitAnswer } from '#core/wait-facts.ts'
import type { Db } from '#store/db.ts'
import { requestCancel } from '#store/tables/cancel-run.ts'
import { answerWait, findWait, waitsOfRun, wakeRun } from '#store/tables/waits.ts'
import { databases } from '../../support/databases.ts'
import {
  addRun,
  addWorkflow,
  countingProvider,
  migrations,
  newAccount,
  rowOf,
  startProcess,
  until,
} from './setting.ts'

type Node = { id: string; type: string; data: Record<string, unknown> }

/** A text call, a node that waits, and a text call behind one of its ports. */
const around = (wait: Omit<Node, 'id'>, port: string) => ({
  nodes: [
    { id: 'in', type: 'input.text', data: {} },
    { id: 'before', type: 'text.generate', data: { model: 'm' } },
    { id: 'shaped', type: 'text.template', data: { template: '{{text}}!' } },
    { id: 'wait', ...wait },
    { id: 'both', type: 'text.template', data: { template: '{{value}} {{shaped}}' } },
    { id: 'after', type: 'text.generate', data: { model: 'm' } },
    { id: 'out', type: 'output', data: {} },
  ],
  connections: [
    { source: 'in', target: 'before', targetHandle: 'prompt' },
    { source: 'before', target: 'shaped', targetHandle: 'text' },
    { source: 'before', target: 'wait', targetHandle: 'value' },
    { source: 'wait', sourceHandle: port, target: 'both', targetHandle: 'value' },
    { source: 'shaped', target: 'both', targetHandle: 'shaped' },
    { source: 'both', target: 'after', targetHandle: 'prompt' },
    { source: 'after', target: 'out', targetHandle: 'value' },
  ],
})

const approval = (data: object = {}) =>
  around({ type: 'wait.approval', data: { title: 'Publish?', ...data } }, 'approved')
const delay = (seconds: number) => around({ type: 'wait.delay', data: { seconds } }, 'value')

const isAsleep = async (db: Db, id: string) => (await rowOf(db, id)).wake_at !== null

export const answer = (db: Db, account: string, runId: string, given: WaitAnswer) =>
  db.transaction(async (tx) => {
    const woken = await wakeRun(tx, account, runId)
    const [open] = (await waitsOfRun(tx, account, runId)).filter(({ status }) => status === 'OPEN')
    const wait = open && (await findWait(tx, account, runId, open.id))
    if (!woken?.canBeAnswered || !wait) return false
    const held = JSON.stringify(given)
    await answerWait(tx, wait, { held, by: 'somebody', from: null, nowMs: Date.now() })
    return true
  })

/** Time passes: what is due in an hour is due now. */
const makeDue = (db: Db) =>
  db.writeAll(() => [
    { sql: `update runs set wake_at = 1 where wake_at is not null`, rows: [[]] },
    { sql: `update waits set expires_at = 1 where status = 'OPEN'`, rows: [[]] },
  ])

for (const { name, open } of databases) {
  describe(name, () => {
    async function begin(graph: Parameters<typeof addWorkflow>[2]) {
      const database = await open({ migrations })
      const { db } = database
      const account = newAccount()
      const provider = countingProvider()
      const process = await startProcess(db, provider)
      const workflow = await addWorkflow(db, account, graph)
      const start = () => addRun(db, account, workflow, { inputs: '{"in":"a"}' })
      return {
        ...{ db, account, provider, process, start },
        async [Symbol.asyncDispose]() {
          await process.worker.stop()
          await database[Symbol.asyncDispose]()
        },
      }
    }

    test('a run that only waits is released, and an answer continues it without repeating a call', async () => {
      await using setting = await begin(approval())
      const { db, account, provider } = setting
      const id = await setting.start()
      await until(() => isAsleep(db, id))
      const asleep = await rowOf(db, id)
      assert.deepEqual([asleep.owner, asleep.status], [null, 'RUNNING'])
      assert.equal(await answer(db, account, id, { decision: 'approve' }), true)
      await until(async () => (await rowOf(db, id)).completed_at !== null)
      const ended = await rowOf(db, id)
      assert.equal(ended.status, 'COMPLETED', JSON.stringify(ended.node_errors))
      assert.deepEqual(JSON.parse(ended.outputs ?? ''), { out: 'a+ a+!+' })
      assert.deepEqual(
        [...provider.asked],
        [
          ['a', 1],
          ['a+ a+!', 1],
        ],
      )
    })

    test('a delay that is over wakes its run, and passes on the value', async () => {
      await using setting = await begin(delay(3_600))
      const { db, account } = setting
      const id = await setting.start()
      await until(() => isAsleep(db, id))
      await makeDue(db)
      await until(async () => (await rowOf(db, id)).completed_at !== null)
      const ended = await rowOf(db, id)
      assert.deepEqual(JSON.parse(ended.outputs ?? ''), { out: 'a+ a+!+' })
      const [wait] = await waitsOfRun(db, account, id)
      assert.equal(wait?.status, 'PASSED')
    })

    test('a short delay is waited for without a sleep', async () => {
      await using setting = await begin(delay(1))
      const { db } = setting
      const id = await setting.start()
      await until(async () => (await rowOf(db, id)).completed_at !== null)
      const ended = await rowOf(db, id)
      assert.deepEqual([ended.status, ended.slept_epoch], ['COMPLETED', 0])
    })

    test('an approval that nobody gives in time takes the branch expired', async () => {
      await using setting = await begin(
        around({ type: 'wait.approval', data: { title: 'Publish?' } }, 'expired'),
      )
      const { db, account } = setting
      const id = await setting.start()
      await until(() => isAsleep(db, id))
      await makeDue(db)
      await until(async () => (await rowOf(db, id)).completed_at !== null)
      assert.deepEqual(JSON.parse((await rowOf(db, id)).outputs ?? ''), { out: 'a+ a+!+' })
      assert.equal(await answer(db, account, id, { decision: 'approve' }), false)
    })

    test('a sleeping run that is cancelled has ended at once, and nobody can answer it', async () => {
      await using setting = await begin(approval())
      const { db, account } = setting
      const id = await setting.start()
      await until(() => isAsleep(db, id))
      const cancelled = await db.transaction((tx) =>
        requestCancel(tx, account, id, { reason: null, nowMs: Date.now() }),
      )
      assert.deepEqual([cancelled?.row.status, cancelled?.endedNow], ['CANCELLED', true])
      assert.equal(await answer(db, account, id, { decision: 'approve' }), false)
      const [wait] = await waitsOfRun(db, account, id)
      assert.equal(wait?.status, 'CANCELLED')
    })
  })
}
