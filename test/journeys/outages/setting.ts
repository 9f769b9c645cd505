import assert from 'node:assert/strict'
import type { TestContext } from 'node:test'
import type { Db } from '#store/db.ts'
import { databases } from '../../support/databases.ts'
import { ownMigrations } from '../../support/migrated.ts'
import { type PostgresProxy, startPostgresProxy } from '../../support/postgres-proxy.ts'
import { type Bench, type BenchOptions, openBench } from '../generation/setting.ts'

/** A server that reaches PostgreSQL through a proxy; `direct` bypasses the proxy. */
export async function openProxiedBench(
  t: TestContext,
  { env, ...options }: BenchOptions,
): Promise<Bench & { proxy: PostgresProxy; direct: Db }> {
  const opened = await databases
    .find(({ name }) => name === 'postgres')
    ?.open({ migrations: ownMigrations })
  assert.ok(opened && 'url' in opened.location)
  t.after(opened.close)
  const proxy = await startPostgresProxy(opened.location.url)
  t.after(proxy.close)
  const bench = await openBench(t, { ...options, env: { DATABASE_URL: proxy.url, ...env } })
  return { ...bench, db: opened.db, proxy, direct: opened.db }
}
