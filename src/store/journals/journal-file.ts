// A file that only grows, until what is still needed of it begins a new one. Promises that a line
// survives a kill of the process once `append` returns, and a power cut a moment later. Never
// takes a part of a line for a line, and never makes the event loop wait for the disk.
import { closeSync, fdatasync, fsync, openSync, readdirSync, rmSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { coalesce } from '#core/coalesce.ts'
import { uuidV7 } from '#core/ids.ts'
import { StoreUnavailable } from '../db.ts'

/** What a power cut may take; the sync costs no caller anything. */
const syncAfterMs = 50
const fullBytes = 4_194_304

export type Disk = {
  /** How many bytes were written. */
  write(file: number, text: string, position: number): number
  sync(file: number): Promise<void>
}

const realDisk: Disk = { write: writeSync, sync: promisify(fdatasync) }

export type JournalFile = {
  /** Throws StoreUnavailable; the line does not count then. */
  append(line: string): void
  /** `removed` where nothing of it is needed any more. */
  close(how: 'kept' | 'removed'): Promise<void>
}

type Segment = { path: string; file: number; size: number; fullSize: number; isNamed: boolean }

const suffix = '.journal'

/** The files an earlier process left in a folder; more than one if it died between two. */
export const journalPaths = (folder: string): string[] =>
  readdirSync(folder)
    .filter((name) => name.startsWith('chats-') && name.endsWith(suffix))
    .map((name) => join(folder, name))

type JournalOptions = {
  folder: string
  nowMs(): number
  /** The line that holds all that is still needed. */
  needed(): string
  onError(error: unknown): void
  disk?: Disk | undefined
}

export function openJournalFile(options: JournalOptions): JournalFile {
  const { folder, disk = realDisk } = options
  let current = openSegment(options)
  let former: Segment[] = []
  let broken: StoreUnavailable | undefined

  const syncs = coalesce(
    async () => {
      const [segment, replaced] = [current, former]
      await disk.sync(segment.file)
      if (!segment.isNamed) await syncFolder(folder)
      segment.isNamed = true
      former = former.filter((one) => !replaced.includes(one))
      replaced.forEach(remove)
    },
    {
      afterMs: syncAfterMs,
      onError(error) {
        // After a failed sync nobody can say what is on disk: only a new start can.
        broken ??= new StoreUnavailable('the journal of chats could not be synced', error)
        void syncs.stop()
        options.onError(error)
      },
    },
  )

  /** The full one stays until the disk has the new one. */
  function renew() {
    // Where there is no room for a new one, a line may still find room in the full one.
    current.fullSize += fullBytes
    const next = openSegment(options)
    try {
      put(disk, next, options.needed())
    } catch (error) {
      remove(next)
      throw error
    }
    next.fullSize = Math.max(fullBytes, next.size * 2)
    former = [...former, current]
    current = next
  }

  return {
    append(line) {
      if (broken) throw broken
      try {
        if (current.size >= current.fullSize) renew()
      } catch (error) {
        options.onError(error)
      }
      try {
        put(disk, current, line)
      } catch (error) {
        throw new StoreUnavailable('the journal of chats could not be written', error)
      }
      syncs.schedule()
    },
    async close(how) {
      broken = new StoreUnavailable('it is closed')
      await syncs.stop()
      if (how === 'removed') [...former, current].forEach(remove)
      else for (const { file } of [...former, current]) closeSync(file)
    },
  }
}

function openSegment({ folder, nowMs }: JournalOptions): Segment {
  const path = join(folder, `chats-${uuidV7(nowMs())}${suffix}`)
  const file = openSync(path, 'wx', 0o600)
  return { path, file, size: 0, fullSize: fullBytes, isNamed: false }
}

/**
 * What a failed write left is overwritten by the next. It has no end of a line, so that what is
 * left of it after a shorter one counts for nothing.
 */
function put(disk: Disk, segment: Segment, text: string) {
  const bytes = Buffer.byteLength(text)
  if (disk.write(segment.file, text, segment.size) !== bytes)
    throw new Error('the disk took a part of it')
  segment.size += bytes
}

function remove({ path, file }: Segment) {
  closeSync(file)
  rmSync(path, { force: true })
}

async function syncFolder(folder: string) {
  // Windows has no such call for folders.
  if (process.platform === 'win32') return
  const file = openSync(folder, 'r')
  await promisify(fsync)(file).finally(() => closeSync(file))
}
