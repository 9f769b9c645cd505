// The limits and prices that apply now to whoever started a run: a limit that is set while runs are
// under way holds for their further calls.
import { createBoundedMap } from '#core/bounded-map.ts'
import { lowerLimit } from '#core/budgets.ts'
import type { Clock } from '#core/clock.ts'
import type { AccountChoices, KeyLimits } from '#core/principal.ts'
import type { RunSpender } from '#core/run-facts.ts'
import { readAccount } from '#store/tables/accounts.ts'
import { findKeyById } from '#store/tables/api-keys.ts'
import type { MakerDeps } from './maker.ts'
import { trustMs } from './verdict.ts'

export type SpenderNow = (accountId: string, before: RunSpender) => Promise<RunSpender>

type Terms = AccountChoices & { spendLimitMicros: number | null; limits: KeyLimits | undefined }
type Read = { atMs: number; terms: Promise<Terms | null> }

/** All runs of a key ask, so what was read is remembered as long as a verdict. */
const maxRemembered = 10_000

export function createSpenderNow(deps: MakerDeps & { clock: Clock }): SpenderNow {
  const known = createBoundedMap<Read>({ maxEntries: maxRemembered })

  function termsOf(accountId: string, keyId: string | null): Read['terms'] {
    const name = `${accountId} ${keyId}`
    const nowMs = deps.clock.nowMs()
    const read = known.get(name)
    if (read && nowMs >= read.atMs && nowMs - read.atMs < trustMs) return read.terms
    const terms = readTerms(deps, accountId, keyId)
    known.set(name, { atMs: nowMs, terms })
    terms.catch(() => known.delete(name))
    return terms
  }

  return async (accountId, before) => {
    const { keyId, routes, tag } = before
    const terms = await termsOf(accountId, keyId)
    if (!terms) return before
    const { standIns, spending, limits = before.limits, spendLimitMicros } = terms
    return {
      keyId,
      // A run that was accepted goes on without its key, under the limits that it had.
      limits,
      accountSpendPerMonthMicros: lowerLimit(spendLimitMicros, deps.spendLimitMicros),
      // It began over these routes and is counted under this tag, whatever has become of them.
      ...(routes ? { routes } : {}),
      ...(tag === undefined ? {} : { tag }),
      ...(standIns ? { standIns } : {}),
      ...(spending ? { spending } : {}),
    }
  }
}

/** Null if the account is gone. */
async function readTerms(
  { db }: MakerDeps,
  accountId: string,
  keyId: string | null,
): Promise<Terms | null> {
  const key = keyId === null ? null : await findKeyById(db, accountId, keyId)
  const account = key?.account ?? (await readAccount(db, accountId))
  return account && { ...account, limits: key?.limits }
}
