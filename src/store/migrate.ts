// Promises: each numbered file of a folder is applied once, in order, completely or not at all,
// even if several processes start at once. Throws if a file has changed since it was applied, or
// if a newer version has migrated the database.
import { createHash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Db, Reader, Tx } from './db.ts'

export type AppliedMigration = { name: string; hash: string }
type Migration = AppliedMigration & { sql: string }

/** Returns the names of the files it applied. With `through`, it stops after that file. */
export async function migrate(
  db: Db,
  folder: string,
  { through }: { through?: string } = {},
): Promise<string[]> {
  const applied: string[] = []
  const own = await readMigrations(folder)
  // No time limit: a migration may take long, and so may the wait for another process's.
  const patient = { mayTakeLong: true } as const
  const before = new Map(
    (await db.transaction(readApplied, patient)).map(({ name, hash }) => [name, hash]),
  )
  for (const migration of own) {
    if (through !== undefined && migration.name > through) break
    // Usually all are applied already, and a transaction for each would cost a disk sync.
    if (before.get(migration.name) === migration.hash) continue
    const apply = (tx: Tx) => applyOnce(tx, migration)
    if (await db.transaction(apply, patient)) applied.push(migration.name)
  }
  const newest = own.at(-1)?.name
  if (newest !== undefined && through === undefined) await assertNoNewer(db, newest)
  return applied
}

/** A newer version may rely on data that this one does not write, so this one must not start. */
async function assertNoNewer(db: Db, newest: string): Promise<void> {
  const last = (await appliedMigrations(db)).at(-1)?.name
  if (last === undefined || last <= newest) return
  throw new Error(
    `A newer version of Atelier has migrated this database (${last}; this one ends with ${newest}). Start that version; to go back, restore a backup that was created before it.`,
  )
}

async function readMigrations(folder: string): Promise<Migration[]> {
  const names = (await readdir(folder)).filter((name) => name.endsWith('.sql')).sort()
  const numbers = new Set<string>()
  for (const name of names) {
    const number = /^(\d{4})_[a-z0-9_-]+\.sql$/.exec(name)?.[1]
    if (number === undefined) throw new Error(`migration ${name} is not named like 0001_name.sql`)
    if (numbers.has(number))
      throw new Error(`migration ${name} has the same number as another migration`)
    numbers.add(number)
  }
  return Promise.all(
    names.map(async (name) => {
      const sql = (await readFile(join(folder, name), 'utf8')).replaceAll('\r\n', '\n')
      return { name, sql, hash: createHash('sha256').update(sql).digest('hex') }
    }),
  )
}

/** Ordered by name. */
export const appliedMigrations = (db: Reader) =>
  db.query<AppliedMigration>('select name, hash from migrations order by name')

/** The last of `applied` if the folder's migrations begin with exactly these; otherwise null. */
export async function lastKnown(
  folder: string,
  applied: readonly AppliedMigration[],
): Promise<string | null> {
  const own = await readMigrations(folder)
  const isOwn = ({ name, hash }: AppliedMigration, index: number) =>
    own[index]?.name === name && own[index]?.hash === hash
  return applied.every(isOwn) ? (applied.at(-1)?.name ?? null) : null
}

async function readApplied(tx: Tx): Promise<AppliedMigration[]> {
  await lock(tx)
  await tx.write(
    'create table if not exists migrations (name text primary key, hash text not null)',
  )
  return appliedMigrations(tx)
}

async function lock(tx: Tx): Promise<void> {
  const { migrationLock } = tx.dialect
  if (migrationLock) await tx.query(migrationLock)
}

async function applyOnce(tx: Tx, migration: Migration): Promise<boolean> {
  await lock(tx)
  const [last] = await tx.query<{ name: string | null }>('select max(name) as name from migrations')
  const [known] = await tx.query<{ hash: string }>('select hash from migrations where name = $1', [
    migration.name,
  ])
  if (known && known.hash !== migration.hash) {
    throw new Error(`migration ${migration.name} changed after it was applied to this database`)
  }
  if (known) return false
  if (last?.name && last.name > migration.name) {
    throw new Error(
      `migration ${migration.name} is older than ${last.name}, which has already been applied`,
    )
  }
  for (const statement of splitStatements(migration.sql)) {
    await tx.write(tx.dialect.inSchema(statement))
  }
  await tx.write('insert into migrations (name, hash) values ($1, $2)', [
    migration.name,
    migration.hash,
  ])
  return true
}

export const quotedOrComment = /'(?:[^']|'')*'|"(?:[^"]|"")*"|--[^\n]*/

/** Drivers take one statement at a time. Comments (`--` only) are removed; quoted text is kept. */
function splitStatements(sql: string): string[] {
  const token = new RegExp(`${quotedOrComment.source}|;|[^;'"-]+|-`, 'g')
  const statements = ['']
  for (const [part] of sql.matchAll(token)) {
    if (part === ';') statements.push('')
    else if (!part.startsWith('--')) statements.push(`${statements.pop()}${part}`)
  }
  return statements.map((statement) => statement.trim()).filter((statement) => statement !== '')
}
