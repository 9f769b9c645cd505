import { mkdir, open, rename, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { Clock } from '#core/clock.ts'
import { BlobMissing, type BlobStore } from './blob-store.ts'
import { openSpool } from './spool.ts'

/** Keeps each blob as `folder/ab/cd/name`. Renaming needs the spool on the same file system. */
export async function openFileBlobs(options: { folder: string; clock: Clock }): Promise<BlobStore> {
  const { folder, clock } = options
  const pathOf = (name: string) => join(folder, name.slice(0, 2), name.slice(2, 4), name)

  async function keep(name: string, path: string) {
    const target = pathOf(name)
    const parent = dirname(target)
    const made = await mkdir(parent, { recursive: true, mode: 0o700 })
    await rename(path, target)
    // The name must survive a power cut before a row may point to it.
    await sync(parent)
    if (made !== undefined) for (const above of [dirname(parent), folder]) await sync(above)
  }

  const spool = await openSpool({ folder: join(folder, 'tmp'), clock, keep })
  return {
    ...spool,
    async open(name, range) {
      try {
        const handle = await open(pathOf(name), 'r')
        return handle.createReadStream(range)
      } catch (error) {
        throw isMissing(error) ? new BlobMissing(name, error) : error
      }
    },
    delete: (name) => rm(pathOf(name), { force: true }),
  }
}

async function sync(folder: string) {
  // Windows has no such call for folders.
  if (process.platform === 'win32') return
  await using handle = await open(folder, 'r')
  await handle.sync()
}

const isMissing = (error: unknown) =>
  error instanceof Error && 'code' in error && error.code === 'ENOENT'
