// On SQLite only the server writes. A command on its machine leaves a request in a folder of
// DATA_DIR; the server looks there when it starts, and every second while it runs. A request
// holds no secret, and whoever can write one could read the keys of the installation anyway.
import { mkdirSync } from 'node:fs'
import { readdir, readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { fulfilOwnerRequest, type OwnerRequest } from '#auth/owner-recovery.ts'
import { type AccountRequest, switchAccount } from '#auth/switch-account.ts'
import type { Clock } from '#core/clock.ts'
import { repeat } from '#core/repeat.ts'
import { type Db, type Tx, UniqueViolation } from '#store/db.ts'
import { giveToOwnerOfFolder, writePrivateFile } from '#store/private-file.ts'
import type { Logger } from '../log.ts'

const folderName = 'owner-requests'
const everyMs = 1_000

export type MachineRequest = OwnerRequest | AccountRequest

/** Returns false if the request has expired, or its user or account does not exist any more. */
export const fulfilRequest = (tx: Tx, request: MachineRequest, nowMs: number): Promise<boolean> =>
  request.kind === 'account'
    ? switchAccount(tx, request, nowMs)
    : fulfilOwnerRequest(tx, request, nowMs)

/** Leaves a request and returns its path, which is gone once a server has handled it. */
export function leaveRequest(dataDir: string, id: string, request: MachineRequest): string {
  const folder = join(dataDir, folderName)
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  giveToOwnerOfFolder(folder)
  const path = join(folder, `${id}.json`)
  writePrivateFile(path, JSON.stringify(request))
  return path
}

type HandlerDeps = { db: Db; dataDir: string; clock: Clock; log: Logger }

/** Handles the requests that are already there, then resolves with a function that stops it. */
export async function handleRequests(deps: HandlerDeps): Promise<() => Promise<void>> {
  if (deps.db.isShared) return async () => {}
  // The same error would come back every second, so it is logged once.
  let logged = ''
  const onError = (err: unknown) => {
    if (String(err) === logged) return
    logged = String(err)
    deps.log.error({ err }, 'requests left on this machine could not be handled')
  }
  await handleAll(deps).catch(onError)
  return repeat(everyMs, () => handleAll(deps), onError)
}

async function handleAll(deps: HandlerDeps): Promise<void> {
  const folder = join(deps.dataDir, folderName)
  const names = await readdir(folder).catch((error: NodeJS.ErrnoException) => {
    // Usually there is no such folder.
    if (error.code === 'ENOENT') return []
    throw error
  })
  for (const name of names.filter((found) => found.endsWith('.json')).sort()) {
    const path = join(folder, name)
    await handleOne(deps, path)
    await rm(path, { force: true })
  }
}

async function handleOne({ db, clock, log }: HandlerDeps, path: string): Promise<void> {
  const request = readRequest(await readFile(path, 'utf8'))
  const nowMs = clock.nowMs()
  const isDone =
    request !== null &&
    (await db
      .transaction((tx) => fulfilRequest(tx, request, nowMs))
      // It was fulfilled before, by a server that was killed before it could remove the file.
      .catch((error) => error instanceof UniqueViolation || Promise.reject(error)))
  if (isDone) log.warn({ kind: request?.kind }, 'carried out a request left on this machine')
  else log.warn({ path }, ignored)
}

const ignored =
  'a request left on this machine was ignored: it has expired, cannot be read, or its user or account does not exist'

function readRequest(text: string): MachineRequest | null {
  try {
    const request = JSON.parse(text) as MachineRequest
    return ['reset', 'set-up', 'key', 'account'].includes(request.kind) ? request : null
  } catch {
    return null
  }
}
