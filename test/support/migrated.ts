// An empty, migrated database of each kind, of which tests open copies: copying takes a fifth of the
// time of migrating.
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import postgres from 'postgres'
import { migrate } from '#store/migrate.ts'
import { openPostgres } from '#store/postgres/database.ts'
import { openSqlite } from '#store/sqlite/database.ts'

export const ownMigrations = fileURLToPath(new URL('../../src/store/migrations', import.meta.url))

/** Its name on the shared server. */
export const migratedName = 'migrated'
/** Its SQLite file, if there is one. */
export const migratedFile = () => process.env.ATELIER_TEST_SQLITE

/** Returns the environment variables for the test files, like the next one. */
export async function migratedSqlite(folder: string) {
  const path = join(folder, 'migrated.db')
  await using db = openSqlite({ path })
  await migrate(db, ownMigrations)
  return { ATELIER_TEST_SQLITE: path }
}

export async function migratedPostgres(serverUrl: string) {
  await administer(serverUrl, `create database ${migratedName} template template0`)
  const db = openPostgres({ url: onServer(serverUrl, migratedName), poolSize: 1 })
  await migrate(db, ownMigrations)
  await db.close()
  // PostgreSQL cannot copy a database while anything, such as autovacuum, is connected to it.
  await administer(serverUrl, `alter database ${migratedName} allow_connections false`)
  return { ATELIER_TEST_POSTGRES: serverUrl }
}

export async function administer(serverUrl: string, statement: string): Promise<void> {
  const client = postgres(serverUrl, { max: 1, connect_timeout: 120, onnotice: () => {} })
  await client.unsafe(statement)
  await client.end()
}

export function onServer(serverUrl: string, database: string): string {
  const url = new URL(serverUrl)
  url.pathname = database
  return url.href
}
