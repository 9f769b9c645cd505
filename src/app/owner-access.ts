// What whoever is at the machine can do for an owner who is locked out. PostgreSQL is written
// directly; on SQLite the server does it (owner-requests.ts).
import { randomBytes } from 'node:crypto'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { displayApiKey, makeApiKey } from '#auth/api-key.ts'
import { ownerKeyName, writeKeyFile } from '#auth/owner.ts'
import {
  findOwner,
  fulfilOwnerRequest,
  type OwnerRequest,
  recoveryLinkMs,
  recoveryLinkOf,
} from '#auth/owner-recovery.ts'
import { randomToken } from '#auth/random.ts'
import { hashToken } from '#auth/token-hash.ts'
import type { Config } from '#config'
import { type Clock, delay } from '#core/clock.ts'
import { uuidV7 } from '#core/ids.ts'
import type { Reader } from '#store/db.ts'
import type { User } from '#store/tables/users.ts'
import { leaveOwnerRequest } from './owner-requests.ts'

const random = (size: number): Uint8Array => randomBytes(size)
// The server looks every second; on a busy machine it may come late.
const patienceMs = 5_000
const lookEveryMs = 100

type Asked = { config: Config; clock: Clock; signal: AbortSignal; baseUrl: string }

/** `done`, or `waiting` for the server to start. */
type Outcome = 'done' | 'waiting'

type Installation = AsyncDisposable & {
  owner: User
  ask(request: OwnerRequest): Promise<Outcome>
}

const notSetUp = () =>
  new Error('This installation has no owner yet. Start the server: it prints a set-up link.')

async function openInstallation(asked: Asked): Promise<Installation> {
  return asked.config.DATABASE_URL === '' ? openSqliteHere(asked) : openPostgresHere(asked)
}

async function openSqliteHere({ config, clock, signal }: Asked): Promise<Installation> {
  const path = join(config.dataDir, 'atelier.db')
  if (!existsSync(path)) {
    throw new Error(`There is no database at ${path}. Set DATA_DIR to the folder of the server.`)
  }
  const { connectSqlite } = await import('#store/sqlite/connection.ts')
  const { sqliteDialect } = await import('#store/sqlite/dialect.ts')
  using connection = connectSqlite(path, { readOnly: true, pragmas: [] })
  const reader: Reader = {
    dialect: sqliteDialect,
    query: async (...statement) => connection.all(...statement),
  }
  const owner = await findOwner(reader)
  if (!owner) throw notSetUp()
  return {
    owner,
    async ask(request) {
      const nowMs = clock.nowMs()
      const left = leaveOwnerRequest(config.dataDir, uuidV7(nowMs), request)
      while (existsSync(left)) {
        if (clock.nowMs() - nowMs > patienceMs) return 'waiting'
        await delay(lookEveryMs, signal)
      }
      return 'done'
    },
    [Symbol.asyncDispose]: async () => {},
  }
}

async function openPostgresHere({ config, clock }: Asked): Promise<Installation> {
  const { openPostgres } = await import('#store/postgres/database.ts')
  const directUrl = config.DATABASE_DIRECT_URL || undefined
  const db = openPostgres({ url: config.DATABASE_URL, directUrl, poolSize: 2 })
  const close = () => db.close()
  try {
    const owner = await findOwner(db)
    if (!owner) throw notSetUp()
    return {
      owner,
      async ask(request) {
        await db.transaction((tx) => fulfilOwnerRequest(tx, request, clock.nowMs()))
        return 'done'
      },
      [Symbol.asyncDispose]: close,
    }
  } catch (error) {
    await close()
    throw error
  }
}

/** A link with which the owner sets a new password; their second step is turned off with it. */
export async function resetOwner(asked: Asked) {
  await using installation = await openInstallation(asked)
  const { owner } = installation
  const canSignIn = owner.passwordHash !== null || owner.oidc !== null
  if (canSignIn && owner.email === null) {
    throw new Error('The owner signs in with OpenID and has no e-mail for a password.')
  }
  const token = randomToken(random)
  const expiresAtMs = asked.clock.nowMs() + recoveryLinkMs
  const outcome = await installation.ask({
    kind: canSignIn ? 'reset' : 'set-up',
    userId: owner.id,
    tokenHash: hashToken(token),
    expiresAtMs,
  })
  const link = canSignIn
    ? recoveryLinkOf(asked.baseUrl, token)
    : `${asked.baseUrl}/setup#token=${token}`
  return { link, email: owner.email, expiresAtMs, outcome }
}

/** A new key of the owner in DATA_DIR/owner.key; the one before is revoked. */
export async function renewOwnerKey(asked: Asked) {
  await using installation = await openInstallation(asked)
  const key = makeApiKey(random)
  const path = join(asked.config.dataDir, ownerKeyName)
  // Written first: a key that nobody could read would be worse than a file without a key.
  writeKeyFile(path, key)
  const outcome = await installation.ask({
    kind: 'key',
    userId: installation.owner.id,
    keyId: uuidV7(asked.clock.nowMs()),
    keyHash: hashToken(key),
    display: displayApiKey(key),
  })
  return { path, outcome }
}
