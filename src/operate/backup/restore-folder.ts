// Restores a backup into the installation that this environment configures, which must be new.
import { existsSync } from 'node:fs'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Config } from '#config'
import type { Clock } from '#core/clock.ts'
import { openBlobs } from '#media/open-blobs.ts'
import type { Db } from '#store/db.ts'
import { isHalfRestored, isSetUp } from '#store/tables/server-facts.ts'
import { tracesOf } from '../installation/installation.ts'
import { fileOf, migrationsFolder } from '../installation/open-database.ts'
import { backupKey } from '../installation/secret-keys.ts'
import { folderSource } from './folder-source.ts'
import { BackupRefused, type Manifest, readManifest } from './manifest.ts'
import { type Restored, restore as restoreFrom, schemaOf, type Unfinished } from './restore.ts'
import type { OnProgress, Source } from './source.ts'

/** `trusted`: the operator vouches for the folder, whatever its signature says. */
type Origin = 'verified' | 'trusted'
type Options = { clock: Clock; onProgress: OnProgress }

/** Checks every file of a backup and writes nothing. */
export async function checkBackup(folder: string, onProgress: OnProgress): Promise<Manifest> {
  const { manifest } = readManifest(folder)
  await folderSource(folder, manifest, onProgress)
  return manifest
}

export async function restore(
  config: Config,
  folder: string,
  { clock, onProgress, unfinished, origin }: Options & { unfinished: Unfinished; origin: Origin },
): Promise<{ manifest: Manifest; restored: Restored }> {
  const { manifest, isSignedWith } = readManifest(folder)
  const source = await folderSource(folder, manifest, onProgress)
  assertKeyIsKnown(config, source)
  await schemaOf(source, migrationsFolder)
  if (origin === 'verified') assertGenuine(config, isSignedWith)
  await using db = await openEmpty(config)
  await writeKeys(config.dataDir, source)
  const { dataDir } = config
  const blobs = await openBlobs({ dataDir, mediaUrl: config.MEDIA_URL, clock })
  const target = { db, blobs, migrationsFolder, clock, onProgress }
  return { manifest, restored: await restoreFrom(source, target, { unfinished }) }
}

/**
 * Whoever wrote a backup decides who may sign in to the restored server. Its signature proves
 * something only if the key comes from elsewhere: the one in the folder could have been put there.
 */
function assertGenuine(config: Config, isSignedWith: (key: Uint8Array) => boolean): void {
  const { SECRET_KEY, SECRET_KEY_OLD } = config
  const keys = [SECRET_KEY, SECRET_KEY_OLD].filter((key) => key !== '')
  if (keys.some((key) => isSignedWith(backupKey(Buffer.from(key, 'base64'))))) return
  const reason =
    keys.length === 0
      ? 'Nothing proves who wrote this backup: it brings its key with it. If you have kept a copy of secret.key elsewhere, set SECRET_KEY to what it holds.'
      : 'This backup is not signed with SECRET_KEY: another installation wrote it, or a version that did not sign backups, or somebody changed it.'
  throw new BackupRefused(
    `${reason} If nobody else could write to the folder, repeat the command with --trust. Nothing was written.`,
  )
}

/** Without the original key no stored secret can be read: the server would refuse to start. */
function assertKeyIsKnown(config: Config, source: Source): void {
  if (config.SECRET_KEY !== '' || source.keys.has('secret.key')) return
  throw new BackupRefused(
    'The backup holds no secret.key, because the original had it in SECRET_KEY. Set SECRET_KEY to the same value. Nothing was written.',
  )
}

/** Files of an earlier attempt are accepted if the database is marked as half restored. */
async function openEmpty(config: Config): Promise<Db> {
  const { dataDir } = config
  const traces = tracesOf(dataDir)
  const isFile = config.DATABASE_URL === ''
  if (traces.length > 0 && isFile && !existsSync(fileOf(config))) throw notEmpty(dataDir, traces)
  const db = await openForWriting(config)
  try {
    if (await isHalfRestored(db)) return db
    if (await isSetUp(db)) throw notEmpty(isFile ? fileOf(config) : 'the database', ['accounts'])
    if (traces.length > 0) throw notEmpty(dataDir, traces)
    return db
  } catch (error) {
    await db.close()
    throw error
  }
}

const notEmpty = (what: string, traces: readonly string[]) =>
  new BackupRefused(
    `${what} is in use: it holds ${traces.join(', ')}. A backup is restored into a new DATA_DIR and an empty database only. Nothing was written.`,
  )

/** Long enough for the statements of a restore, which write some megabytes each. */
const answerWithinMs = 150_000

export async function openForWriting(config: Config): Promise<Db> {
  await mkdir(config.dataDir, { recursive: true })
  if (config.DATABASE_URL !== '') {
    const { openPostgres } = await import('#store/postgres/database.ts')
    const directUrl = config.DATABASE_DIRECT_URL || undefined
    return openPostgres({ url: config.DATABASE_URL, directUrl, poolSize: 2, answerWithinMs })
  }
  const { openSqlite } = await import('#store/sqlite/database.ts')
  return openSqlite({ path: fileOf(config) })
}

async function writeKeys(dataDir: string, { keys }: Source): Promise<void> {
  for (const [name, content] of keys)
    await writeFile(join(dataDir, name), content, { mode: 0o600, flush: true })
}
