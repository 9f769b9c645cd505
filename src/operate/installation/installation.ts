// Distinguishes a new installation from one whose database was lost, so that existing accounts
// are never replaced by an empty database. The database and its folder both hold the id of the
// installation and a counter that only grows. If the database's counter is behind the folder's,
// the database has lost its newest commits.
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import type { Clock } from '#core/clock.ts'
import { uuidV7 } from '#core/ids.ts'
import { repeat } from '#core/repeat.ts'
import type { Db } from '#store/db.ts'
import { writePrivateFile } from '#store/private-file.ts'
import { claimFact, countUp, readFact } from '#store/tables/server-facts.ts'
import type { Logger } from '../log.ts'

const markName = 'installation.json'
const databaseName = 'atelier.db'
const logName = `${databaseName}-wal`
/** Appended to the name of a database whose installation has moved elsewhere. */
export const movedSuffix = '.moved'
// Only commits of the last minute can be lost unnoticed, for one small file write a minute.
const markEveryMs = 60_000

type Location = { dataDir: string; DATABASE_URL: string }
type Mark = { installation: string; count: number }

/** The files of an installation in its folder, apart from the database. */
export function tracesOf(dataDir: string): string[] {
  const keys = ['owner.key', 'secret.key', markName, logName].filter((name) =>
    isFilled(join(dataDir, name)),
  )
  const journals = namesIn(dataDir).filter((name) => name.endsWith('.journal'))
  const media = namesIn(join(dataDir, 'media')).some((name) => name !== 'tmp')
  return [...keys, ...journals, ...(media ? ['media/'] : [])]
}

const isFilled = (path: string) => (statSync(path, { throwIfNoEntry: false })?.size ?? 0) > 0

const namesIn = (folder: string) => (existsSync(folder) ? readdirSync(folder) : [])

/**
 * The same once the database is open. Its log proves nothing any more, because whatever it held is
 * in the database now; a first start that was killed before or during its migrations leaves one.
 */
export const tracesBeside = (traces: readonly string[]): string[] =>
  traces.filter((name) => name !== logName)

/** Called for an empty database: throws if its folder shows that it once held an installation. */
export function assertNotLost(
  { dataDir, DATABASE_URL }: Location,
  traces: readonly string[],
): void {
  if (traces.length === 0) return
  const moved = join(dataDir, `${databaseName}${movedSuffix}`)
  if (DATABASE_URL === '' && existsSync(moved)) {
    throw new Error(
      `This installation was moved to PostgreSQL: ${moved} is what it was before. Set DATABASE_URL, and MEDIA_URL if media moved too.`,
    )
  }
  const isFile = DATABASE_URL === ''
  const database = isFile ? join(dataDir, databaseName) : 'the database of DATABASE_URL'
  const remedy = isFile
    ? 'Put atelier.db and atelier.db-wal back from a backup, or set DATA_DIR to the folder they are in.'
    : 'Set DATABASE_URL to the database this folder was used with.'
  throw new Error(
    `${database} is missing or empty, but ${dataDir} is that of an installation: it holds ${traces.join(', ')}. Nothing was changed. ${remedy} For a new installation choose an empty DATA_DIR.`,
  )
}

// A file of this size is checked in well under a second if it is in the file system cache.
const maxCheckedBytes = 256 * 1024 * 1024

/** Checks all pages of a file, if it is small enough, and throws if one is damaged. */
export async function checkFile(db: Db, path: string): Promise<void> {
  if (statSync(path).size > maxCheckedBytes) return
  const [row] = await db.query<{ quick_check: string }>('pragma quick_check(1)')
  if (row?.quick_check !== 'ok') throw damaged(path, new Error(row?.quick_check))
}

export const isDamage = (error: unknown): error is Error =>
  error instanceof Error && /malformed|not a database/.test(error.message)

export const damaged = (path: string, cause: Error): Error =>
  new Error(
    `${path} is damaged (${cause.message}). Nothing was changed. Put it back from a backup, without the atelier.db-wal of today; or keep a copy of the folder and try sqlite3 with ".recover".`,
    { cause },
  )

/**
 * Must run before any other file of the installation is created, because those files count as
 * its traces. Resolves with a function that stops updating the mark.
 */
export async function markInstallation({
  db,
  dataDir,
  clock,
  log,
}: {
  db: Db
  dataDir: string
  clock: Clock
  log: Logger
}): Promise<() => Promise<void>> {
  await claimFact(db, 'installation', uuidV7(clock.nowMs()))
  // PostgreSQL protects its own log, and several processes may share it, so it needs no mark.
  if (db.isShared) return async () => {}
  const installation = (await readFact(db, 'installation')) ?? ''
  const path = join(dataDir, markName)
  // The database is written first, so it can only be behind the file if it lost commits.
  const mark = async () => writeMark(path, { installation, count: await countUp(db, 'count') })
  await mark()
  return repeat(markEveryMs, mark, (err) => log.error({ err }, `${path} was not written`))
}

/** Throws if the database is older than the mark in its folder, or not the one it belongs to. */
export async function assertMarkFits(db: Db, dataDir: string): Promise<void> {
  const path = join(dataDir, markName)
  if (!existsSync(path)) return
  const count = Number((await readFact(db, 'count')) ?? 0)
  const marked = readMark(path)
  const begin =
    marked.installation === (await readFact(db, 'installation'))
      ? marked.count > count &&
        `The database is older than ${path} says (${count} of ${marked.count}): its log (atelier.db-wal) was lost, or an older copy was put in its place`
      : `The database is not the one ${path} was written with`
  if (!begin) return
  throw new Error(
    `${begin}. Nothing was changed. Put the newest atelier.db and atelier.db-wal back; if this database is the one you want, remove ${path} and start again.`,
  )
}

function readMark(path: string): Mark {
  try {
    return JSON.parse(readFileSync(path, 'utf8')) as Mark
  } catch (cause) {
    const message = `${path} cannot be read. It tells whether the database is whole: if you know that it is, remove the file and start again.`
    throw new Error(message, { cause })
  }
}

const writeMark = (path: string, mark: Mark): void =>
  writePrivateFile(path, `${JSON.stringify(mark)}\n`)
