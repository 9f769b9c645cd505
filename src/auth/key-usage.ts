import type { Clock } from '#core/clock.ts'
import type { Db } from '#store/db.ts'
import { recordKeyUse } from '#store/tables/api-keys.ts'

const minBetweenWritesMs = 60_000
const perCommit = 500

/** Mutable on purpose: recording a use on the request path is a single assignment. */
export type KeyUse = { usedAtMs: number; writtenAtMs: number }

export type KeyUsage = {
  of(keyId: string): KeyUse
  /** Writes the last use of each key that changed, at most once a minute per key. */
  flush(): Promise<void>
  /** Writes every use not yet written. */
  flushAll(): Promise<void>
}

export function createKeyUsage({ db, clock }: { db: Db; clock: Clock }): KeyUsage {
  const uses = new Map<string, KeyUse>()

  async function write(isDue: (use: KeyUse, nowMs: number) => boolean): Promise<void> {
    const nowMs = clock.nowMs()
    const due = [...uses].filter(([, use]) => use.usedAtMs > use.writtenAtMs && isDue(use, nowMs))
    for (let from = 0; from < due.length; from += perCommit) {
      await Promise.all(
        due.slice(from, from + perCommit).map(async ([keyId, use]) => {
          await recordKeyUse(db, keyId, use.usedAtMs)
          use.writtenAtMs = nowMs
        }),
      )
    }
    for (const [keyId, use] of uses) {
      // No cached verdict still refers to this entry, because verdicts expire within seconds.
      if (nowMs - Math.max(use.writtenAtMs, use.usedAtMs) >= minBetweenWritesMs) uses.delete(keyId)
    }
  }

  return {
    of(keyId) {
      const known = uses.get(keyId)
      if (known) return known
      const fresh = { usedAtMs: 0, writtenAtMs: 0 }
      uses.set(keyId, fresh)
      return fresh
    },
    flush: () => write((use, nowMs) => nowMs - use.writtenAtMs >= minBetweenWritesMs),
    flushAll: () => write(() => true),
  }
}
