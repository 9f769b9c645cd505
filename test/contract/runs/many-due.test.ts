import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { Db } from '#store/db.ts'
import { databases } from '../../support/databases.ts'
import {
  addRun,
  addWorkflow,
  allEnded,
  countingProvider,
  migrations,
  newAccount,
  rowOf,
  startProcess,
  until,
} from './setting.ts'
import { isAsleep, makeDue } from './sleeping.ts'

const count = async (db: Db, account: string, where: string): Promise<number> => {
  const [row] = await db.query<{ n: number }>(
    `select count(*) as n from runs where account_id = $1 and ${where}`,
    [account],
  )
  return row?.n ?? 0
}

const graph = (seconds: number) => ({
  nodes: [
    { id: 'in', type: 'input.text', data: {} },
    { id: 'wait', type: 'wait.delay', data: { seconds } },
    { id: 'after', type: 'text.generate', data: { model: 'm' } },
  ],
  connections: [
    { source: 'in', target: 'wait', targetHandle: 'value' },
    { source: 'wait', sourceHandle: 'value', target: 'after', targetHandle: 'prompt' },
  ],
})

/** Copies of a run that sleeps, with its step and its wait, due at once. */
async function addSleepers(db: Db, id: string, copies: number): Promise<void> {
  type Cells = Record<string, string | number | null>
  const [run] = await db.query<Cells>('select * from runs where id = $1', [id])
  const [wait] = await db.query<Cells>('select * from waits where run_id = $1', [id])
  const insert = (table: string, row: Cells) =>
    db.dialect.insertRows(table, Object.keys(row), [Object.values(row)])
  const step = { path: 'wait#0', kind: 'WAIT', status: 'STARTED', attempts: 1, started_at: 1 }
  await db.writeAll(() =>
    Array.from({ length: copies }, (_, i) => {
      const copy = { id: newAccount(), seq: 1000 + i, idempotency_key: `copy ${i}` }
      return [
        insert('runs', { ...run, ...copy, wake_at: 1 }),
        insert('steps', { ...step, run_id: copy.id }),
        insert('waits', { ...wait, id: newAccount(), run_id: copy.id, expires_at: 1 }),
      ]
    }).flat(),
  )
}

for (const { name, open } of databases) {
  describe(name, () => {
    test('of runs that are due at once, an account has no more awake than slots, and others go first', async () => {
      await using database = await open({ migrations })
      const { db } = database
      const provider = countingProvider()
      provider.held.add('held')
      const [flooding, modest] = [newAccount(), newAccount()]
      const process = await startProcess(db, provider, { activePerAccount: 5 })
      const sleeper = async (account: string, input: string) => {
        const workflow = await addWorkflow(db, account, graph(3_600))
        const id = await addRun(db, account, workflow, { inputs: JSON.stringify({ in: input }) })
        await until(() => isAsleep(db, id))
        return id
      }
      const first = await sleeper(flooding, 'held')
      const late = await sleeper(modest, 'quick')
      // More than are looked at together, all of them due before the other account's.
      await addSleepers(db, first, 210)
      await until(async () => (await count(db, flooding, 'owner is not null')) === 5)
      await db.writeAll(() => [
        { sql: 'update runs set wake_at = 2 where id = $1', rows: [[late]] },
        { sql: 'update waits set expires_at = 2 where run_id = $1', rows: [[late]] },
      ])
      await until(async () => (await rowOf(db, late)).status === 'COMPLETED')
      assert.equal(await count(db, flooding, 'wake_at is not null'), 206, 'the others sleep')
      assert.equal(await count(db, flooding, 'owner is not null'), 5)
      // One that begins waits for a slot of its account, and not for all sleepers.
      const workflow = await addWorkflow(db, flooding, graph(1))
      const fresh = await addRun(db, flooding, workflow, { inputs: '{"in":"held"}' })
      provider.open('held')
      await until(async () => (await rowOf(db, fresh)).started_at !== null)
      await makeDue(db)
      await allEnded(db)
      assert.equal(await count(db, flooding, `status = 'COMPLETED'`), 212)
      await process.worker.stop()
    })
  })
}
