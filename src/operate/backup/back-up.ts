// Backs up the installation that this environment configures, whether or not its server runs.
import { existsSync, readdirSync } from 'node:fs'
import type { Config } from '#config'
import { type Clock, toRfc3339 } from '#core/clock.ts'
import { openBlobs } from '#media/open-blobs.ts'
import { readLiveChatFiles } from '#store/journals/open-chats.ts'
import type { Snapshot } from '#store/table-rows.ts'
import { isLiveBlob } from '#store/tables/media.ts'
import { fileOf } from '../installation/open-database.ts'
import { backupKey, findSecretKey } from '../installation/secret-keys.ts'
import { packageVersion } from '../package-version.ts'
import { liveSource } from './live-source.ts'
import { BackupRefused, type Manifest } from './manifest.ts'
import type { OnProgress } from './source.ts'
import { writeBlobs, writeManifest, writeTables } from './write-backup.ts'

export type BackupReport = {
  manifest: Manifest
  /** Recorded media whose bytes are missing or damaged. */
  lost: readonly string[]
}

export async function backup(
  config: Config,
  folder: string,
  { clock, onProgress }: { clock: Clock; onProgress: OnProgress },
): Promise<BackupReport> {
  if (existsSync(folder) && readdirSync(folder).length > 0)
    throw new BackupRefused(`${folder} is not empty. Each backup needs a folder of its own.`)
  const { dataDir } = config
  const blobs = await openBlobs({ dataDir, mediaUrl: config.MEDIA_URL, clock })
  // Read before the snapshot: a chat that leaves its file in between is in the ledger by then.
  const chats = config.DATABASE_URL === '' ? readLiveChatFiles(dataDir) : []
  const takenAt = toRfc3339(clock.nowMs())
  const written = await (async () => {
    await using snapshot = await openSnapshot(config)
    const source = await liveSource({ snapshot, chats, blobs, dataDir })
    const tables = await writeTables(source, folder, {
      version: packageVersion(),
      takenAt,
      onProgress,
    })
    return { source, tables }
  })()
  const isLive = async (name: string) => {
    await using now = await openSnapshot(config)
    return isLiveBlob(now, name)
  }
  const { lost, ...media } = await writeBlobs(written.source, folder, isLive, onProgress)
  const manifest = { ...written.tables, ...media }
  const secretKey = findSecretKey(config.SECRET_KEY, dataDir)
  await writeManifest(folder, manifest, secretKey && backupKey(secretKey))
  return { manifest, lost }
}

/** Each driver is loaded on demand, because a process uses only one of them. */
export async function openSnapshot(config: Config): Promise<Snapshot> {
  if (config.DATABASE_URL !== '') {
    const { openPostgresSnapshot } = await import('#store/postgres/snapshot.ts')
    // A pooler would lend one of its few connections for as long as the copy takes.
    return openPostgresSnapshot(config.DATABASE_DIRECT_URL || config.DATABASE_URL)
  }
  const path = fileOf(config)
  if (!existsSync(path))
    throw new BackupRefused(
      `There is no ${path}. Set DATA_DIR, or DATABASE_URL, as the server has it.`,
    )
  const { openSqliteSnapshot } = await import('#store/sqlite/snapshot.ts')
  return openSqliteSnapshot(path)
}
