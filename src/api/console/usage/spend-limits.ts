import { toRfc3339 } from '#core/clock.ts'
import { money, toMicros } from '#core/money.ts'
import { Type } from '#core/schema.ts'
import type { Reader } from '#store/db.ts'
import { readAccount } from '#store/tables/accounts.ts'
import { listApiKeys } from '#store/tables/api-keys.ts'
import { scopeUse } from '#store/tables/spend-uses.ts'
import { answer } from '../../operation.ts'
import { Closed, Money, NamedRecord, Nullable, Timestamp, Uuid } from '../../schemas.ts'
import { type ConsoleServices, defineConsole, requireCaller } from '../context.ts'

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
    const { db, clock, chats } = context.services
    const nowMs = clock.nowMs()
    await chats.flush(accountId)
    const { ownLimit, serverLimit, limit } = await accountLimit(context.services, accountId)
    const live = await limitedKeys(db, accountId, nowMs)
    return answer({
      account: {
        ...(await usedOf(db, { accountId, keyId: null, limit, nowMs })),
        ownLimit: ownLimit === null ? null : money(ownLimit),
        serverLimit: serverLimit === null ? null : money(serverLimit),
      },
      keys: await Promise.all(
        live.map(async ({ keyId, name, limit }) => ({
          keyId,
          name,
          ...(await usedOf(db, { accountId, keyId, limit, nowMs })),
        })),
      ),
      resetsAt: toRfc3339(monthAfter(nowMs)),
    })
  },
})

/** The limits of the account in micros; the lower of both is in force. */
export async function accountLimit(
  { db, server }: Pick<ConsoleServices, 'db' | 'server'>,
  accountId: string,
) {
  const ownLimit = (await readAccount(db, accountId))?.spendLimitMicros ?? null
  const { spendPerMonth } = server().limits
  const serverLimit = spendPerMonth && toMicros(spendPerMonth.amount)
  const limits = [ownLimit, serverLimit].filter((limit) => limit !== null)
  return { ownLimit, serverLimit, limit: limits.length === 0 ? null : Math.min(...limits) }
}

/** Live keys with a limit of their own. */
export async function limitedKeys(db: Reader, accountId: string, nowMs: number) {
  return (await listApiKeys(db, accountId, nowMs)).flatMap(
    ({ id: keyId, name, revokedAtMs, expiresAtMs, limits: { spendPerMonthMicros: limit } }) =>
      limit === undefined || revokedAtMs !== null || (expiresAtMs !== null && expiresAtMs <= nowMs)
        ? []
        : [{ keyId, name, limit }],
  )
}

const monthAfter = (nowMs: number) => {
  const now = new Date(nowMs)
  return Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + 1)
}

async function usedOf(
  db: Reader,
  of: { accountId: string; keyId: string | null; limit: number | null; nowMs: number },
) {
  const { accountId, keyId, limit, nowMs } = of
  const scope = keyId === null ? 'account' : 'key'
  const use = await scopeUse(db, accountId, { scope, target: keyId ?? '' }, nowMs)
  const left = (limit ?? 0) - use.monthMicros - use.heldMicros
  return {
    today: money(use.dayMicros),
    thisMonth: money(use.monthMicros),
    inFlight: money(use.heldMicros),
    limit: limit === null ? null : money(limit),
    remaining: limit === null ? null : money(Math.max(0, left)),
  }
}
