import { randomBytes } from 'node:crypto'
import { copyFile, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Db } from '#store/db.ts'
import { migrate } from '#store/migrate.ts'
import { openPostgres } from '#store/postgres/database.ts'
import { openSqlite } from '#store/sqlite/database.ts'
import { administer, migratedFile, migratedName, onServer, ownMigrations } from './migrated.ts'
import { startPostgres } from './postgres-server.ts'

export type TestDatabase = AsyncDisposable & {
  db: Db
  /** Where another process, or a second connection, finds the same data. */
  location: { path: string } | { url: string }
  /** Closes `db` and removes the data. */
  close(): Promise<void>
}

/** For tests that are not about time limits: on a busy machine a database may take its time. */
export const patientDatabase = { answerWithinMs: 120_000 }

type Options = { migrations?: string }
type Open = (options?: Options) => Promise<TestDatabase>

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
  const db = openPostgres({ url, poolSize: 8, ...patientDatabase })
  return prepared(db, { url }, drop, isCopied ? {} : options)
}

/** A new database on a server; `drop` works even if connections are still open. */
export async function createDatabase(serverUrl: string, template = 'template0') {
  const name = `test_${randomBytes(8).toString('hex')}`
  // Copying files takes a third of the time of writing every page to the log.
  await administer(serverUrl, `create database ${name} template ${template} strategy file_copy`)
  return {
    url: onServer(serverUrl, name),
    drop: () => administer(serverUrl, `drop database ${name} with (force)`),
  }
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
