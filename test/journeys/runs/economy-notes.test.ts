// How a call of a run with a deadline went is noted beside its step. If that cannot be stored, the
// answer, which is paid, is kept all the same.
import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test } from 'node:test'
import type { Db } from '#store/db.ts'
import { connectSqlite } from '#store/sqlite/connection.ts'
import { databases } from '../../support/databases.ts'
import { price, startBatchDouble } from '../../support/provider-doubles/batches.ts'
import { type Bench, openBench } from '../generation/setting.ts'
import { addWorkflow, ended, graph, started } from './setting.ts'

const pricing = { inputPerMillionTokens: 2, outputPerMillionTokens: 8 }
const models = {
  models: [
    { id: 'test/alone', provider: 'openai', kind: 'TEXT', pricing },
    { id: 'test/flex', provider: 'openai', kind: 'TEXT', pricing, flex: true },
  ],
}

/** No such note can be stored any more. */
async function refuseNotes({ db, dataDir }: Bench, database: Db['kind']) {
  if (database === 'postgres') {
    const check = `check (status not in ('FLEX', 'NORMAL')) not valid`
    await (db as Db).write(`alter table economy_calls add constraint no_notes ${check}`)
    return
  }
  const pragmas = ['busy_timeout = 5000']
  using connection = connectSqlite(join(dataDir, 'atelier.db'), { readOnly: false, pragmas })
  connection.all(`create trigger no_notes before insert on economy_calls
    when new.status in ('FLEX', 'NORMAL') begin select raise(abort, 'no notes'); end`)
}

for (const { name: database } of databases) {
  test(`an answer is not lost because its note was not stored, on ${database}`, async (t) => {
    const vendor = await startBatchDouble()
    t.after(() => vendor[Symbol.asyncDispose]())
    const bench = await openBench(t, { database, doubles: [], models, env: vendor.env })
    await refuseNotes(bench, database)
    const deadlineAt = new Date(Date.now() + 3_600_000).toISOString()
    const run = async (model: string, prompt: string) => {
      const node = { id: 'write', type: 'text.generate', data: { model, prompt } }
      const flow = await addWorkflow(bench, graph([node]))
      const done = await ended(bench, await started(bench, flow, { lane: 'economy', deadlineAt }))
      assert.equal(done.status, 'COMPLETED', `${prompt}: ${JSON.stringify(done.nodeErrors)}`)
      return Math.round(done.cost.amount * 1e6)
    }
    assert.equal(await run('test/flex', 'by the tier'), price.batched)
    vendor.flexes = ['unknown']
    assert.equal(await run('test/flex', 'no such tier'), price.alone)
    assert.equal(await run('test/alone', 'at once'), price.alone)
    assert.deepEqual([vendor.flexed.size, vendor.alone.size], [1, 2])
  })
}
