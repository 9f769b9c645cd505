import { mkdtemp, readdir, readlink, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { systemClock } from '#core/clock.ts'
import type { BlobStore } from '#media/blob-store.ts'
import { openFileBlobs } from '#media/file-blobs.ts'
import { openS3Blobs } from '#media/s3-blobs.ts'
import { startS3Server } from '../../support/s3-server.ts'

export type Subject = AsyncDisposable & {
  blobs: BlobStore
  /** Temporary files that are there now. */
  leftovers(): Promise<string[]>
  /** Changes the bytes of a kept blob behind the back of the store. */
  overwrite(name: string, bytes: Uint8Array): Promise<void>
}

export const subjects: readonly { name: string; open(): Promise<Subject> }[] = [
  { name: 'files', open: openFiles },
  { name: 's3', open: openS3 },
]

export async function makeFolder(): Promise<AsyncDisposable & { path: string }> {
  const path = await mkdtemp(join(tmpdir(), 'atelier-media-'))
  return { path, [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true }) }
}

/** Names of kept blobs in a folder of files. */
export async function keptFiles(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  return entries
    .filter((entry) => entry.isFile() && entry.parentPath !== join(folder, 'tmp'))
    .map((entry) => entry.name)
}

/** What this process holds open under a folder; known only where /proc tells. */
export async function openFilesUnder(folder: string): Promise<string[]> {
  const descriptors = await readdir('/proc/self/fd').catch(() => [])
  const targets = descriptors.map((fd) => readlink(`/proc/self/fd/${fd}`).catch(() => ''))
  return (await Promise.all(targets)).filter((target) => target.startsWith(folder))
}

async function openFiles(): Promise<Subject> {
  const folder = await makeFolder()
  return {
    blobs: await openFileBlobs({ folder: folder.path, clock: systemClock }),
    leftovers: () => readdir(join(folder.path, 'tmp')),
    overwrite: (name, bytes) =>
      writeFile(join(folder.path, name.slice(0, 2), name.slice(2, 4), name), bytes),
    [Symbol.asyncDispose]: () => folder[Symbol.asyncDispose](),
  }
}

async function openS3(): Promise<Subject> {
  const owned = new AsyncDisposableStack()
  const server = owned.use(await startS3Server())
  const { path: spoolFolder } = owned.use(await makeFolder())
  const { mediaUrl, credentials } = server
  return {
    blobs: await openS3Blobs({ mediaUrl, spoolFolder, clock: systemClock, credentials }),
    leftovers: () => readdir(spoolFolder),
    overwrite: (name, bytes) => server.overwrite(name, bytes),
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  }
}
