// An append-only file. When it is full, whatever is still needed begins a new one. Promises that a
// line survives a kill of the process once `append` returns, and a power cut a moment later. Never
// mistakes part of a line for a line, and never makes the event loop wait for the disk to sync.
import { closeSync, fdatasync, fsync, openSync, readdirSync, rmSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { uuidV7 } from '#core/ids.ts'
import { StoreUnavailable } from '../db.ts'
import { overlappingSyncs } from './overlapping-syncs.ts'

const fullBytes = 4_194_304

export type Disk = {
  /** Returns how many bytes were written. */
  write(file: number, text: string, position: number): number
  sync(file: number): Promise<void>
  /** Keeps the names of new files. */
  syncFolder(path: string): Promise<void>
}

const realDisk: Disk = { write: writeSync, sync: promisify(fdatasync), syncFolder }

export type JournalFile = {
  /** If it throws StoreUnavailable, the line does not count. */
  append(line: string): void
  /** Rejects with StoreUnavailable if the next lines could not be written and synced. */
  tryWrite(): Promise<void>
  /** `removed` if nothing in it is needed any more. */
  close(how: 'kept' | 'removed'): Promise<void>
}

type Segment = {
  path: string
  file: number
  size: number
  fullSize: number
  /** Resolves once a power cut leaves its name; undefined before its first sync. */
  named: Promise<void> | undefined
}

const suffix = '.journal'

/** The files an earlier process left; more than one if it died before it removed a full one. */
export const journalPaths = (folder: string): string[] =>
  readdirSync(folder)
    .filter((name) => name.startsWith('chats-') && name.endsWith(suffix))
    .map((name) => join(folder, name))

type JournalOptions = {
  folder: string
  nowMs(): number
  /** Returns a line with everything that is still needed. */
  needed(): string
  onError(error: unknown): void
  /** Called once, when nothing can be written until the process restarts. */
  onBroken?(error: unknown): void
  disk?: Disk | undefined
}

/** Written past the end by a trial: more than the lines of a busy tick, and a few blocks of a disk. */
const trialText = ' '.repeat(16_384)

export function openJournalFile(options: JournalOptions): JournalFile {
  const { folder, disk = realDisk } = options
  let current = openSegment(options)
  let former: Segment[] = []
  let broken: StoreUnavailable | undefined

  const syncs = overlappingSyncs(() =>
    sync().catch((error) => {
      // After a failed sync it is unknown what is on disk: only a restart can tell.
      const failure = new StoreUnavailable('the chat log could not be synced', error)
      void syncs.stop()
      if (broken) options.onError(failure)
      else options.onBroken?.(failure)
      broken ??= failure
      throw failure
    }),
  )

  async function sync() {
    const [segment, replaced] = [current, former]
    segment.named ??= disk.syncFolder(folder)
    await Promise.all([disk.sync(segment.file), segment.named])
    if (replaced.length > 0) void removeUnused(replaced)
  }

  /** Other syncs may still use these files, or report a failure of the disk that this one missed. */
  async function removeUnused(replaced: readonly Segment[]) {
    await syncs.ended()
    if (broken) return
    for (const one of replaced) if (former.includes(one)) remove(one)
    former = former.filter((one) => !replaced.includes(one))
  }

  /** The full file is kept until the new one has been synced. */
  function renew() {
    // If there is no room for a new file, lines may still fit into the full one.
    current.fullSize += fullBytes
    const next = openFilled(options, disk)
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
      putOrRefuse(disk, current, line)
      syncs.schedule()
    },
    async tryWrite() {
      if (broken) throw broken
      const { size } = current
      // Without a line break this is no line, and without a new size the next line overwrites it.
      putOrRefuse(disk, current, trialText)
      current.size = size
      await syncs.run()
    },
    async close(how) {
      const isSound = !broken
      broken = new StoreUnavailable('the chat log is closed')
      if (how === 'kept' && isSound) await syncs.run().catch(() => {})
      await syncs.stop()
      if (how === 'removed') [...former, current].forEach(remove)
      else for (const { file } of [...former, current]) closeSync(file)
    },
  }
}

function openSegment({ folder, nowMs }: JournalOptions): Segment {
  const path = join(folder, `chats-${uuidV7(nowMs())}${suffix}`)
  const file = openSync(path, 'wx', 0o600)
  return { path, file, size: 0, fullSize: fullBytes, named: undefined }
}

/** A new file that begins with everything that is still needed. */
function openFilled(options: JournalOptions, disk: Disk): Segment {
  const segment = openSegment(options)
  try {
    put(disk, segment, options.needed())
  } catch (error) {
    remove(segment)
    throw error
  }
  segment.fullSize = Math.max(fullBytes, segment.size * 2)
  return segment
}

/**
 * The next write overwrites what a failed one left. That has no line break, so whatever a shorter
 * write does not overwrite is ignored.
 */
function put(disk: Disk, segment: Segment, text: string) {
  const bytes = Buffer.byteLength(text)
  if (disk.write(segment.file, text, segment.size) !== bytes)
    throw new Error('only part of the line was written')
  segment.size += bytes
}

function putOrRefuse(disk: Disk, segment: Segment, text: string) {
  try {
    put(disk, segment, text)
  } catch (error) {
    throw new StoreUnavailable('the chat log could not be written', error)
  }
}

function remove({ path, file }: Segment) {
  closeSync(file)
  rmSync(path, { force: true })
}

async function syncFolder(folder: string) {
  // Windows cannot sync a folder.
  if (process.platform === 'win32') return
  const file = openSync(folder, 'r')
  await promisify(fsync)(file).finally(() => closeSync(file))
}
