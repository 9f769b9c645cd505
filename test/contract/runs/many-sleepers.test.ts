import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Db, Param, Tx } from '#store/db.ts'
import { abandonedChatIntents } from '#store/journals/chat-intents.ts'
import { abandonedChats } from '#store/tables/ledger.ts'
import { accountsWithDueRuns, passWaits } from '#store/tables/sleeping-runs.ts'
import { takeExpiredWorkers } from '#store/tables/workers.ts'
import { databases } from '../../support/databases.ts'
import { addRun, addWorkflow, chain, migrations, newAccount } from './setting.ts'

test('PostgreSQL looks for runs that are due in the index, however many sleep', async () => {
  const database = await databases.find(({ name }) => name === 'postgres')?.open({ migrations })
  assert.ok(database)
  await using _ = database
  const { db } = database
  const account = newAccount()
  const id = await addRun(db, account, await addWorkflow(db, account, chain(1)))
  await db.write(`update runs set wake_at = ${db.dialect.nowMs} + 3600000`)
  // Copies of the one row, so that the planner has a choice.
  await db.write(
    `insert into runs select (r).* from (select jsonb_populate_record(t, jsonb_build_object(
         'id', gen_random_uuid(), 'seq', n + 1, 'idempotency_key', n::text)) as r
       from runs t, generate_series(1, 3000) as n where t.id = $1) as copies`,
    [id],
  )
  await db.write('analyze runs')
  let plan = ''
  const explained: Db = {
    ...db,
    async query<Row>(sql: string): Promise<Row[]> {
      const lines = await db.query<Record<string, string>>(`explain ${sql}`)
      plan = lines.map((line) => Object.values(line)[0]).join('\n')
      return []
    },
  }
  await accountsWithDueRuns(explained)
  assert.match(plan, /runs_asleep on runs[\s\S]*Index Cond: \(wake_at <=/)
})

test('PostgreSQL reads its clock once for a question about many rows', async () => {
  const database = await databases.find(({ name }) => name === 'postgres')?.open({ migrations })
  assert.ok(database)
  await using _ = database
  const { db } = database
  const plans: string[] = []
  const explain = async (sql: string, params?: readonly Param[]) => {
    const lines = await db.query<Record<string, string>>(`explain ${sql}`, params)
    plans.push(lines.map((line) => Object.values(line)[0]).join('\n'))
    return []
  }
  const explained = { ...db, query: explain, write: explain } as Db
  await abandonedChats(explained, 1, 1)
  await abandonedChatIntents(explained, 1, 1)
  await takeExpiredWorkers(explained as unknown as Tx, db, 'w')
  await passWaits(explained as unknown as Tx, [newAccount()])
  assert.equal(plans.length, 4)
  for (const plan of plans) assert.match(plan, /InitPlan/)
})
