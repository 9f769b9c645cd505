// An empty, migrated database of each kind, of which tests open copies: copying takes a fifth of the
// time of migrating.
import { once } from 'node:events'
import { existsSync, readdirSync } from 'node:fs'
import { copyFile, mkdir } from 'node:fs/promises'
import { connect, type Socket } from 'node:net'
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

/** Gives a new installation on SQLite such a copy. A folder that holds anything is left as it is. */
export async function copyMigrated(env: { DATA_DIR: string; DATABASE_URL?: string }) {
  const path = migratedFile()
  const isUsed = existsSync(env.DATA_DIR) && readdirSync(env.DATA_DIR).length > 0
  if (!path || env.DATABASE_URL || isUsed) return
  await mkdir(env.DATA_DIR, { recursive: true })
  await copyFile(path, join(env.DATA_DIR, 'atelier.db'))
}

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

type Administrator = { client: postgres.Sql; socket?: Socket; pending: number }
const administrators = new Map<string, Administrator>()

/** By a connection that this process keeps, and that keeps this process only while it is asked. */
export async function administer(serverUrl: string, statement: string): Promise<void> {
  const administrator = administrators.get(serverUrl) ?? newAdministrator(serverUrl)
  administrators.set(serverUrl, administrator)
  administrator.pending++
  administrator.socket?.ref()
  try {
    await administrator.client.unsafe(statement)
  } finally {
    if (--administrator.pending === 0) administrator.socket?.unref()
  }
}

function newAdministrator(serverUrl: string): Administrator {
  const { hostname, port } = new URL(serverUrl)
  const client = postgres(serverUrl, {
    ...{ max: 1, connect_timeout: 120, onnotice: () => {} },
    // What the library would stop while a test has replaced the timers would go on for an hour.
    ...{ idle_timeout: 0, max_lifetime: null },
    // Missing in the library's types.
    ...{
      async socket() {
        administrator.socket = connect(Number(port), hostname)
        await once(administrator.socket, 'connect')
        return administrator.socket
      },
    },
  })
  const administrator: Administrator = { client, pending: 0 }
  return administrator
}

export function onServer(serverUrl: string, database: string): string {
  const url = new URL(serverUrl)
  url.pathname = database
  return url.href
}
