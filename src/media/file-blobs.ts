import { mkdir, open, rename, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { Clock } from '#core/clock.ts'
import { BlobMissing, type BlobStore, isBlobName } from './blob-store.ts'
import { checkedRead } from './checked-read.ts'
import { openSpool } from './spool.ts'

/** More than a block of most file systems, so that it needs room on the disk. */
const trialBytes = Buffer.alloc(16_384)

/**
 * Stores each blob as `folder/ab/cd/name`. The spool lies in the same folder, because a file can
 * only be renamed within one file system.
 */
export async function openFileBlobs(options: { folder: string; clock: Clock }): Promise<BlobStore> {
  const { folder, clock } = options
  const pathOf = (name: string) => {
    // Names come from rows, and rows may come from a backup that somebody forged.
    if (!isBlobName(name)) throw new BlobMissing(name, 'this cannot be the name of a blob')
    return join(folder, name.slice(0, 2), name.slice(2, 4), name)
  }

  async function keep(name: string, path: string) {
    const target = pathOf(name)
    const parent = dirname(target)
    const made = await mkdir(parent, { recursive: true, mode: 0o700 })
    await rename(path, target)
    // The directory entry must survive a power failure before a row may refer to it.
    await sync(parent)
    if (made !== undefined) for (const above of [dirname(parent), folder]) await sync(above)
  }

  const spoolFolder = join(folder, 'tmp')
  const spool = await openSpool({ folder: spoolFolder, clock, keep })
  return {
    ...spool,
    async open(name, range, sizeBytes) {
      try {
        const handle = await open(pathOf(name), 'r')
        return checkedRead(handle.createReadStream(range), name, { range, sizeBytes })
      } catch (error) {
        throw isMissing(error) ? new BlobMissing(name, error) : error
      }
    },
    async delete(name) {
      if (isBlobName(name)) await rm(pathOf(name), { force: true })
    },
    // Several processes may share the folder; the file is the same for all.
    check: () => writeFile(join(spoolFolder, 'check'), trialBytes, { mode: 0o600 }),
  }
}

async function sync(folder: string) {
  // Windows cannot sync a directory.
  if (process.platform === 'win32') return
  await using handle = await open(folder, 'r')
  await handle.sync()
}

const isMissing = (error: unknown) =>
  error instanceof Error && 'code' in error && error.code === 'ENOENT'
