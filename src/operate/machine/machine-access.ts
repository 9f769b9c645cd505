// How a command reaches the installation on its machine. PostgreSQL is written directly; on SQLite
// only the server writes, so the command reads and leaves a request (machine-requests).
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { findOwner } from '#auth/owner-recovery.ts'
import type { Config } from '#config'
import { type Clock, delay } from '#core/clock.ts'
import { uuidV7 } from '#core/ids.ts'
import type { Reader } from '#store/db.ts'
import type { User } from '#store/tables/users.ts'
import { fulfilRequest, leaveRequest, type MachineRequest } from './machine-requests.ts'

// The server looks for requests every second, or somewhat later on a busy machine.
const patienceMs = 5_000
const lookEveryMs = 100

export type CommandContext = { config: Config; clock: Clock; signal: AbortSignal; baseUrl: string }

/** `done`, or `waiting` for the server to start. */
export type Outcome = 'done' | 'waiting'

type Installation = AsyncDisposable & {
  owner: User
  reader: Reader
  ask(request: MachineRequest): Promise<Outcome>
}

/** The request cannot be carried out; the message says why. */
export class MachineRefused extends Error {
  override name = 'MachineRefused'
}

const notSetUp = () =>
  new MachineRefused(
    'This installation has no owner yet. Start the server: it prints a set-up link.',
  )

export async function openInstallation(context: CommandContext): Promise<Installation> {
  return context.config.DATABASE_URL === '' ? openSqliteHere(context) : openPostgresHere(context)
}

async function openSqliteHere({ config, clock, signal }: CommandContext): Promise<Installation> {
  const path = join(config.dataDir, 'atelier.db')
  if (!existsSync(path)) {
    throw new MachineRefused(
      `There is no database at ${path}. Set DATA_DIR to the folder of the server.`,
    )
  }
  const { openSqliteReader } = await import('#store/sqlite/snapshot.ts')
  await using opened = new AsyncDisposableStack()
  const reader = opened.use(openSqliteReader(path))
  const owner = await findOwner(reader)
  if (!owner) throw notSetUp()
  const toClose = opened.move()
  return {
    owner,
    reader,
    async ask(request) {
      const nowMs = clock.nowMs()
      const left = leaveRequest(config.dataDir, uuidV7(nowMs), request)
      while (existsSync(left)) {
        if (clock.nowMs() - nowMs > patienceMs) return 'waiting'
        await delay(lookEveryMs, signal)
      }
      return 'done'
    },
    [Symbol.asyncDispose]: () => toClose.disposeAsync(),
  }
}

async function openPostgresHere({ config, clock }: CommandContext): Promise<Installation> {
  const { openPostgres } = await import('#store/postgres/database.ts')
  const directUrl = config.DATABASE_DIRECT_URL || undefined
  // Only the person at the command waits for the answer, however slow the machine is.
  const answerWithinMs = 150_000
  const db = openPostgres({ url: config.DATABASE_URL, directUrl, poolSize: 2, answerWithinMs })
  const close = () => db.close()
  try {
    const owner = await findOwner(db)
    if (!owner) throw notSetUp()
    return {
      owner,
      reader: db,
      async ask(request) {
        await db.transaction((tx) => fulfilRequest(tx, request, clock.nowMs()))
        return 'done'
      },
      [Symbol.asyncDispose]: close,
    }
  } catch (error) {
    await close()
    throw error
  }
}
