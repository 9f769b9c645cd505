// A file that only grows, until what is still needed of it begins a new one. Promises that a line
// survives a kill of the process once `append` returns, and a power cut a moment later. Never
// takes a part of a line for a line, and never makes the event loop wait for the disk.
import { closeSync, fdatasync, fsync, openSync, readdirSync, rmSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { uuidV7 } from '#core/ids.ts'
import { StoreUnavailable } from '../db.ts'
import { soon } from '../soon.ts'

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

type Part = { path: string; file: number; size: number; fullSize: number; isNamed: boolean }

const suffix = '.journal'

/** The files an earlier process left in a folder; more than one if it died between two. */
export const journalPaths = (folder: string): string[] =>
  readdirSync(folder)
    .filter((name) => name.startsWith('chats-') && name.endsWith(suffix))
    .map((name) => join(folder, name))

export function openJournalFile(options: {
  folder: string
  nowMs(): number
  /** The line that holds all that is still needed. */
  needed(): string
  onError(error: unknown): void
  disk?: Disk | undefined
}): JournalFile {
  const { folder, nowMs, needed, disk = realDisk } = options
  let current = openPart()
  let former: Part[] = []
  let broken: StoreUnavailable | undefined

  function openPart(): Part {
    const path = join(folder, `chats-${uuidV7(nowMs())}${suffix}`)
    const file = openSync(path, 'wx', 0o600)
    return { path, file, size: 0, fullSize: fullBytes, isNamed: false }
  }

  /**
   * What a failed write left is overwritten by the next. It has no end of a line, so that what is
   * left of it after a shorter one counts for nothing.
   */
  function put(part: Part, text: string) {
    const bytes = Buffer.byteLength(text)
    if (disk.write(part.file, text, part.size) !== bytes)
      throw new Error('the disk took a part of it')
    part.size += bytes
  }

  /** The full one stays until the disk has the new one. */
  function renew() {
    // Where there is no room for a new one, a line may still find room in the full one.
    current.fullSize += fullBytes
    const next = openPart()
    try {
      put(next, needed())
    } catch (error) {
      remove(next)
      throw error
    }
    next.fullSize = Math.max(fullBytes, next.size * 2)
    former = [...former, current]
    current = next
  }

  const syncing = soon(
    async () => {
      const [part, replaced] = [current, former]
      await disk.sync(part.file)
      if (!part.isNamed) await syncFolder(folder)
      part.isNamed = true
      former = former.filter((one) => !replaced.includes(one))
      replaced.forEach(remove)
    },
    {
      afterMs: syncAfterMs,
      onError(error) {
        // After a failed sync nobody can say what is on disk: only a new start can.
        broken ??= new StoreUnavailable('the journal of chats could not be synced', error)
        void syncing.stop()
        options.onError(error)
      },
    },
  )
  return {
    append(line) {
      if (broken) throw broken
      try {
        if (current.size >= current.fullSize) renew()
      } catch (error) {
        options.onError(error)
      }
      try {
        put(current, line)
      } catch (error) {
        throw new StoreUnavailable('the journal of chats could not be written', error)
      }
      syncing.ask()
    },
    async close(how) {
      broken = new StoreUnavailable('it is closed')
      await syncing.stop()
      if (how === 'removed') [...former, current].forEach(remove)
      else for (const { file } of [...former, current]) closeSync(file)
    },
  }
}

function remove({ path, file }: Part) {
  closeSync(file)
  rmSync(path, { force: true })
}

async function syncFolder(folder: string) {
  // Windows has no such call for folders.
  if (process.platform === 'win32') return
  const file = openSync(folder, 'r')
  await promisify(fsync)(file).finally(() => closeSync(file))
}
