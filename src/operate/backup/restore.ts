// Fills an installation from a source. The target database is marked before the first row is
// written and unmarked at the very end. A server refuses a database with that mark, and repeating
// an interrupted restore starts by emptying it.
import type { Clock } from '#core/clock.ts'
import type { NodeError } from '#core/run-facts.ts'
import type { BlobStore } from '#media/blob-store.ts'
import type { Db } from '#store/db.ts'
import { settleOpenChats } from '#store/journals/open-chats.ts'
import { moveLeftovers } from '#store/journals/step-log.ts'
import { lastKnown, migrate } from '#store/migrate.ts'
import {
  addRows,
  emptyTable,
  inOrderOfReferences,
  readRows,
  setIdentity,
  type TableShape,
  tablesOf,
} from '#store/table-rows.ts'
import { releaseAllWork } from '#store/tables/claims.ts'
import { dropBlob } from '#store/tables/media.ts'
import { type ClosedWork, closeUnfinishedWork } from '#store/tables/restored-work.ts'
import { claimFact, dropFact, restoringFact } from '#store/tables/server-facts.ts'
import { addToSum, noRows, type RowSum } from './cells.ts'
import { eachBlob, isLost } from './each-blob.ts'
import { BackupRefused } from './manifest.ts'
import type { OnProgress, Source } from './source.ts'

export type Target = {
  db: Db
  /** Null if the blobs are already where they belong. */
  blobs: BlobStore | null
  migrationsFolder: string
  clock: Clock
  onProgress: OnProgress
}

/**
 * What happens to unfinished work. `resume` continues it, which is safe only if the original cannot
 * have continued it; `close` ends it.
 */
export type Unfinished = 'close' | 'resume'

export type Restored = {
  rows: number
  blobs: number
  /** Blobs that records refer to but whose bytes are gone or damaged; the records are dropped. */
  lost: readonly string[]
  closed: ClosedWork
}

const unfinished: NodeError = {
  code: 'PROVIDER_OUTCOME_UNKNOWN',
  message:
    'This server was restored from a backup that was created before this had ended. It may have been finished and billed since, so it was not repeated.',
  retryable: false,
}

export async function restore(
  source: Source,
  target: Target,
  { unfinished: what }: { unfinished: Unfinished },
): Promise<Restored> {
  const { db, blobs, migrationsFolder, clock, onProgress } = target
  const tables = await prepare(source, target)
  const lost = blobs ? await copyBlobs(source, blobs, onProgress) : []
  const sums = new Map<string, RowSum>()
  for (const table of tables) {
    onProgress(`table ${table.name}`)
    sums.set(table.name, await copyRows(source, db, table))
  }
  const filled = new Set(tables.map(({ name }) => name))
  for (const identity of source.identities)
    if (filled.has(identity.table_name)) await setIdentity(db, identity)
  for (const table of tables) await assertSame(db, table, sums.get(table.name))
  await migrate(db, migrationsFolder)
  await settleOpenChats(db, source.chats, clock.nowMs())
  await moveLeftovers(db)
  for (const name of [...source.missing, ...lost]) await dropBlob(db, name)
  await releaseAllWork(db)
  const closed =
    what === 'resume'
      ? { runs: 0, tasks: 0, webhooks: 0 }
      : await closeUnfinishedWork(db, { nowMs: clock.nowMs(), error: unfinished })
  await dropFact(db, restoringFact)
  const rows = sums.values().reduce((total, sum) => total + sum.rows, 0)
  return { rows, blobs: blobs ? source.blobs.length - lost.length : 0, lost, closed }
}

/** The last migration of the source. Throws if this version does not know its schema. */
export async function schemaOf(
  { migrations }: Pick<Source, 'migrations'>,
  migrationsFolder: string,
): Promise<string> {
  const through = await lastKnown(migrationsFolder, migrations)
  if (through !== null) return through
  const last = migrations.at(-1)?.name ?? 'none'
  throw new BackupRefused(
    `This version does not know the database schema of the backup (its last migration is ${last}). Restore it with the version that created it, or a later one. Nothing was written.`,
  )
}

/**
 * Migrates only as far as the source, because later migrations must change its rows, too. Returns
 * the tables to fill, in an order that their references allow. Tables of other programs in the same
 * schema are neither filled nor emptied.
 */
async function prepare(source: Source, { db, migrationsFolder }: Target): Promise<TableShape[]> {
  await migrate(db, migrationsFolder, { through: await schemaOf(source, migrationsFolder) })
  const own = new Map((await tablesOf(db)).map((table) => [table.name, table]))
  const known = source.tables.filter(({ name }) => own.has(name))
  for (const table of known) assertColumns(table, own.get(table.name))
  const tables = await inOrderOfReferences(db, known)
  if (await claimFact(db, restoringFact, '1')) return tables
  for (const table of tables.toReversed()) await emptyTable(db, table)
  await claimFact(db, restoringFact, '1')
  return tables
}

/** Names of columns become part of statements, so only those that the table has are used. */
function assertColumns(table: TableShape, own: TableShape | undefined): void {
  const unknown = [...table.columns, ...table.key].find((name) => !own?.columns.includes(name))
  if (unknown === undefined) return
  throw new BackupRefused(
    `The backup has a column ${unknown} of the table ${table.name}, which this schema does not have.`,
  )
}

async function copyRows(source: Source, db: Db, table: TableShape): Promise<RowSum> {
  const sum = noRows()
  for await (const rows of source.rows(table)) {
    addToSum(sum, rows)
    await addRows(db, table, rows)
  }
  return sum
}

/** Reads back what was written, because a database may store a value differently. */
async function assertSame(db: Db, table: TableShape, expected: RowSum = noRows()): Promise<void> {
  const found = noRows()
  for await (const rows of readRows(db, table)) {
    const own =
      table.name === 'server_facts' ? rows.filter(([name]) => name !== restoringFact) : rows
    addToSum(found, own)
  }
  if (found.rows === expected.rows && found.sum === expected.sum) return
  throw new Error(
    `The table ${table.name} was not copied correctly: ${found.rows} of ${expected.rows} rows, or different values. The target is not usable; repeat the command.`,
  )
}

async function copyBlobs(
  source: Source,
  blobs: BlobStore,
  onProgress: OnProgress,
): Promise<string[]> {
  const lost: string[] = []
  const maxBytes = Number.POSITIVE_INFINITY
  await eachBlob(source.blobs, onProgress, async (name) => {
    try {
      const content = await source.openBlob(name)
      await using received = await blobs.receive(content, { maxBytes, name })
      await received.keep()
    } catch (error) {
      if (!isLost(error)) throw error
      lost.push(name)
    }
  })
  return lost
}
