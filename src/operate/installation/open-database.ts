import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Config } from '#config'
import type { Db } from '#store/db.ts'
import { isHalfRestored, isSetUp } from '#store/tables/server-facts.ts'
import type { Logger } from '../log.ts'
import {
  assertMarkFits,
  assertNotLost,
  checkFile,
  damaged,
  isDamage,
  tracesBeside,
  tracesOf,
} from './installation.ts'

export const migrationsFolder = fileURLToPath(new URL('../../store/migrations', import.meta.url))

type OnBroken = (error: unknown) => void

/** Refuses a database that lost its contents, before anything is written to it. */
export async function openDatabase(config: Config, log: Logger, onBroken: OnBroken): Promise<Db> {
  // Read before the database is opened. Another process starting now marks the database before
  // it leaves traces, so traces seen here without a mark really mean a lost database.
  const traces = tracesOf(config.dataDir)
  const db = await connect(config, log, { traces, onBroken })
  try {
    if (!db.isShared) await checkFile(db, fileOf(config))
    if (await isHalfRestored(db)) throw new Error(halfRestored)
    if (!(await isSetUp(db))) assertNotLost(config, tracesBeside(traces))
    else if (!db.isShared) await assertMarkFits(db, config.dataDir)
    return db
  } catch (error) {
    await db.close()
    throw !db.isShared && isDamage(error) ? damaged(fileOf(config), error) : error
  }
}

const halfRestored =
  'A restore or a move into this database was begun and not finished. Nothing was changed. Repeat that command; it begins anew.'

export const fileOf = ({ dataDir }: Pick<Config, 'dataDir'>) => join(dataDir, 'atelier.db')

// Each driver is loaded on demand, because a process uses only one of them.
async function connect(
  config: Config,
  log: Logger,
  { traces, onBroken }: { traces: readonly string[]; onBroken: OnBroken },
): Promise<Db> {
  if (config.DATABASE_URL !== '') {
    const { openPostgres } = await import('#store/postgres/database.ts')
    if (config.DATABASE_DIRECT_URL !== '') {
      const { assertKeepsStatements } = await import('#store/postgres/pooler-check.ts')
      await assertKeepsStatements(config.DATABASE_URL, config.HANDLER_TIMEOUT_SECONDS * 1000)
    }
    return openPostgres({
      url: config.DATABASE_URL,
      directUrl: config.DATABASE_DIRECT_URL || undefined,
      poolSize: config.DATABASE_POOL,
      answerWithinMs: config.HANDLER_TIMEOUT_SECONDS * 1000,
      onUnavailable: (err) => log.error({ err }, 'the database does not answer'),
      onRecovered: () => log.info('the database answers again'),
    })
  }
  const { openSqlite, isMissing } = await import('#store/sqlite/database.ts')
  const path = fileOf(config)
  // Opening would create an empty database and discard the log of the one that was here.
  if (isMissing(path)) assertNotLost(config, traces)
  await mkdir(config.dataDir, { recursive: true })
  try {
    return openSqlite({ path, onBroken })
  } catch (error) {
    throw isDamage(error) ? damaged(path, error) : error
  }
}
