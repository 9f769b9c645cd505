import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { type Db, StoreUnavailable } from '#store/db.ts'
import { databases } from '../../support/databases.ts'
import {
  addRun,
  addWorkflow,
  countingProvider,
  migrations,
  newAccount,
  startProcess,
  until,
} from './setting.ts'

const text = (id: string) => ({ id, type: 'text.generate', data: { model: 'm' } })
const input = (id: string) => ({ id, type: 'input.text', data: {} })
const pair = {
  nodes: [input('a'), input('b'), text('first'), text('second')],
  connections: [
    { source: 'a', target: 'first', targetHandle: 'prompt' },
    { source: 'b', target: 'second', targetHandle: 'prompt' },
  ],
}

/** Where several processes share the database: one alone does not try its writes again. */
const shared = databases.filter(({ name }) => name === 'postgres')

for (const { name, open } of shared) {
  describe(`a run on ${name} that its worker gives up`, () => {
    test('is released only after what was recorded of it, which nobody may write later', async () => {
      await using opened = await open({ migrations })
      const { db } = opened
      const accountId = newAccount()
      const workflow = await addWorkflow(db, accountId, pair)
      const provider = countingProvider()
      const away = { results: true }
      const seen: string[] = []
      const gone = Promise.withResolvers<never>()
      let attempts = 0
      const ledgerOn: Db = {
        ...db,
        // The second of the two calls is never made, because its attempt cannot be stored.
        transaction: (work, options) =>
          ++attempts === 2 ? gone.promise : db.transaction(work, options),
      }
      const worker = await startProcess(watched(db, away, seen), provider, { ledgerOn })
      await using _buried = { [Symbol.asyncDispose]: worker.bury }
      await addRun(db, accountId, workflow, { inputs: '{"a":"x","b":"y"}' })
      await until(() => seen.includes('result refused'))
      gone.reject(new StoreUnavailable('away'))
      await until(() => seen.length > 2)
      away.results = false
      await until(() => seen.some((what) => what.startsWith('released')))
      assert.ok(!seen.includes('released before its result'))
    })
  })
}

/** Refuses results while they are away, and notes when the run is released. */
function watched(db: Db, away: { results: boolean }, seen: string[]): Db {
  return {
    ...db,
    async writeAll(statements, options) {
      const isResult = statements().some(
        ({ sql, rows }) => sql.startsWith('update steps') && rows.length > 0,
      )
      if (!isResult || !away.results) return db.writeAll(statements, options)
      seen.push('result refused')
      throw new StoreUnavailable('away')
    },
    transaction: (work, options) =>
      db.transaction(
        (tx) =>
          work({
            ...tx,
            async write(sql, params) {
              if (sql.includes('releases = $5')) {
                const stored = await tx.query(`select 1 from steps where status = 'DONE'`)
                seen.push(`released ${stored.length > 0 ? 'after' : 'before'} its result`)
              }
              return tx.write(sql, params)
            },
          }),
        options,
      ),
  }
}
