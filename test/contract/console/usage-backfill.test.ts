import assert from 'node:assert/strict'
import { cp, mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { migrate } from '#store/migrate.ts'
import { usageBuckets, usageTotal } from '#store/tables/usage.ts'
import { databases } from '../../support/databases.ts'
import { addRun } from './ledger-rows.ts'
import { migrations } from './people.ts'

const quarterMs = 15 * 60_000

for (const { name, open } of databases) {
  test(`calls made before usage was summed are in the sums on ${name}`, async () => {
    const older = await mkdtemp(join(tmpdir(), 'atelier-migrations-'))
    for (const file of await readdir(migrations)) {
      if (file < '0018') await cp(join(migrations, file), join(older, file))
    }
    await using opened = await open({ migrations: older })
    await rm(older, { recursive: true })
    const { db } = opened
    const accountId = crypto.randomUUID()
    const runId = await addRun(db, accountId, 5)
    const add = (settledAt: number | null, outcome: string, units: object, run: string | null) =>
      db.write(
        `insert into ledger (attempt, account_id, run_id, operation, provider, model, units,
           reserved_micros, cost_micros, outcome, created_at, settled_at)
         values ($1, $2, $3, 'chat', 'p', 'm', $4, 0, $5, $6, 0, $7)`,
        [
          crypto.randomUUID(),
          accountId,
          run,
          settledAt === null ? null : JSON.stringify(units),
          settledAt === null ? null : 40,
          outcome,
          settledAt,
        ],
      )
    await add(quarterMs, 'SUCCEEDED', { inputTokens: 3, outputTokens: 2, videoSeconds: 1.5 }, runId)
    await add(2 * quarterMs - 1, 'FAILED', { inputTokens: 1e300, images: 2 }, null)
    await add(2 * quarterMs, 'REJECTED', {}, null)
    await add(null, 'PENDING', {}, null)
    await migrate(db, migrations)
    const span = { fromMs: 0, toMs: 10 * quarterMs }
    assert.deepEqual(await usageTotal(db, accountId, span), {
      calls: 3,
      failed: 2,
      input_tokens: 1e12 + 3,
      cached_input_tokens: 0,
      cache_write_tokens: 0,
      output_tokens: 2,
      reasoning_tokens: 0,
      images: 2,
      video_ms: 1_500,
      cost_micros: 120,
      own_keys_micros: 0,
    })
    const options = { split: 'workflow', leaders: ['5'], unitMs: quarterMs } as const
    const rows = await usageBuckets(db, accountId, { ...span, offsetMs: 0 }, options)
    assert.deepEqual(
      rows.map(({ bucket, series, calls }) => [bucket, series, calls]).sort(),
      [
        [1, '5', 1],
        [1, null, 1],
        [2, null, 1],
      ].sort(),
    )
  })
}
