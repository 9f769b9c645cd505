// Files next to the data that nobody but the server may read. A command may write them as root,
// while the server runs as a user of its own: they belong to whom their folder belongs.
import {
  chownSync,
  closeSync,
  fsyncSync,
  openSync,
  renameSync,
  rmSync,
  statSync,
  writeSync,
} from 'node:fs'
import { dirname } from 'node:path'

/** The whole file or nothing. Synchronous: a transaction may await nothing but queries. */
export function writePrivateFile(path: string, text: string): void {
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
  renameSync(draft, path)
}

/** Without this, what root leaves for a server of another user could not be read by it. */
export function giveToOwnerOfFolder(path: string): void {
  if (process.getuid?.() !== 0) return
  const { uid, gid } = statSync(dirname(path))
  chownSync(path, uid, gid)
}
