import { toRfc3339 } from '#core/clock.ts'
import { money, toMicros } from '#core/money.ts'
import { Type } from '#core/schema.ts'
import type { Reader } from '#store/db.ts'
import { readAccount } from '#store/tables/accounts.ts'
import { listApiKeys } from '#store/tables/api-keys.ts'
import { dayOf } from '#store/tables/day-sums.ts'
import { spendUse } from '#store/tables/ledger.ts'
import { answer } from '../../operation.ts'
import { Closed, Money, NamedRecord, Nullable, Timestamp, Uuid } from '../../schemas.ts'
import { defineConsole, requireCaller } from '../context.ts'

const used = {
  today: Money,
  thisMonth: Money,
  inFlight: Money,
  limit: Nullable(Money),
  remaining: Nullable(Money),
}

const SpendLimits = NamedRecord('SpendLimits', {
  account: Closed({
    ...used,
    ownLimit: Nullable(Money),
    serverLimit: Nullable(Money),
  }),
  keys: Type.Array(
    Closed({ keyId: Uuid('A live key with a limit of its own.'), name: Type.String(), ...used }),
  ),
  resetsAt: { ...Timestamp, description: 'When the month of all limits ends (UTC).' },
})

export const getSpendLimits = defineConsole({
  id: 'getSpendLimits',
  route: 'GET /spend-limits',
  summary: 'Shows the spend limits of the account and its keys, and how much of them is used',
  access: 'viewer',
  takesKeys: true,
  success: {
    200: {
      description:
        'Days and months are in UTC, like the limits; `inFlight` is what calls in progress and waiting tasks may cost.',
      data: SpendLimits,
    },
  },
  async handle(context) {
    const { accountId } = requireCaller(context)
    const { db, clock, chats, server } = context.services
    const nowMs = clock.nowMs()
    await chats.flush(accountId)
    const ownLimit = (await readAccount(db, accountId))?.spendLimitMicros ?? null
    const { spendPerMonth } = server().limits
    const serverLimit = spendPerMonth && toMicros(spendPerMonth.amount)
    const limits = [ownLimit, serverLimit].filter((limit) => limit !== null)
    const limit = limits.length === 0 ? null : Math.min(...limits)
    const live = (await listApiKeys(db, accountId)).filter(
      ({ revokedAtMs, expiresAtMs, limits }) =>
        revokedAtMs === null &&
        (expiresAtMs === null || expiresAtMs > nowMs) &&
        limits.spendPerMonthMicros !== undefined,
    )
    return answer({
      account: {
        ...(await usedOf(db, { accountId, keyId: null, limit, nowMs })),
        ownLimit: ownLimit === null ? null : money(ownLimit),
        serverLimit: spendPerMonth,
      },
      keys: await Promise.all(
        live.map(async ({ id: keyId, name, limits: { spendPerMonthMicros: limit = null } }) => ({
          keyId,
          name,
          ...(await usedOf(db, { accountId, keyId, limit, nowMs })),
        })),
      ),
      resetsAt: toRfc3339(monthAfter(nowMs)),
    })
  },
})

const monthAfter = (nowMs: number) => {
  const now = new Date(nowMs)
  return Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + 1)
}

async function usedOf(
  db: Reader,
  of: { accountId: string; keyId: string | null; limit: number | null; nowMs: number },
) {
  const { accountId, keyId, limit, nowMs } = of
  const today = dayOf(nowMs)
  const fromDay = `${today.slice(0, 7)}-01`
  const use = await spendUse(db, accountId, { keyId, fromDay })
  const ofToday = await spendUse(db, accountId, { keyId, fromDay: today })
  const left = (limit ?? 0) - use.spentMicros - use.heldMicros
  return {
    today: money(ofToday.spentMicros),
    thisMonth: money(use.spentMicros),
    inFlight: money(use.heldMicros),
    limit: limit === null ? null : money(limit),
    remaining: limit === null ? null : money(Math.max(0, left)),
  }
}
