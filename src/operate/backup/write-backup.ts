import { createHash } from 'node:crypto'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { BlobDamaged, isContentOf } from '#media/blob-store.ts'
import { encodeRow } from './cells.ts'
import { eachBlob, isLost } from './each-blob.ts'
import { blobPath, writeLines, writeWhole } from './files.ts'
import {
  blobsPath,
  chatsPath,
  encodeManifest,
  format,
  type Manifest,
  manifestName,
  sha256,
  tablePath,
} from './manifest.ts'
import type { OnProgress, Source } from './source.ts'

/**
 * Writes the tables and the keys. The blobs follow once the snapshot is closed: they never change,
 * so it does not matter when they are read.
 */
export async function writeTables(
  source: Source,
  folder: string,
  { version, takenAt, onProgress }: { version: string; takenAt: string; onProgress: OnProgress },
): Promise<Omit<Manifest, 'blobs' | 'missing'>> {
  const tables: Manifest['tables'] = []
  for (const table of source.tables) {
    onProgress(`table ${table.name}`)
    const lines = async function* () {
      for await (const page of source.rows(table)) yield page.map(encodeRow)
    }
    const listed = await writeLines(folder, tablePath(table.name), lines())
    tables.push({ ...table, columns: [...table.columns], key: [...table.key], ...listed })
  }
  const chats = source.chats.map((chat) => JSON.stringify(chat))
  const keys: Manifest['keys'] = []
  for (const [name, content] of source.keys) {
    await writeWhole(folder, join('keys', name), content)
    keys.push({ name, sha256: sha256(content) })
  }
  return {
    ...{ format, version, takenAt, keys, tables },
    migrations: [...source.migrations],
    identities: [...source.identities],
    chats: await writeLines(folder, chatsPath, [chats]),
  }
}

/**
 * `isLive` says whether the installation still refers to a blob. If not, the blob has expired since
 * the snapshot, and its bytes may rightly be gone.
 */
export async function writeBlobs(
  source: Pick<Source, 'blobs' | 'openBlob'>,
  folder: string,
  isLive: (name: string) => Promise<boolean>,
  onProgress: OnProgress,
): Promise<Pick<Manifest, 'blobs' | 'missing'> & { lost: string[] }> {
  const written: string[] = []
  const missing: string[] = []
  const lost: string[] = []
  let bytes = 0
  await eachBlob(source.blobs, onProgress, async (name) => {
    try {
      bytes += await copyBlob(source, folder, name)
      written.push(name)
    } catch (error) {
      if (!isLost(error)) throw error
      missing.push(name)
      if (await isLive(name)) lost.push(error.message)
    }
  })
  const listed = await writeLines(folder, blobsPath, [written.sort()])
  return { blobs: { ...listed, bytes }, missing, lost }
}

async function copyBlob(
  source: Pick<Source, 'openBlob'>,
  folder: string,
  name: string,
): Promise<number> {
  const hash = createHash('sha256')
  let bytes = 0
  const content = await source.openBlob(name)
  async function* measured() {
    for await (const chunk of content) {
      hash.update(chunk)
      bytes += chunk.length
      yield chunk
    }
  }
  await writeWhole(folder, blobPath(name), measured())
  if (isContentOf(name, hash.digest('hex'))) return bytes
  await rm(join(folder, blobPath(name)))
  throw new BlobDamaged(name)
}

/** Written last: a folder with this file is a complete backup. */
export const writeManifest = (
  folder: string,
  manifest: Manifest,
  key: Uint8Array | undefined,
): Promise<void> => writeWhole(folder, manifestName, encodeManifest(manifest, key))
