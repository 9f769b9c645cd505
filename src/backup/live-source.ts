import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { BlobStore } from '#media/blob-store.ts'
import { type OpenChat, storedOpenChats } from '#store/journals/open-chats.ts'
import { appliedMigrations } from '#store/migrate.ts'
import { identitiesOf, readRows, type Snapshot, tablesOf } from '#store/table-rows.ts'
import { liveBlobs } from '#store/tables/media.ts'
import type { Source } from './source.ts'

/**
 * The migrations are the manifest's, leases belong to processes, and open chats are told apart from
 * any database's way of keeping them.
 */
const leftOut = new Set(['migrations', 'workers', 'chat_intents'])

/**
 * An installation as it is at the moment of the snapshot, served or not. `chats` must have been
 * read from their files before the snapshot began: a chat leaves its file only for the ledger.
 */
export async function liveSource({
  snapshot,
  chats,
  blobs,
  dataDir,
}: {
  snapshot: Snapshot
  chats: readonly OpenChat[]
  blobs: Pick<BlobStore, 'open'>
  dataDir: string
}): Promise<Source> {
  const tables = await tablesOf(snapshot)
  return {
    migrations: await appliedMigrations(snapshot),
    tables: tables.filter(({ name }) => !leftOut.has(name)),
    identities: await identitiesOf(snapshot),
    chats: [...chats, ...(await storedOpenChats(snapshot))],
    keys: readKeys(dataDir),
    blobs: await liveBlobs(snapshot),
    missing: [],
    rows: (table) => readRows(snapshot, table),
    openBlob: (name) => blobs.open(name),
  }
}

function readKeys(dataDir: string): Map<string, Buffer> {
  const names = readdirSync(dataDir).filter((name) => /\.key(\.old)?$/.test(name))
  return new Map(names.map((name) => [name, readFileSync(join(dataDir, name))]))
}
