// The manifest describes a backup. It is the last file that is written and the first that is read:
// a folder without it is an unfinished backup.
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Identity } from '#store/dialect.ts'
import type { AppliedMigration } from '#store/migrate.ts'
import type { TableShape } from '#store/table-rows.ts'

export const format = 1
export const manifestName = 'manifest.json'

/** A file of the backup, by its path in the folder. */
export type Listed = { path: string; lines: number; sha256: string }

export type Manifest = {
  format: typeof format
  /** The version of Atelier that wrote it. */
  version: string
  /** The time of the snapshot. */
  takenAt: string
  migrations: readonly AppliedMigration[]
  identities: readonly Identity[]
  tables: readonly (TableShape & Listed)[]
  chats: Listed
  keys: readonly { name: string; sha256: string }[]
  /** One name per line, which begins with the checksum of the content. */
  blobs: Listed & { bytes: number }
  /** Blobs that records refer to but whose bytes were gone or damaged. */
  missing: readonly string[]
}

export class BackupRefused extends Error {
  override name = 'BackupRefused'
}

export const damaged = (path: string, reason: string, cause?: unknown) =>
  new BackupRefused(`The backup is damaged: ${path} ${reason}. Nothing was written.`, { cause })

export const sha256 = (text: string | Uint8Array): string =>
  createHash('sha256').update(text).digest('hex')

export const encodeManifest = (manifest: Manifest): string =>
  `${JSON.stringify({ manifest, sha256: sha256(JSON.stringify(manifest)) }, null, 1)}\n`

export function readManifest(folder: string): Manifest {
  const path = join(folder, manifestName)
  let text: string
  try {
    text = readFileSync(path, 'utf8')
  } catch (cause) {
    const reason = `${folder} holds no ${manifestName}: it is not a backup, or the backup was not finished.`
    throw new BackupRefused(reason, { cause })
  }
  const read = parsed(path, text)
  if (read.manifest?.format !== format) {
    throw new BackupRefused(
      `${path} has the format ${read.manifest?.format}, and this version reads ${format}.`,
    )
  }
  if (sha256(JSON.stringify(read.manifest)) !== read.sha256)
    throw damaged(path, 'has the wrong checksum')
  return read.manifest
}

function parsed(path: string, text: string): { manifest?: Manifest; sha256?: string } {
  try {
    return JSON.parse(text)
  } catch (cause) {
    throw damaged(path, 'is not JSON', cause)
  }
}
