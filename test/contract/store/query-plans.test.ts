import assert from 'node:assert/strict'
import { mkdtempDisposable } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { fileURLToPath } from 'node:url'
import type { Param, Reader } from '#store/db.ts'
import { migrate } from '#store/migrate.ts'
import { openSqlite } from '#store/sqlite/database.ts'
import { sqliteDialect } from '#store/sqlite/dialect.ts'
import {
  type ClaimedRow,
  type ClaimRules,
  claimStatement,
  queuesWithWork,
} from '#store/tables/claims.ts'
import { deliveryClaims } from '#store/tables/delivery-claims.ts'
import { countLiveRuns, shareByWorkflow } from '#store/tables/live-work.ts'
import { runClaims } from '#store/tables/run-work.ts'
import { countQueuedRuns } from '#store/tables/runs.ts'
import { accountsWithDueRuns, countSleepingRuns, dueClaims } from '#store/tables/sleeping-runs.ts'
import { taskClaims } from '#store/tables/tasks.ts'

const migrations = fileURLToPath(new URL('../../../src/store/migrations', import.meta.url))
const account = '0197f000-0000-7000-8000-000000000001'

const claims = [
  { rules: taskClaims, times: [1, 2, 3] },
  { rules: runClaims, times: [1, 2] },
  { rules: deliveryClaims, times: [] },
]
const planned = { owner: 'w', queue: account, limit: 10, room: 10 }
const own = { isShared: false, dialect: sqliteDialect }

// These are asked with every submission or claim, and their answer is small. A plan that walks
// through the account's history makes each of them slower with every run there ever was.
describe('on SQLite, what is asked again and again', () => {
  type Read = [what: string, index: string, read: (db: Reader) => Promise<unknown>]
  const reads: Read[] = [
    ['whether runs wait', 'runs_claimable', (db) => countQueuedRuns(db, account, 100)],
    ['how many runs have not begun', 'runs_unbegun', (db) => countQueuedRuns(db, account, 100)],
    ['how many runs sleep', 'runs_asleep_by_account', (db) => countSleepingRuns(db, account, 100)],
    ['which runs a worker has', 'runs_owned', (db) => countLiveRuns(db, account)],
    ['whose runs a worker has', 'runs_owned', (db) => shareByWorkflow(db, account)],
    ['whose runs are due', 'runs_asleep', accountsWithDueRuns],
    [
      'which runs of an account are due',
      'runs_asleep_by_account',
      (db) => {
        const { sql, rows } = claimStatement(own, dueClaims(sqliteDialect), planned, [1, 2])
        return db.query(sql, rows[0])
      },
    ],
    ...claims.flatMap(({ rules, times }): Read[] => {
      const { sql, rows } = claimStatement(own, rules as ClaimRules<ClaimedRow>, planned, times)
      const index = `${rules.table}_claimable`
      return [
        [`where ${rules.table} wait`, index, (db) => queuesWithWork(db, rules, null, 10)],
        [`which ${rules.table} to claim`, index, (db) => db.query(sql, rows[0])],
      ]
    }),
  ]
  for (const [what, index, read] of reads) {
    it(`is read from an index of the few rows it is about: ${what}`, async () => {
      await using folder = await mkdtempDisposable(join(tmpdir(), 'atelier-plans-'))
      await using db = openSqlite({ path: join(folder.path, 'a.db') })
      await migrate(db, migrations)
      const plans: string[] = []
      await read({
        dialect: sqliteDialect,
        async query<Row>(sql: string, params?: readonly Param[]): Promise<Row[]> {
          const lines = await db.query<{ detail: string }>(`explain query plan ${sql}`, params)
          plans.push(...lines.map(({ detail }) => detail))
          // A claim is looked at, and not made.
          return sql.startsWith('update') ? [] : db.query<Row>(sql, params)
        },
      })
      assert.match(plans.join('\n'), new RegExp(`SEARCH \\w+ USING.* INDEX ${index}`))
    })
  }
})
