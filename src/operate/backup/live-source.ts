import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { BlobStore } from '#media/blob-store.ts'
import { type OpenChat, storedOpenChats } from '#store/journals/open-chats.ts'
import { appliedMigrations } from '#store/migrate.ts'
import { identitiesOf, readRows, type Snapshot, tablesOf } from '#store/table-rows.ts'
import { liveBlobs } from '#store/tables/media.ts'
import { keyNames, type Source } from './source.ts'

/**
 * Tables that are not copied: migrations are listed in the manifest, leases belong to running
 * processes, and open chats are written in a form that does not depend on the database.
 */
const leftOut = new Set(['migrations', 'workers', 'chat_intents'])

/**
 * An installation at the moment of the snapshot, whether or not a server is running. `chats` must
 * have been read from their files before the snapshot began: a chat leaves its file only once it is
 * in the ledger, so none is missed.
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

function readKeys(dataDir: string): Source['keys'] {
  const names = keyNames.filter((name) => existsSync(join(dataDir, name)))
  return new Map(names.map((name) => [name, readFileSync(join(dataDir, name))]))
}
