// Moves an installation from SQLite and files to the database and the media store that this
// environment names: the mechanism of a restore, without a backup in between. The server must be
// stopped, so that no other process holds unfinished work; all of it resumes afterwards.
import { existsSync } from 'node:fs'
import { rename } from 'node:fs/promises'
import { join } from 'node:path'
import type { Config } from '#config'
import type { Clock } from '#core/clock.ts'
import { openFileBlobs } from '#media/file-blobs.ts'
import { openBlobs } from '#media/open-blobs.ts'
import { readChatFiles } from '#store/journals/open-chats.ts'
import { migrate } from '#store/migrate.ts'
import { openSqlite } from '#store/sqlite/database.ts'
import { openSqliteSnapshot } from '#store/sqlite/snapshot.ts'
import { isHalfRestored, isSetUp } from '#store/tables/server-facts.ts'
import { movedSuffix } from '../installation/installation.ts'
import { fileOf, migrationsFolder } from '../installation/open-database.ts'
import { liveSource } from './live-source.ts'
import { BackupRefused } from './manifest.ts'
import { type Restored, restore } from './restore.ts'
import { openForWriting } from './restore-folder.ts'
import type { OnProgress } from './source.ts'

export async function migrateStore(
  config: Config,
  { clock, onProgress }: { clock: Clock; onProgress: OnProgress },
): Promise<{ restored: Restored; keptAs: string }> {
  const { dataDir } = config
  const path = fileOf(config)
  if (config.DATABASE_URL === '')
    throw new BackupRefused('Set DATABASE_URL to the empty PostgreSQL database to move to.')
  if (!existsSync(path))
    throw new BackupRefused(`There is no ${path}. Set DATA_DIR to the folder to move from.`)
  const restored = await (async () => {
    // Opening it fails if a server is running; its lock keeps one from starting until this is done.
    await using locked = openSqlite({ path })
    await migrate(locked, migrationsFolder)
    await using db = await openForWriting(config)
    if (!(await isHalfRestored(db)) && (await isSetUp(db)))
      throw new BackupRefused('The database of DATABASE_URL is in use: it holds accounts.')
    await using snapshot = await openSqliteSnapshot(path)
    const files = await openFileBlobs({ folder: join(dataDir, 'media'), clock })
    const { chats } = readChatFiles(dataDir)
    const source = await liveSource({ snapshot, chats, blobs: files, dataDir })
    const mediaUrl = config.MEDIA_URL
    const blobs = mediaUrl === '' ? null : await openBlobs({ dataDir, mediaUrl, clock })
    const target = { db, blobs, migrationsFolder, clock, onProgress }
    return await restore(source, target, { unfinished: 'resume' })
  })()
  // Two live copies would pay for the same work twice. Without its database, this one cannot start.
  const keptAs = `${path}${movedSuffix}`
  await rename(path, keptAs)
  return { restored, keptAs }
}
