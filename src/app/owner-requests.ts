// On SQLite only the server writes. Whoever is at the machine leaves a request in a folder of
// DATA_DIR; the server fulfils it when it starts, and every second while it runs. A request
// holds no secret, and whoever can write it could read the keys of the installation anyway.
import { closeSync, fsyncSync, mkdirSync, openSync, renameSync, writeSync } from 'node:fs'
import { readdir, readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { fulfilOwnerRequest, type OwnerRequest } from '#auth/owner-recovery.ts'
import type { Clock } from '#core/clock.ts'
import { type Db, UniqueViolation } from '#store/db.ts'
import type { Logger } from './log.ts'
import { repeat } from './periodic.ts'

const folderName = 'owner-requests'
const everyMs = 1_000

/** Leaves a request; the path is gone once a server has fulfilled it. */
export function leaveOwnerRequest(dataDir: string, id: string, request: OwnerRequest): string {
  const folder = join(dataDir, folderName)
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const path = join(folder, `${id}.json`)
  const file = openSync(`${path}.tmp`, 'wx', 0o600)
  try {
    writeSync(file, JSON.stringify(request))
    fsyncSync(file)
  } finally {
    closeSync(file)
  }
  renameSync(`${path}.tmp`, path)
  return path
}

type Taker = { db: Db; dataDir: string; clock: Clock; log: Logger }

/** Resolves with how it is stopped, after the requests that were left before. */
export async function takeOwnerRequests(taker: Taker): Promise<() => Promise<void>> {
  if (taker.db.isShared) return async () => {}
  const onError = (err: unknown) => taker.log.error({ err }, 'the requests of the owner')
  await takeAll(taker).catch(onError)
  return repeat(everyMs, () => takeAll(taker), onError)
}

async function takeAll(taker: Taker): Promise<void> {
  const folder = join(taker.dataDir, folderName)
  // Mostly there is no such folder.
  const names = await readdir(folder).catch(() => [])
  for (const name of names.filter((found) => found.endsWith('.json')).sort()) {
    const path = join(folder, name)
    await takeOne(taker, path)
    await rm(path, { force: true })
  }
}

async function takeOne({ db, clock, log }: Taker, path: string): Promise<void> {
  const request = readRequest(await readFile(path, 'utf8'))
  const nowMs = clock.nowMs()
  const isDone =
    request !== null &&
    (await db
      .transaction((tx) => fulfilOwnerRequest(tx, request, nowMs))
      // It was fulfilled before, by a server that was killed before it could remove the file.
      .catch((error) => error instanceof UniqueViolation || Promise.reject(error)))
  if (isDone) log.warn({ kind: request?.kind }, 'fulfilled what was asked for at the machine')
  else log.warn({ path }, 'a request of the owner came too late or cannot be read')
}

function readRequest(text: string): OwnerRequest | null {
  try {
    const request = JSON.parse(text) as OwnerRequest
    return ['reset', 'set-up', 'key'].includes(request.kind) ? request : null
  } catch {
    return null
  }
}
