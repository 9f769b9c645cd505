import {
  closeSync,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  writeSync,
} from 'node:fs'
import { join } from 'node:path'
import type { Clock } from '#core/clock.ts'
import { uuidV7 } from '#core/ids.ts'
import { scopes } from '#core/scopes.ts'
import type { Db, Tx } from '#store/db.ts'
import { insertAccount } from '#store/tables/accounts.ts'
import { insertApiKey } from '#store/tables/api-keys.ts'
import { claimFact, readFact } from '#store/tables/server-facts.ts'
import { insertSetupLink } from '#store/tables/setup-links.ts'
import { insertUser, readUser } from '#store/tables/users.ts'
import { displayApiKey, isApiKey, makeApiKey } from './api-key.ts'
import { type Random, randomToken } from './random.ts'
import { hashToken } from './token-hash.ts'

export const ownerFact = 'owner'
const linkMs = 24 * 3_600_000

type Setting = { db: Db; dataDir: string; clock: Clock; baseUrl: string; random: Random }

/**
 * Makes the owner on the first start of an installation, and a fresh set-up link on every start
 * while the owner cannot sign in. `owner.key` is written once, by the process that made the
 * owner: a file deleted later is not made again, because its key is stored only as a hash and
 * a second one would be a credential nobody asked for. The console makes new keys. The file is
 * never overwritten: one that a start left before it was killed becomes the owner's key.
 */
export async function ensureOwner(
  setting: Setting,
): Promise<{ setupLink: string | null; ownerKeyPath: string | null }> {
  const { db, dataDir } = setting
  const path = join(dataDir, 'owner.key')
  const isNew = (await readFact(db, ownerFact)) === null && (await makeOwner(setting, path))
  return { setupLink: await makeSetupLink(setting), ownerKeyPath: isNew ? path : null }
}

function makeOwner({ db, dataDir, clock, random }: Setting, path: string): Promise<boolean> {
  mkdirSync(dataDir, { recursive: true })
  const nowMs = clock.nowMs()
  const [accountId, userId, keyId] = [uuidV7(nowMs), uuidV7(nowMs), uuidV7(nowMs)]
  return db.transaction(async (tx: Tx) => {
    // Of several processes that start together, the others wait here and then find it taken.
    if (!(await claimFact(tx, ownerFact, userId))) return false
    // Before the commit: a crash between the two leaves a file without a key, which the next
    // start takes over, and never a key without a file.
    const key = leftKey(path) ?? writeKeyFile(path, makeApiKey(random))
    await insertAccount(tx, { id: accountId, name: 'Owner', nowMs })
    await insertUser(tx, {
      id: userId,
      accountId,
      email: null,
      passwordHash: null,
      oidc: null,
      nowMs,
    })
    await insertApiKey(tx, {
      id: keyId,
      accountId,
      userId,
      name: 'owner.key',
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

/** The key in a file that is there already. */
function leftKey(path: string): string | null {
  if (!existsSync(path)) return null
  const key = readFileSync(path, 'utf8').trim()
  if (isApiKey(key)) return key
  throw new Error(
    `${path} is there and holds no API key. It is never overwritten: move it away and start again.`,
  )
}

/** Whole or not at all, and never readable by others. Synchronous: a transaction awaits only queries. */
function writeKeyFile(path: string, key: string): string {
  const draft = `${path}.${process.pid}.tmp`
  rmSync(draft, { force: true })
  const file = openSync(draft, 'wx', 0o600)
  try {
    writeSync(file, `${key}\n`)
    fsyncSync(file)
  } finally {
    closeSync(file)
  }
  renameSync(draft, path)
  return key
}

async function makeSetupLink({ db, clock, baseUrl, random }: Setting): Promise<string | null> {
  const userId = await readFact(db, ownerFact)
  const user = userId === null ? null : await readUser(db, userId)
  if (!user || user.passwordHash !== null || user.oidc !== null) return null
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
  // In the fragment: it reaches no server log and no Referer header.
  return `${baseUrl}/setup#token=${token}`
}
