// The end of a run is not stored behind results of it that were not: its calls would count as begun
// for ever, and what they were paid for would be found by nobody.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { Db, Statement } from '#store/db.ts'
import { databases } from '../../support/databases.ts'
import { payloadsInRows } from '../../support/payloads-in-rows.ts'
import {
  addRun,
  addWorkflow,
  chain,
  countingProvider,
  migrations,
  newAccount,
  rowOf,
  startProcess,
  until,
} from './setting.ts'

/**
 * Refuses, once, to store the end of a call, with everything that is written in the same commit.
 * `told`: whoever wrote it has learnt that.
 */
function refusingAResult(db: Db) {
  let refused = 0
  const { promise: told, resolve: tell } = Promise.withResolvers<void>()
  const refuse: Statement = { sql: 'insert into nowhere (id) values ($1)', rows: [[1]] }
  const isResult = ({ sql, rows }: Statement) =>
    /into steps|into step_log|update steps/.test(sql) && JSON.stringify(rows).includes('DONE')
  const refusing: Db = {
    ...db,
    writeAll: (statements, options) =>
      db
        .writeAll(() => {
          const made = statements()
          if (refused > 0 || !made.some(isResult)) return made
          refused++
          return [...made, refuse] as never
        }, options)
        .finally(() => refused > 0 && setImmediate(tell)),
  }
  return { db: refusing, refused: () => refused, told }
}

for (const { name, open } of databases) {
  describe(`on ${name}, a run of which a result could not be stored`, () => {
    test('does not end behind it, and is tried again', async () => {
      await using opened = await open({ migrations })
      const refusing = refusingAResult(opened.db)
      const accountId = newAccount()
      const workflow = await addWorkflow(opened.db, accountId, chain(1))
      const process = await startProcess(refusing.db, countingProvider())
      // The end of a run with a webhook is written behind that of its call, and not with it.
      const callback_url = 'https://example.com/hook'
      const id = await addRun(opened.db, accountId, workflow, {
        inputs: '{"in":"x"}',
        callback_url,
      })
      await until(
        async () => refusing.refused() === 1 && (await rowOf(opened.db, id)).owner === null,
      )
      const row = await rowOf(opened.db, id)
      assert.deepEqual([row.status, row.completed_at, row.releases], ['RUNNING', null, 1])
      await process.bury()
    })

    test('does not end behind it either if its outputs take longer to be stored', async () => {
      await using opened = await open({ migrations })
      const refusing = refusingAResult(opened.db)
      const accountId = newAccount()
      const workflow = await addWorkflow(opened.db, accountId, chain(1))
      const process = await startProcess(refusing.db, countingProvider(), {
        payloads: {
          ...payloadsInRows,
          async put(account, json) {
            await refusing.told
            return payloadsInRows.put(account, json)
          },
        },
      })
      const id = await addRun(opened.db, accountId, workflow, { inputs: '{"in":"x"}' })
      await until(
        async () => refusing.refused() === 1 && (await rowOf(opened.db, id)).owner === null,
      )
      const row = await rowOf(opened.db, id)
      assert.deepEqual([row.status, row.completed_at, row.releases], ['RUNNING', null, 1])
      await process.bury()
    })
  })
}
