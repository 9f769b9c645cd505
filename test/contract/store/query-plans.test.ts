import assert from 'node:assert/strict'
import { mkdtempDisposable } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { fileURLToPath } from 'node:url'
import type { Param, Reader } from '#store/db.ts'
import { migrate } from '#store/migrate.ts'
import { openSqlite } from '#store/sqlite/database.ts'
import { countQueuedRuns } from '#store/tables/runs.ts'
import { countOwnedTasks } from '#store/tables/tasks.ts'

const migrations = fileURLToPath(new URL('../../../src/store/migrations', import.meta.url))
const account = '0197f000-0000-7000-8000-000000000001'

// These are asked with every submission or claim, and their answer is small. A plan that walks
// through the account's history makes each of them slower with every run there ever was.
describe('on SQLite, what is asked again and again', () => {
  const reads: [string, string, (db: Reader) => Promise<unknown>][] = [
    ['how many runs wait', 'runs_claimable', (db) => countQueuedRuns(db, account, 100)],
    ['how many tasks are worked on', 'tasks_active', (db) => countOwnedTasks(db, account)],
  ]
  for (const [what, index, read] of reads) {
    it(`is read from an index of the few rows it is about: ${what}`, async () => {
      await using folder = await mkdtempDisposable(join(tmpdir(), 'atelier-plans-'))
      await using db = openSqlite({ path: join(folder.path, 'a.db') })
      await migrate(db, migrations)
      const plans: string[] = []
      await read({
        dialect: db.dialect,
        async query<Row>(sql: string, params?: readonly Param[]): Promise<Row[]> {
          const lines = await db.query<{ detail: string }>(`explain query plan ${sql}`, params)
          plans.push(...lines.map(({ detail }) => detail))
          return db.query<Row>(sql, params)
        },
      })
      assert.match(plans.join('\n'), new RegExp(`SEARCH \\w+ USING.* INDEX ${index}`))
    })
  }
})
