// Turns an Authorization header into a Principal or a Failure. Revoking a key and disabling an
// account take effect immediately in the process that did it and within 5 s in all others. A
// credential checked in the last seconds costs no database read and no promise. Never stores,
// logs or returns a credential.

import type { Clock } from '#core/clock.ts'
import type { Principal } from '#core/principal.ts'
import type { Db } from '#store/db.ts'
import { findKeyByHash } from '#store/tables/api-keys.ts'
import { isApiKey } from './api-key.ts'
import { bearerToken, invalidCredential } from './bearer.ts'
import { maxTokenLength } from './check-jwt.ts'
import { jose } from './jose.ts'
import { createKeyUsage } from './key-usage.ts'
import { createKeysInUse } from './keys-in-use.ts'
import type { JwtOutcome, OwnTokens } from './own-tokens.ts'
import { hashToken } from './token-hash.ts'
import { accept, judgeJwt, judgeKey } from './verdict.ts'
import { createVerdictCache } from './verdict-cache.ts'

export type Verifier = {
  /** Returns no promise if this credential was checked in the last few seconds. */
  verify(authorization: string | readonly string[] | undefined): Principal | Promise<Principal>
  /** Makes a revocation take effect immediately in this process. */
  forgetKey(keyId: string): void
  /** Makes a disabled account or changed limits take effect immediately in this process. */
  forgetAccount(accountId: string): void
  /** Writes when keys were last used; call it about once a minute. */
  flush(): Promise<void>
  close(): Promise<void>
}

export type VerifierOptions = {
  db: Db
  clock: Clock
  ownTokens: OwnTokens
  externalTokens: ReadonlyMap<string, (token: string) => Promise<JwtOutcome>>
  /** The operator's monthly limit for every account; an account's own may be lower. Null: none. */
  spendLimitMicros: number | null
}

export function createVerifier(options: VerifierOptions): Verifier {
  const { db, clock, spendLimitMicros } = options
  const cache = createVerdictCache()
  const inUse = createKeysInUse()
  const usage = createKeyUsage({ db, clock })
  const reading = new Map<string, Promise<Principal>>()
  // Increases with every `forget`. A read that began before it must not be cached after it.
  let generation = 0

  async function check(token: string, hash: string, readAtMs: number): Promise<Principal> {
    const startedIn = generation
    const circumstances = { readAtMs, spendLimitMicros }
    const verdict = token.startsWith('sk_')
      ? judgeKey(await findKeyByHash(db, hash), usage.of, circumstances)
      : judgeJwt(await verifyJwt(token, options), circumstances)
    if (startedIn === generation) cache.remember(hash, verdict)
    return accept(verdict, clock.nowMs())
  }

  function readOnce(token: string, hash: string, nowMs: number): Promise<Principal> {
    const read = check(token, hash, nowMs).finally(() => {
      if (reading.get(hash) === read) reading.delete(hash)
    })
    reading.set(hash, read)
    return read
  }

  function forget(isGone: (principal: Principal) => boolean): void {
    generation++
    reading.clear()
    cache.forget(isGone)
  }

  return {
    verify(authorization) {
      const token = bearerToken(authorization)
      if (token.length > maxTokenLength) throw invalidCredential('the token is too long')
      const nowMs = clock.nowMs()
      const remembered = inUse.hashOf(token, nowMs)
      const hash = remembered ?? hashToken(token)
      const known = cache.find(hash, nowMs)
      if (known !== undefined) {
        const principal = accept(known, nowMs)
        if (remembered === undefined) inUse.remember(token, hash)
        return principal
      }
      if (token.startsWith('sk_') && !isApiKey(token)) throw invalidCredential('malformed key')
      return reading.get(hash) ?? readOnce(token, hash, nowMs)
    },
    forgetKey: (keyId) => forget((principal) => principal.keyId === keyId),
    forgetAccount: (accountId) => forget((principal) => principal.accountId === accountId),
    flush() {
      inUse.clear()
      return usage.flush()
    },
    close: usage.flushAll,
  }
}

async function verifyJwt(
  token: string,
  { ownTokens, externalTokens }: VerifierOptions,
): Promise<JwtOutcome> {
  const issuer = issuerOf(token)
  if (issuer === ownTokens.issuer) return ownTokens.verify(token)
  const external = externalTokens.get(issuer)
  if (!external) throw invalidCredential('unknown issuer')
  return external(token)
}

/** The issuer is read before the signature is checked, only to know whose rules apply. */
function issuerOf(token: string): string {
  try {
    return jose().decodeJwt(token).iss ?? ''
  } catch {
    throw invalidCredential('neither a key nor a JWT')
  }
}
