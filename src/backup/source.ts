// A backup and a running installation look alike to whoever reads them: the rows of every table at
// one moment, the chats the ledger does not have yet, the blobs those rows show, and the key files.
// `write-backup.ts` turns any source into a folder, `restore.ts` turns any source into an
// installation; moving to another database is the second without the first.
import type { Readable } from 'node:stream'
import type { Identity } from '#store/dialect.ts'
import type { OpenChat } from '#store/journals/open-chats.ts'
import type { AppliedMigration } from '#store/migrate.ts'
import type { Cells, TableShape } from '#store/table-rows.ts'

export type Source = {
  readonly migrations: readonly AppliedMigration[]
  readonly tables: readonly TableShape[]
  readonly identities: readonly Identity[]
  readonly chats: readonly OpenChat[]
  /** The key files of the data folder, by name. */
  readonly keys: ReadonlyMap<string, Buffer>
  readonly blobs: readonly string[]
  /** Blobs whose bytes are known to be lost. */
  readonly missing: readonly string[]
  rows(table: TableShape): AsyncIterable<readonly Cells[]>
  /** Rejects with BlobMissing. */
  openBlob(name: string): Promise<Readable>
}

/** Called with what is being done, for people who wait. */
export type OnProgress = (done: string) => void
