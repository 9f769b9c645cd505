// What a backup and an installation have in common for a reader: the rows of every table at one
// moment, the chats that the ledger does not have yet, the blobs that those rows refer to, and the
// key files. `write-backup.ts` turns any source into a folder, `restore.ts` any source into an
// installation; moving to another database needs only the latter.
import type { Readable } from 'node:stream'
import type { Identity } from '#store/dialect.ts'
import type { OpenChat } from '#store/journals/open-chats.ts'
import type { AppliedMigration } from '#store/migrate.ts'
import type { Cells, TableShape } from '#store/table-rows.ts'

/** The files of the data folder that a backup holds; no other name is ever written. */
export const keyNames = ['owner.key', 'secret.key', 'secret.key.old'] as const
type KeyName = (typeof keyNames)[number]

export type Source = {
  readonly migrations: readonly AppliedMigration[]
  readonly tables: readonly TableShape[]
  readonly identities: readonly Identity[]
  readonly chats: readonly OpenChat[]
  /** The key files of the data folder, by name. */
  readonly keys: ReadonlyMap<KeyName, Buffer>
  readonly blobs: readonly string[]
  /** Blobs whose bytes are known to be lost. */
  readonly missing: readonly string[]
  rows(table: TableShape): AsyncIterable<readonly Cells[]>
  /** Rejects with BlobMissing. */
  openBlob(name: string): Promise<Readable>
}

/** Called with what is being done, to show it to a waiting person. */
export type OnProgress = (done: string) => void
