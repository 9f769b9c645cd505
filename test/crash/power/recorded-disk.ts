// What a disk is sure to hold of a folder: the bytes of each file as of its last finished sync, and
// the names in each directory as of its last one. Everything newer may be there after a power cut,
// or not, or in part (survivors.ts).
//
// SQLite's own syncs happen in native code and are not seen here. They are taken as documented
// (https://sqlite.org/walformat.html): the database file is written only from a log that was synced
// before, and a new log is synced together with its folder. Only the log itself is left to us.
import { type BigIntStats, readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'

export const databaseName = 'atelier.db'
export const logName = `${databaseName}-wal`

/** Identifiers of files by name. */
export type Entries = Map<string, string>

export type Disk = {
  folder: string
  /** Files by identifier. */
  contents: Map<string, Buffer>
  /** Names in directories, by identifier of the directory. */
  entries: Map<string, Entries>
  /** Identifiers of everything that is a directory. */
  folders: Set<string>
  /** When each file was captured last, counted in captures. */
  newest: Map<string, number>
  captures: number
  /** When the last finished sync of each chat journal began. */
  journals: Map<string, number>
  /** When the database file was last written to as its log was synced. */
  databaseAtLogSync: bigint | undefined
}

// Numbers of files are reused; together with the time of creation they are not.
export const idOf = ({ ino, birthtimeNs }: BigIntStats) => `${ino} ${birthtimeNs}`
export const stats = (path: string) => statSync(path, { bigint: true, throwIfNoEntry: false })

const rootOf = ({ folder }: Disk): string => {
  const root = stats(folder)
  if (!root) throw new Error(`${folder} is gone`)
  return idOf(root)
}

export const databaseTime = ({ folder }: Disk) => stats(join(folder, databaseName))?.mtimeNs

/** All that is in the folder now is on disk. */
export function createDisk(folder: string): Disk {
  const disk: Disk = {
    folder,
    contents: new Map(),
    entries: new Map(),
    folders: new Set(),
    newest: new Map(),
    captures: 0,
    journals: new Map(),
    databaseAtLogSync: undefined,
  }
  const captureAll = (path: string) => {
    const seen = stats(path)
    if (!seen) return
    capture(disk, seen)()
    if (seen.isDirectory()) for (const name of readdirSync(path)) captureAll(join(path, name))
  }
  captureAll(folder)
  return disk
}

export function namesIn({ folders }: Disk, path: string): Entries {
  const found: Entries = new Map()
  for (const name of readdirSync(path)) {
    const seen = stats(join(path, name))
    if (!seen) continue
    found.set(name, idOf(seen))
    if (seen.isDirectory()) folders.add(idOf(seen))
  }
  return found
}

export function pathOf(disk: Disk, id: string, path = disk.folder): string | undefined {
  const seen = stats(path)
  if (!seen || idOf(seen) === id) return seen && path
  if (!seen.isDirectory()) return undefined
  for (const name of readdirSync(path)) {
    const found = pathOf(disk, id, join(path, name))
    if (found) return found
  }
  return undefined
}

/** What a sync that starts now makes durable; to be called once it is finished. */
export function capture(disk: Disk, file: BigIntStats): () => void {
  const id = idOf(file)
  const path = pathOf(disk, id)
  if (!path) return () => {}
  if (file.isDirectory()) {
    const names = namesIn(disk, path)
    return () => void disk.entries.set(id, names)
  }
  const bytes = readFileSync(path)
  const databaseAtMs = databaseTime(disk)
  const startedAtMs = Date.now()
  const order = ++disk.captures
  return () => {
    // Of two syncs of a file, the one that started later may end first.
    if ((disk.newest.get(id) ?? 0) > order) return
    disk.newest.set(id, order)
    disk.contents.set(id, bytes)
    if (path.endsWith('.journal')) disk.journals.set(id, startedAtMs)
    if (path !== join(disk.folder, logName)) return
    disk.databaseAtLogSync = databaseAtMs
    const known = disk.entries.get(rootOf(disk))
    for (const [name, entry] of namesIn(disk, disk.folder))
      if (name.startsWith(databaseName)) known?.set(name, entry)
  }
}

/** Chats that were answered before this must survive. */
export function chatsUpToMs(disk: Disk): number {
  const named = new Set(disk.entries.get(rootOf(disk))?.values())
  return Math.max(0, ...[...disk.journals].flatMap(([id, atMs]) => (named.has(id) ? [atMs] : [])))
}
