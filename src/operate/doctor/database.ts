// Checks the database without starting a server. SQLite is opened read-only, so this also works
// while a server is running.
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { Config } from '#config'
import { delay } from '#core/clock.ts'
import { within } from '#core/deadline.ts'
import type { Reader } from '#store/db.ts'
import { readFact } from '#store/tables/server-facts.ts'
import { type Finding, fail, ok, reasonOf } from './finding.ts'

const check = 'database'
const timeoutMs = 5000

export const checkDatabase = (config: Config, signal: AbortSignal): Promise<Finding> =>
  config.DATABASE_URL === '' ? checkSqlite(config.dataDir) : checkPostgres(config, signal)

async function checkSqlite(dataDir: string): Promise<Finding> {
  const path = join(dataDir, 'atelier.db')
  if (!existsSync(path)) return ok(check, 'SQLite: will be created at the first start')
  try {
    const { openSqliteReader } = await import('#store/sqlite/snapshot.ts')
    await using reader = openSqliteReader(path)
    return ok(check, `SQLite ${path}: ${await stateOf(reader)}`)
  } catch (error) {
    const advice = 'Restore the file from a backup, or move it away to start with an empty one.'
    return fail(check, `SQLite ${path}: ${reasonOf(error)}`, advice)
  }
}

async function checkPostgres(config: Config, signal: AbortSignal): Promise<Finding> {
  const { openPostgres } = await import('#store/postgres/database.ts')
  const url = config.DATABASE_URL
  const db = openPostgres({ url, directUrl: config.DATABASE_DIRECT_URL || undefined, poolSize: 2 })
  const host = hostsOf(url)
  const stop = AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)])
  try {
    if (config.DATABASE_DIRECT_URL !== '') {
      const { assertKeepsStatements } = await import('#store/postgres/pooler-check.ts')
      await assertKeepsStatements(url, timeoutMs)
    }
    const state = await Promise.race([stateOf(db), delay(2 * timeoutMs, stop).then(() => '')])
    return ok(check, `PostgreSQL at ${host}: ${state}`)
  } catch (error) {
    const advice =
      'Check DATABASE_URL, that the database is running, and that it admits this machine.'
    return fail(check, `PostgreSQL at ${host}: ${reasonOf(error)}`, advice)
  } finally {
    await within(1000, db.close(), () => {}).catch(() => {})
  }
}

/** The host of a URL, or its list of hosts, without the credentials. */
const hostsOf = (url: string) => url.replace(/^[a-z]+:\/\/(?:[^@/]*@)?([^/?]*).*$/s, '$1')

async function stateOf(reader: Reader): Promise<string> {
  try {
    return (await readFact(reader, 'owner')) === null ? 'not set up yet' : 'set up'
  } catch (error) {
    // What either database reports before the first start has created the tables.
    if (/no such table|does not exist/.test(reasonOf(error)))
      return 'empty; tables are created at the first start'
    throw error
  }
}
