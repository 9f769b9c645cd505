import { existsSync, mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Clock } from '#core/clock.ts'
import { uuidV7 } from '#core/ids.ts'
import { scopes } from '#core/scopes.ts'
import type { Db, Tx } from '#store/db.ts'
import { writePrivateFile } from '#store/private-file.ts'
import { insertAccount } from '#store/tables/accounts.ts'
import { insertApiKey } from '#store/tables/api-keys.ts'
import { claimFact, readFact } from '#store/tables/server-facts.ts'
import { insertSetupLink } from '#store/tables/setup-links.ts'
import { insertUser, readUser } from '#store/tables/users.ts'
import { displayApiKey, isApiKey, makeApiKey } from './api-key.ts'
import { type Random, randomToken } from './random.ts'
import { hashToken } from './token-hash.ts'

export const ownerFact = 'owner'
/** The name of the file in DATA_DIR, and of the key. */
export const ownerKeyName = 'owner.key'
const linkMs = 24 * 3_600_000

type OwnerDeps = { db: Db; dataDir: string; clock: Clock; baseUrl: string; random: Random }

/**
 * Creates the owner when an installation first starts, and a new set-up link on every start until
 * the owner can sign in. `owner.key` is written once, by the process that created the owner. If
 * the file is deleted later it is not written again: its key is stored only as a hash, and a
 * second key would be a credential nobody asked for. `atelier owner-key` makes a new one.
 * An existing file is never overwritten: if an earlier start was killed after writing it, its key
 * becomes the owner's key.
 */
export async function ensureOwner(
  deps: OwnerDeps,
): Promise<{ setupLink: string | null; ownerKeyPath: string | null }> {
  const { db, dataDir } = deps
  const path = join(dataDir, ownerKeyName)
  const isNew = (await readFact(db, ownerFact)) === null && (await makeOwner(deps, path))
  return { setupLink: await makeSetupLink(deps), ownerKeyPath: isNew ? path : null }
}

function makeOwner({ db, dataDir, clock, random }: OwnerDeps, path: string): Promise<boolean> {
  mkdirSync(dataDir, { recursive: true })
  const nowMs = clock.nowMs()
  const [accountId, userId, keyId] = [uuidV7(nowMs), uuidV7(nowMs), uuidV7(nowMs)]
  return db.transaction(async (tx: Tx) => {
    // If several processes start together, one claims the fact; the others wait here and then
    // see that it is already claimed.
    if (!(await claimFact(tx, ownerFact, userId))) return false
    // The file is written before the commit. A crash in between leaves a file whose key is not
    // in the database, which the next start adopts, but never a stored key without its file.
    const key = existingKey(path) ?? writeKeyFile(path, makeApiKey(random))
    await insertAccount(tx, { id: accountId, name: 'Owner', nowMs })
    await insertUser(tx, {
      id: userId,
      accountId,
      role: 'owner',
      email: null,
      passwordHash: null,
      oidc: null,
      nowMs,
    })
    await insertApiKey(tx, {
      id: keyId,
      accountId,
      userId,
      name: ownerKeyName,
      keyHash: hashToken(key),
      display: displayApiKey(key),
      scopes,
      limits: {},
      expiresAtMs: null,
      nowMs,
    })
    return true
  })
}

/** The key in a file that an earlier start left behind. */
function existingKey(path: string): string | null {
  if (!existsSync(path)) return null
  const key = readFileSync(path, 'utf8').trim()
  if (isApiKey(key)) return key
  throw new Error(
    `${path} exists but holds no API key. It is never overwritten: move it away and start again.`,
  )
}

export function writeKeyFile(path: string, key: string): string {
  writePrivateFile(path, `${key}\n`)
  return key
}

async function makeSetupLink({ db, clock, baseUrl, random }: OwnerDeps): Promise<string | null> {
  const userId = await readFact(db, ownerFact)
  const user = userId === null ? null : await readUser(db, userId)
  if (!user || user.removedAtMs !== null) return null
  if (user.passwordHash !== null || user.oidc !== null) return null
  const token = randomToken(random)
  const nowMs = clock.nowMs()
  await db.transaction((tx) =>
    insertSetupLink(tx, {
      tokenHash: hashToken(token),
      userId: user.id,
      expiresAtMs: nowMs + linkMs,
      nowMs,
    }),
  )
  // A fragment appears in no server log and in no Referer header.
  return `${baseUrl}/setup#token=${token}`
}
