import { createPrivateKey, createPublicKey, generateKeyPairSync, type KeyObject } from 'node:crypto'
import type { JSONWebKeySet, JWK, JWTVerifyGetKey } from 'jose'
import type { Clock } from '#core/clock.ts'
import type { Db } from '#store/db.ts'
import type { SecretBox } from '#store/secret-box.ts'
import {
  deleteSigningKeysBefore,
  insertSigningKey,
  listSigningKeys,
  type StoredSigningKey,
} from '#store/tables/signing-keys.ts'
import { invalidCredential } from './bearer.ts'
import { jose } from './jose.ts'
import { planRotation, type ScheduledKey, signingKeyAt } from './key-schedule.ts'

export const ownAlgorithm = 'EdDSA'
const minBetweenReloadsMs = 30_000

type LoadedKey = ScheduledKey & { kid: string; jwk: JWK; publicKey: KeyObject; signer: KeyObject }

export type KeyRing = {
  /** Loads the shared keys, creates the next one when due, deletes those no valid token uses. */
  rotateIfDue(): Promise<void>
  signer(): { kid: string; key: KeyObject }
  /** The document served at /.well-known/jwks.json. */
  jwks(): JSONWebKeySet
  find: JWTVerifyGetKey
}

/** The signing keys, which all processes share through the database. */
export async function openKeyRing(options: {
  db: Db
  box: SecretBox
  clock: Clock
}): Promise<KeyRing> {
  const { db, box, clock } = options
  let keys: LoadedKey[] = []
  let reloadedAtMs = 0

  async function load(): Promise<void> {
    reloadedAtMs = clock.nowMs()
    const known = new Map(keys.map((key) => [key.kid, key]))
    const stored = await listSigningKeys(db)
    keys = stored.map((key) => known.get(key.kid) ?? loadKey(key, box))
  }

  async function rotateIfDue(): Promise<void> {
    await load()
    const nowMs = clock.nowMs()
    const { create, deleteBefore } = planRotation(keys, nowMs)
    if (create) await insertSigningKey(db, await makeKey(create, nowMs, box))
    if (deleteBefore !== null) await deleteSigningKeysBefore(db, deleteBefore)
    if (create || deleteBefore !== null) await load()
  }

  const byKid = (kid: string | undefined) => keys.find((key) => key.kid === kid)?.publicKey

  await rotateIfDue()
  return {
    rotateIfDue,
    signer() {
      const key = signingKeyAt(keys, clock.nowMs())
      if (!key) throw new Error('there is no signing key')
      return { kid: key.kid, key: key.signer }
    },
    jwks: () => ({ keys: keys.map((key) => key.jwk) }),
    async find(header) {
      const known = byKid(header.kid)
      if (known) return known
      // Another process may have created this key since the last load. The interval keeps
      // made-up key ids from causing a database read each.
      if (clock.nowMs() - reloadedAtMs >= minBetweenReloadsMs) await load()
      const loaded = byKid(header.kid)
      if (!loaded) throw invalidCredential('no key has this id')
      return loaded
    },
  }
}

/** What the sealed private key is bound to; the box does not open it in any other row. */
const rowOf = (kid: string) => ({ table: 'signing_keys', row: kid })

async function makeKey(
  scheduled: ScheduledKey,
  nowMs: number,
  box: SecretBox,
): Promise<StoredSigningKey> {
  const pair = generateKeyPairSync('ed25519')
  const jwk = pair.publicKey.export({ format: 'jwk' }) as JWK
  const kid = await jose().calculateJwkThumbprint(jwk)
  const privateJwk = JSON.stringify(pair.privateKey.export({ format: 'jwk' }))
  return {
    ...scheduled,
    kid,
    publicJwk: { ...jwk, kid, alg: ownAlgorithm, use: 'sig' },
    sealedPrivateJwk: box.seal(rowOf(kid), Buffer.from(privateJwk)),
    createdAtMs: nowMs,
  }
}

function loadKey(stored: StoredSigningKey, box: SecretBox): LoadedKey {
  const jwk: JWK = stored.publicJwk
  const privateJwk = JSON.parse(
    box.open(rowOf(stored.kid), stored.sealedPrivateJwk).toString('utf8'),
  )
  const { sequence, activeFromMs, kid } = stored
  const publicKey = createPublicKey({ key: jwk, format: 'jwk' })
  const signer = createPrivateKey({ key: privateJwk, format: 'jwk' })
  return { sequence, activeFromMs, kid, jwk, publicKey, signer }
}
