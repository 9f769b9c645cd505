// A folder as it may be after a power cut: what was synced, and of the rest whatever chance leaves.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Chance } from '../chance.ts'
import {
  type Disk,
  databaseName,
  databaseTime,
  type Entries,
  idOf,
  logName,
  namesIn,
  pathOf,
  stats,
} from './recorded-disk.ts'

/** `kept`: as after a kill. `dropped`: nothing that was not synced. `torn`: each block by chance. */
export type Loss = 'kept' | 'dropped' | 'torn'

type How = { loss: Loss; chance: Chance }

/** The first connection rebuilds it from the log. */
const indexName = `${databaseName}-shm`

export function writeSurvivors(disk: Disk, out: string, how: How) {
  const root = stats(disk.folder)
  if (root) writeFolder(disk, { path: disk.folder, id: idOf(root), out }, how)
}

/** `path` is undefined if it has been removed. */
function writeFolder(
  disk: Disk,
  { path, id, out }: { path: string | undefined; id: string; out: string },
  how: How,
) {
  mkdirSync(out, { recursive: true, mode: 0o700 })
  const now: Entries = path === undefined ? new Map() : namesIn(disk, path)
  const then: Entries = disk.entries.get(id) ?? new Map()
  for (const name of new Set([...now.keys(), ...then.keys()])) {
    if (name === indexName) continue
    const isOfSqlite = path === disk.folder && name.startsWith(databaseName) && name !== logName
    const loss = isOfSqlite ? 'kept' : how.loss
    const chosen = survivor(now.get(name), then.get(name), { ...how, loss })
    if (chosen === undefined) continue
    const current = path && chosen === now.get(name) ? join(path, name) : pathOf(disk, chosen)
    if (disk.folders.has(chosen))
      writeFolder(disk, { path: current, id: chosen, out: join(out, name) }, how)
    else writeFileSync(join(out, name), survivingFile(disk, current, chosen, how), { mode: 0o600 })
  }
}

function survivor<T>(now: T, then: T, { loss, chance }: How): T {
  if (now === then || loss === 'kept') return now
  return loss === 'dropped' || chance.below(2) === 0 ? then : now
}

function survivingFile(disk: Disk, path: string | undefined, id: string, how: How): Buffer {
  const then = disk.contents.get(id) ?? Buffer.alloc(0)
  if (path === undefined) return then
  const now = readFileSync(path)
  return isSyncedBySqlite(disk, path) ? now : survivingBytes(now, then, how)
}

function isSyncedBySqlite(disk: Disk, path: string): boolean {
  if (path !== join(disk.folder, logName)) return path.startsWith(join(disk.folder, databaseName))
  const { databaseAtLogSync } = disk
  return databaseAtLogSync !== undefined && databaseTime(disk) !== databaseAtLogSync
}

const blockBytes = 4096
const sectorBytes = 512

/** The disk may have written any of the blocks that changed, in any order, and some in part. */
function survivingBytes(now: Buffer, then: Buffer, how: How): Buffer {
  const { loss, chance } = how
  if (loss !== 'torn') return survivor(now, then, how)
  const [shorter, longer] = [now.length, then.length].sort((a, b) => a - b) as [number, number]
  const cutAt = shorter + chance.below(longer - shorter + 1)
  const bytes = Buffer.alloc(chance.of([now.length, then.length, cutAt]))
  then.copy(bytes)
  for (let at = 0; at < bytes.length; at += blockBytes) {
    const block = now.subarray(at, at + blockBytes)
    if (block.equals(then.subarray(at, at + blockBytes))) continue
    const written = chance.of([blockBytes, 0, chance.below(blockBytes / sectorBytes) * sectorBytes])
    block.subarray(0, written).copy(bytes, at)
  }
  return bytes
}
