// What a sleep costs, and what it does not count against.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { systemClock } from '#core/clock.ts'
import { createRunSubmitter } from '#engine/runs/submit-run.ts'
import type { Db, Statement, Tx } from '#store/db.ts'
import { waitsOfRun, wakeRun } from '#store/tables/waits.ts'
import { databases } from '../../support/databases.ts'
import {
  addRun,
  addWorkflow,
  countingProvider,
  migrations,
  newAccount,
  rowOf,
  runsOn,
  startProcess,
  submit,
  until,
} from './setting.ts'
import { answer, approval, isAsleep } from './sleeping.ts'

/** The same database, which notes the statements of each commit. */
function noting(db: Db) {
  const commits: string[] = []
  const textOf = ({ sql, rows }: Statement) =>
    rows.length > 0 ? `${sql} ${JSON.stringify(rows)}` : ''
  const noted: Db = {
    ...db,
    async write(sql, params) {
      const rows = await db.write(sql, params)
      commits.push(`${sql} ${JSON.stringify(params)}`)
      return rows as never
    },
    async writeAll(statements, options) {
      let text = ''
      const rows = await db.writeAll(() => {
        const all = statements()
        text = all.map(textOf).join('\n')
        return all
      }, options)
      commits.push(text)
      return rows
    },
    async transaction(work, options) {
      let texts: string[] = []
      const value = await db.transaction((tx) => {
        texts = []
        const own: Tx = {
          ...tx,
          write(sql, params) {
            texts.push(`${sql} ${JSON.stringify(params)}`)
            return tx.write(sql, params)
          },
          run(statement) {
            texts.push(textOf(statement))
            return tx.run(statement)
          },
        }
        return work(own)
      }, options)
      commits.push(texts.join('\n'))
      return value
    },
  }
  return { noted, commits }
}

const delayUntil = (value: string) => ({
  nodes: [
    { id: 'in', type: 'input.text', data: { default: value, required: false } },
    { id: 'wait', type: 'wait.delay', data: { until: '{{value}}' } },
    { id: 'at', type: 'output', data: {} },
  ],
  connections: [
    { source: 'in', target: 'wait', targetHandle: 'value' },
    { source: 'wait', sourceHandle: 'at', target: 'at', targetHandle: 'value' },
  ],
})

for (const { name, open } of databases) {
  describe(`a run that sleeps (${name})`, () => {
    test('takes three commits to fall asleep, to be answered and to wake', async () => {
      await using database = await open({ migrations })
      const { noted, commits } = noting(database.db)
      const account = newAccount()
      const process = await startProcess(noted, countingProvider())
      const workflow = await addWorkflow(noted, account, approval())
      const id = await addRun(noted, account, workflow, { inputs: '{"in":"a"}' })
      await until(() => isAsleep(noted, id))
      // As they are by the time that anything wakes it; the log of steps moves them by itself.
      await process.steps.inRows([id])
      await answer(noted, account, id, { decision: 'approve' })
      await until(async () => (await rowOf(noted, id)).completed_at !== null)
      await process.worker.stop()
      const isMove = (text: string) => text.startsWith('select id from step_log')
      const about = commits.filter(
        (text) => !isMove(text) && (text.includes(id) || text.includes(account)),
      )
      const opened = about.findIndex((text) => text.includes('insert into waits'))
      const goesOn = about.findIndex((text) => text.includes('after#0'))
      const between = about.slice(opened + 1, goesOn)
      assert.ok(opened >= 0 && goesOn > opened)
      assert.ok(between.length <= 3, between.join('\n\n'))
      assert.match(between[0] ?? '', /slept_epoch = runs\.epoch/)
      assert.match(between[1] ?? '', /status = 'ANSWERED'/)
    })

    test('leaves the queue to runs that have not begun, also once it is woken', async () => {
      await using database = await open({ migrations })
      const { db } = database
      const account = newAccount()
      const workflow = await addWorkflow(db, account, approval())
      const process = await startProcess(db, countingProvider())
      const id = await addRun(db, account, workflow, { inputs: '{"in":"a"}' })
      await until(() => isAsleep(db, id))
      await process.worker.stop()
      const limits = { maxQueued: 1, queueTimeoutMs: 60_000 }
      const submitRun = createRunSubmitter({ runs: runsOn(db), clock: systemClock, ...limits })
      const first = await submit({ submitRun }, account, workflow, { key: 'asleep' })
      assert.equal(first.isNew, true)
      await db.write(`delete from runs where id = $1`, [first.id])
      await db.transaction((tx) => wakeRun(tx, account, id))
      const woken = await rowOf(db, id)
      assert.deepEqual([woken.owner, woken.wake_at], [null, null])
      assert.equal((await submit({ submitRun }, account, workflow, { key: 'woken' })).isNew, true)
      const refused = submit({ submitRun }, account, workflow, { key: 'second' })
      await assert.rejects(refused, { code: 'QUOTA_EXCEEDED' })
    })

    for (const [what, daysAway, status] of [
      ['over at once', -400, 'COMPLETED'],
      ['refused if it is more than a year away', 366, 'FAILED'],
    ] as const) {
      test(`for a time of its own: it is ${what}`, async () => {
        await using database = await open({ migrations })
        const { db } = database
        const account = newAccount()
        const process = await startProcess(db, countingProvider())
        const time = new Date(Date.now() + daysAway * 86_400_000).toISOString()
        const id = await addRun(db, account, await addWorkflow(db, account, delayUntil(time)))
        await until(async () => (await rowOf(db, id)).completed_at !== null)
        const ended = await rowOf(db, id)
        assert.deepEqual([ended.status, ended.slept_epoch], [status, 0])
        const waits = await waitsOfRun(db, account, id)
        if (status === 'COMPLETED') assert.deepEqual(JSON.parse(ended.outputs ?? ''), { at: time })
        else {
          assert.deepEqual(waits, [])
          assert.equal(ended.node_errors?.[0]?.code, 'TYPE_MISMATCH')
          assert.match(ended.node_errors?.[0]?.message ?? '', /more than a year away/)
        }
        await process.worker.stop()
      })
    }
  })
}
