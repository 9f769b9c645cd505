import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { uuidV7 } from '#core/ids.ts'
import type { Db } from '#store/db.ts'
import { migrate } from '#store/migrate.ts'
import { openPostgres } from '#store/postgres/database.ts'
import { openSqlite } from '#store/sqlite/database.ts'
import { listTasks } from '#store/tables/tasks.ts'
import { startPostgres } from '../test/support/postgres-server.ts'
import type { Row } from './report.ts'

const migrations = fileURLToPath(new URL('../src/store/migrations', import.meta.url))
const few = 1_000
const many = 1_000_000
const size = 50
const reads = 400

/** Compares the first and last page of a million tasks with those of a thousand. */
export async function benchTaskList(dataDir: string): Promise<Row[]> {
  const rows = await measure(openSqlite({ path: join(dataDir, 'list.db') }))
  const server = await startPostgres({ fsync: 'off' })
  try {
    rows.push(...(await measure(openPostgres({ url: server.url, poolSize: 4 }))))
  } finally {
    await server.stop()
  }
  return rows
}

async function measure(db: Db): Promise<Row[]> {
  await migrate(db, migrations)
  const small = uuidV7(Date.now())
  const large = uuidV7(Date.now())
  await fill(db, small, few)
  await fill(db, large, many)
  if (db.kind === 'postgres') await db.query('vacuum analyze tasks')
  const lastPage = (count: number) => Math.ceil(count / size)
  const base = await p99(db, small, 1)
  const rows: Row[] = []
  for (const [name, page] of [
    ['page 1', 1],
    ['last page', lastPage(many)],
  ] as const) {
    const ms = await p99(db, large, page)
    rows.push({
      name: `${db.kind}: ${name} of 1,000,000 tasks, p99`,
      value: `${ms.toFixed(2)} ms`,
      limit: `page 1 of 1,000 tasks ${base.toFixed(2)} ms`,
      ratio: ms / base,
      goal: '≤ 3',
      isMet: ms / base <= 3,
    })
  }
  await db.close()
  return rows
}

/** Inserts rows like those of submissions, generated inside the database. */
async function fill(db: Db, accountId: string, count: number) {
  const step = 50_000
  for (let from = 0; from < count; from += step) {
    const to = Math.min(count, from + step)
    const id =
      db.kind === 'postgres'
        ? `gen_random_uuid()`
        : `lower(hex(randomblob(4)) || '-' || hex(randomblob(2)) || '-7' || substr(hex(randomblob(2)), 2) || '-8' || substr(hex(randomblob(2)), 2) || '-' || hex(randomblob(6)))`
    const account = db.kind === 'postgres' ? '$3::uuid' : '$3'
    await db.write(
      `with recursive n(i) as (select cast($1 as bigint) + 1 union all select i + 1 from n where i < $2)
       insert into tasks (id, account_id, seq, kind, status, model, prompt_preview, request, source, created_at,
         started_at, completed_at, media, cost_micros, reserved_micros, stage, attempts, epoch, run_at, deadline_at)
       select ${id}, ${account}, i, 'IMAGE', 'COMPLETED', 'demo-image', 'a picture', '{"prompt":"a picture"}', 'DIRECT', i,
         i, i, '[]', 0, 0, 'SUBMITTED', 1, 1, i, i from n`,
      [from, to, accountId],
    )
  }
  await db.write(
    `insert into account_sequences (account_id, list, last_seq, removed_seq, last_created_at) values ($1, 'tasks', $2, 0, $2)`,
    [accountId, count],
  )
}

async function p99(db: Db, accountId: string, page: number): Promise<number> {
  const times: number[] = []
  for (let i = 0; i < reads; i++) {
    const startedAt = performance.now()
    const { rows } = await listTasks(db, accountId, { page, size })
    if (rows.length !== size) throw new Error(`page ${page} has ${rows.length} rows`)
    if (i >= reads / 10) times.push(performance.now() - startedAt)
  }
  return times.toSorted((a, b) => a - b)[Math.floor(times.length * 0.99)] ?? 0
}
