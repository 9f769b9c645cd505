// Files next to the data that only the server may read. A command may write them as root while the
// server runs as another user, so each file is given the owner of its folder.
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

/** Writes all or nothing. Synchronous, because a transaction may await nothing but queries. */
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

/** Without this, a server that runs as another user could not read files written by root. */
export function giveToOwnerOfFolder(path: string): void {
  if (process.getuid?.() !== 0) return
  const { uid, gid } = statSync(dirname(path))
  chownSync(path, uid, gid)
}
