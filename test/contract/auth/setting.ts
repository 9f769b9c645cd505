import { randomBytes } from 'node:crypto'
import { fileURLToPath } from 'node:url'
import { makeApiKey } from '#auth/api-key.ts'
import { createExternalTokens } from '#auth/external-tokens.ts'
import { fetchJson } from '#auth/fetch-json.ts'
import type { ExternalIssuer } from '#auth/issuers-file.ts'
import { openKeyRing } from '#auth/key-ring.ts'
import { createOwnTokens } from '#auth/own-tokens.ts'
import { hashToken } from '#auth/token-hash.ts'
import { createVerifier } from '#auth/verify.ts'
import { uuidV7 } from '#core/ids.ts'
import { scopes } from '#core/scopes.ts'
import type { Db } from '#store/db.ts'
import { createSecretBox } from '#store/secret-box.ts'
import { insertAccount } from '#store/tables/accounts.ts'
import { insertApiKey, type NewApiKey } from '#store/tables/api-keys.ts'
import { insertUser } from '#store/tables/users.ts'

export const migrations = fileURLToPath(new URL('../../../src/store/migrations', import.meta.url))
export const baseUrl = 'https://atelier.example'
export const audience = `${baseUrl}/api/ai-tools/v1`
export const box = createSecretBox(randomBytes(32))

export type HandClock = { nowMs(): number; at: number }

export function handClock(): HandClock {
  const clock: HandClock = { at: Date.UTC(2030, 0, 1), nowMs: () => clock.at }
  return clock
}

/** The same database, with a count of what it was asked. */
export function counting(db: Db) {
  const asked = { reads: 0, writes: 0 }
  const counted: Db = {
    ...db,
    query(sql, params) {
      asked.reads++
      return db.query(sql, params)
    },
    write(sql, params) {
      asked.writes++
      return db.write(sql, params)
    },
  }
  return { db: counted, asked }
}

export type Person = { accountId: string; userId: string }

export async function makePerson(db: Db, nowMs: number): Promise<Person> {
  const person = { accountId: uuidV7(nowMs), userId: uuidV7(nowMs) }
  await db.transaction(async (tx) => {
    await insertAccount(tx, { id: person.accountId, name: 'Some account', nowMs })
    await insertUser(tx, {
      id: person.userId,
      accountId: person.accountId,
      role: 'owner',
      email: null,
      passwordHash: null,
      oidc: null,
      nowMs,
    })
  })
  return person
}

export const newKey = (
  person: Person,
  options: Pick<NewApiKey, 'nowMs'> & Partial<NewApiKey>,
): NewApiKey => ({
  id: uuidV7(options.nowMs),
  ...person,
  name: 'a key',
  keyHash: randomBytes(32).toString('base64url'),
  display: 'sk_…',
  scopes,
  limits: {},
  expiresAtMs: null,
  ...options,
})

export async function makeKey(
  db: Db,
  person: Person,
  options: Pick<NewApiKey, 'nowMs'> & Partial<NewApiKey>,
): Promise<{ key: string; keyId: string }> {
  const key = makeApiKey(randomBytes)
  const stored = newKey(person, { ...options, keyHash: hashToken(key) })
  await insertApiKey(db, stored)
  return { key, keyId: stored.id }
}

/** What one process holds to check credentials. */
export async function startProcess(
  db: Db,
  clock: HandClock,
  options: { issuers?: ExternalIssuer[]; spendLimitMicros?: number } = {},
) {
  const keyRing = await openKeyRing({ db, box, clock })
  const ownTokens = createOwnTokens({ db, clock, keyRing, baseUrl })
  const externalTokens = createExternalTokens({
    db,
    clock,
    fetchJson,
    issuers: options.issuers ?? [],
  })
  const verifier = createVerifier({
    db,
    clock,
    ownTokens,
    externalTokens,
    spendLimitMicros: options.spendLimitMicros ?? null,
  })
  return { keyRing, ownTokens, verifier }
}

/** Both a thrown and a rejected refusal, as the caller of `verify` meets them. */
export const verified = async (
  verifier: ReturnType<typeof createVerifier>,
  token: string | undefined,
) => verifier.verify(token === undefined ? undefined : `Bearer ${token}`)

export const invalid = {
  name: 'Failure',
  code: 'INVALID_CREDENTIAL',
  headers: { 'www-authenticate': 'Bearer realm="ai-tools", error="invalid_token"' },
}
export const expired = { ...invalid, code: 'CREDENTIAL_EXPIRED' }
