// Files next to the data that only the server may read. A command may write them as root while the
// server runs as another user, so each file is given the owner of its folder.
import {
  chownSync,
  closeSync,
  fsyncSync,
  linkSync,
  openSync,
  renameSync,
  rmSync,
  statSync,
  writeSync,
} from 'node:fs'
import { dirname } from 'node:path'

/**
 * Writes all or nothing, and on disk. Synchronous, because a transaction may await nothing but
 * queries.
 */
export function writePrivateFile(path: string, text: string): void {
  renameSync(writeDraft(path, text), path)
  syncFolder(dirname(path))
}

/** The same, but leaves a file that is already there as it is: two processes may start at once. */
export function createPrivateFile(path: string, text: string): void {
  const draft = writeDraft(path, text)
  try {
    linkSync(draft, path)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  } finally {
    rmSync(draft)
  }
  syncFolder(dirname(path))
}

function writeDraft(path: string, text: string): string {
  const draft = `${path}.${process.pid}.tmp`
  rmSync(draft, { force: true })
  const file = openSync(draft, 'wx', 0o600)
  try {
    writeSync(file, text)
    fsyncSync(file)
  } finally {
    closeSync(file)
  }
  giveToOwnerOfFolder(draft)
  return draft
}

/** A file that was created or renamed keeps its name through a power cut only after this. */
export function syncFolder(folder: string): void {
  // Windows cannot sync a folder.
  if (process.platform === 'win32') return
  const file = openSync(folder, 'r')
  try {
    fsyncSync(file)
  } finally {
    closeSync(file)
  }
}

/** Without this, a server that runs as another user could not read files written by root. */
export function giveToOwnerOfFolder(path: string): void {
  if (process.getuid?.() !== 0) return
  const { uid, gid } = statSync(dirname(path))
  chownSync(path, uid, gid)
}
