// Turns a source into an installation. The target is marked before the first row and unmarked after
// the last check: a server refuses a database with that mark, and a restore that was interrupted
// begins again by emptying it.
import type { Clock } from '#core/clock.ts'
import type { NodeError } from '#core/run-facts.ts'
import type { BlobStore } from '#media/blob-store.ts'
import type { Db } from '#store/db.ts'
import { settleOpenChats } from '#store/journals/open-chats.ts'
import { moveLeftBehind } from '#store/journals/step-log.ts'
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
  /** Null where the blobs are where they belong already. */
  blobs: BlobStore | null
  migrationsFolder: string
  clock: Clock
  onProgress: OnProgress
}

/**
 * Whether the original can have gone on with what it had not finished. If it can, nothing of it is
 * continued here.
 */
export type Unfinished = 'close' | 'resume'

export type Restored = {
  rows: number
  blobs: number
  /** Blobs that records showed and whose bytes were gone or damaged; their records are dropped. */
  lost: readonly string[]
  closed: ClosedWork
}

const unfinished: NodeError = {
  code: 'PROVIDER_OUTCOME_UNKNOWN',
  message:
    'This server was restored from a backup that was made before this had ended. It may have been finished and billed since, so it was not repeated.',
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
  for (const identity of source.identities) await setIdentity(db, identity)
  for (const table of tables) await assertSame(db, table, sums.get(table.name))
  await migrate(db, migrationsFolder)
  await settleOpenChats(db, source.chats, clock.nowMs())
  await moveLeftBehind(db)
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

/** Throws for a schema this version does not know; otherwise the last migration of it. */
export async function schemaOf(
  { migrations }: Pick<Source, 'migrations'>,
  migrationsFolder: string,
): Promise<string> {
  const through = await lastKnown(migrationsFolder, migrations)
  if (through !== null) return through
  const last = migrations.at(-1)?.name ?? 'none'
  throw new BackupRefused(
    `This version does not know the database schema of the backup (its last migration is ${last}). Restore it with the version that made it, or a later one. Nothing was written.`,
  )
}

/**
 * The schema is that of the source until its rows are in: later migrations change them too. Answers
 * with the tables to fill, in an order that their references allow. Others who use the same schema
 * may have tables there; those are neither filled nor emptied.
 */
async function prepare(source: Source, { db, migrationsFolder }: Target): Promise<TableShape[]> {
  await migrate(db, migrationsFolder, { through: await schemaOf(source, migrationsFolder) })
  const own = new Set((await tablesOf(db)).map(({ name }) => name))
  const known = source.tables.filter(({ name }) => own.has(name))
  const tables = await inOrderOfReferences(db, known)
  if (await claimFact(db, restoringFact, '1')) return tables
  for (const table of tables.toReversed()) await emptyTable(db, table)
  await claimFact(db, restoringFact, '1')
  return tables
}

async function copyRows(source: Source, db: Db, table: TableShape): Promise<RowSum> {
  const sum = noRows()
  for await (const rows of source.rows(table)) {
    addToSum(sum, rows)
    await addRows(db, table, rows)
  }
  return sum
}

/** What was written is read again: each database has its own idea of a value. */
async function assertSame(db: Db, table: TableShape, expected: RowSum = noRows()): Promise<void> {
  const found = noRows()
  for await (const rows of readRows(db, table)) {
    const own =
      table.name === 'server_facts' ? rows.filter(([name]) => name !== restoringFact) : rows
    addToSum(found, own)
  }
  if (found.rows === expected.rows && found.sum === expected.sum) return
  throw new Error(
    `The table ${table.name} did not arrive as it was: ${found.rows} of ${expected.rows} rows, or other values. The target is not usable; repeat the command.`,
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
