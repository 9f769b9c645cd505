import { randomBytes } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import postgres from 'postgres'
import type { Db } from '#store/db.ts'
import { migrate } from '#store/migrate.ts'
import { openPostgres } from '#store/postgres/database.ts'
import { openSqlite } from '#store/sqlite/database.ts'
import { startPostgres } from './postgres-server.ts'

export type TestDatabase = AsyncDisposable & {
  db: Db
  /** Where another process, or a second opening, finds the same data. */
  location: { path: string } | { url: string }
  /** Closes `db` and removes the data. */
  close(): Promise<void>
}

type Open = (options?: { migrations?: string }) => Promise<TestDatabase>

/** Each opening is a new, empty database; with `migrations`, those of that folder are applied. */
export const databases: readonly { name: Db['kind']; open: Open }[] = [
  { name: 'sqlite', open: openTestSqlite },
  { name: 'postgres', open: openTestPostgres },
]

async function openTestSqlite(options: { migrations?: string } = {}): Promise<TestDatabase> {
  const folder = await mkdtemp(join(tmpdir(), 'atelier-sqlite-'))
  const path = join(folder, 'test.db')
  const remove = () => rm(folder, { recursive: true, force: true })
  return prepared(openSqlite({ path }), { path }, remove, options)
}

let server: Promise<{ url: string }> | undefined

/** Without this variable each test file starts a server of its own. */
const sharedServer = (): Promise<{ url: string }> => {
  const url = process.env.ATELIER_TEST_POSTGRES
  server ??= url ? Promise.resolve({ url }) : startPostgres({ fsync: 'off' })
  return server
}

async function openTestPostgres(options: { migrations?: string } = {}): Promise<TestDatabase> {
  const { url: serverUrl } = await sharedServer()
  const { url, drop } = await createDatabase(serverUrl)
  return prepared(openPostgres({ url, poolSize: 8 }), { url }, drop, options)
}

/** An empty database on a server; `drop` works although connections are left. */
export async function createDatabase(serverUrl: string) {
  const name = `test_${randomBytes(8).toString('hex')}`
  const administer = async (statement: string) => {
    const client = postgres(serverUrl, { max: 1, onnotice: () => {} })
    await client.unsafe(statement)
    await client.end()
  }
  await administer(`create database ${name} template template0`)
  const url = new URL(serverUrl)
  url.pathname = name
  return { url: url.href, drop: () => administer(`drop database ${name} with (force)`) }
}

async function prepared(
  db: Db,
  location: TestDatabase['location'],
  remove: () => Promise<void>,
  { migrations }: { migrations?: string },
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
