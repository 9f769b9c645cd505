import { randomBytes } from 'node:crypto'
import { copyFile, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import postgres from 'postgres'
import type { Db } from '#store/db.ts'
import { migrate } from '#store/migrate.ts'
import { openPostgres } from '#store/postgres/database.ts'
import { openSqlite } from '#store/sqlite/database.ts'
import { startPostgres } from './postgres-server.ts'

export type TestDatabase = AsyncDisposable & {
  db: Db
  /** Where another process, or a second connection, finds the same data. */
  location: { path: string } | { url: string }
  /** Closes `db` and removes the data. */
  close(): Promise<void>
}

type Options = { migrations?: string }
type Open = (options?: Options) => Promise<TestDatabase>

const ownMigrations = fileURLToPath(new URL('../../src/store/migrations', import.meta.url))

/** An empty, migrated database: its name on the shared server, and the path of its SQLite file. */
const migratedName = 'migrated'
export const migratedFile = () => process.env.ATELIER_TEST_SQLITE

/**
 * Prepares a migrated database of each kind for many test files, which open copies of it: copying
 * takes a fifth of the time of migrating. Returns the environment variables for those files.
 */
export async function prepareMigrated(serverUrl: string, folder: string) {
  const path = join(folder, 'migrated.db')
  const administer = administrator(serverUrl)
  await administer(`create database ${migratedName} template template0`)
  const url = onServer(serverUrl, migratedName)
  for (const db of [openSqlite({ path }), openPostgres({ url, poolSize: 1 })]) {
    await migrate(db, ownMigrations)
    await db.close()
  }
  // PostgreSQL cannot copy a database while anything, such as autovacuum, is connected to it.
  await administer(`alter database ${migratedName} allow_connections false`)
  return { ATELIER_TEST_POSTGRES: serverUrl, ATELIER_TEST_SQLITE: path }
}

/** `open` creates a new, empty database and applies the migrations of a folder, if one is given. */
export const databases: readonly { name: Db['kind']; open: Open }[] = [
  { name: 'sqlite', open: openTestSqlite },
  { name: 'postgres', open: openTestPostgres },
]

async function openTestSqlite(options: Options = {}): Promise<TestDatabase> {
  const folder = await mkdtemp(join(tmpdir(), 'atelier-sqlite-'))
  const path = join(folder, 'test.db')
  const remove = () => rm(folder, { recursive: true, force: true })
  const migrated = migratedFile()
  if (migrated && options.migrations === ownMigrations) {
    await copyFile(migrated, path)
    return prepared(openSqlite({ path }), { path }, remove, {})
  }
  return prepared(openSqlite({ path }), { path }, remove, options)
}

let server: Promise<{ url: string }> | undefined

/** Without this variable, each test file starts its own server. */
const sharedServer = (): Promise<{ url: string }> => {
  const url = process.env.ATELIER_TEST_POSTGRES
  server ??= url ? Promise.resolve({ url }) : startPostgres({ fsync: 'off' })
  return server
}

async function openTestPostgres(options: Options = {}): Promise<TestDatabase> {
  const { url: serverUrl } = await sharedServer()
  const isCopied = migratedFile() !== undefined && options.migrations === ownMigrations
  const { url, drop } = await createDatabase(serverUrl, isCopied ? migratedName : 'template0')
  return prepared(openPostgres({ url, poolSize: 8 }), { url }, drop, isCopied ? {} : options)
}

/** A new database on a server; `drop` works even if connections are still open. */
export async function createDatabase(serverUrl: string, template = 'template0') {
  const name = `test_${randomBytes(8).toString('hex')}`
  const administer = administrator(serverUrl)
  await administer(`create database ${name} template ${template}`)
  return {
    url: onServer(serverUrl, name),
    drop: () => administer(`drop database ${name} with (force)`),
  }
}

const administrator = (serverUrl: string) => async (statement: string) => {
  const client = postgres(serverUrl, { max: 1, onnotice: () => {} })
  await client.unsafe(statement)
  await client.end()
}

function onServer(serverUrl: string, database: string): string {
  const url = new URL(serverUrl)
  url.pathname = database
  return url.href
}

async function prepared(
  db: Db,
  location: TestDatabase['location'],
  remove: () => Promise<void>,
  { migrations }: Options,
): Promise<TestDatabase> {
  const close = async () => {
    await db.close()
    await remove()
  }
  try {
    if (migrations) await migrate(db, migrations)
    return { db, location, close, [Symbol.asyncDispose]: close }
  } catch (error) {
    await close()
    throw error
  }
}
