import {
  type BudgetName,
  boundOf,
  budgetKey,
  budgetOfKey,
  budgetPeriods,
  budgetScopes,
  periodAt,
  raiseNow,
  type Spending,
  tagPattern,
} from '#core/budgets.ts'
import { toRfc3339 } from '#core/clock.ts'
import { money } from '#core/money.ts'
import { type Static, Type } from '#core/schema.ts'
import type { Reader } from '#store/db.ts'
import { readAccount } from '#store/tables/accounts.ts'
import { listApiKeys } from '#store/tables/api-keys.ts'
import { usesOf } from '#store/tables/spend-uses.ts'
import { seriesNames } from '#store/tables/usage.ts'
import { Closed, Money, NamedRecord, Nullable, OneOf, Timestamp } from '../../schemas.ts'
import type { ConsoleServices } from '../context.ts'
import { accountLimit } from '../usage/spend-limits.ts'

export const budgetFields = {
  scope: OneOf(budgetScopes, 'What the budget holds for.'),
  target: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 64,
      description:
        'The tag, or the identifier of the key or workflow. Left out for the whole account.',
    }),
  ),
  period: OneOf(budgetPeriods, 'A day or a calendar month (UTC).'),
}

export const Tag = Type.String({ pattern: tagPattern })

export const BudgetRecord = NamedRecord('Budget', {
  scope: OneOf(budgetScopes),
  target: Nullable(Type.String({ description: 'Null for the whole account.' })),
  name: Nullable(Type.String({ description: 'Of the key or workflow, if it still exists.' })),
  period: OneOf(budgetPeriods),
  limit: { ...Money, description: 'What may be spent in the period, without the raise.' },
  raise: Nullable(
    Closed(
      { amount: Money, until: Timestamp },
      { description: 'More may be spent until then. Null if there is none now.' },
    ),
  ),
  spent: Money,
  reserved: { ...Money, description: 'What calls in flight and waiting tasks may cost.' },
  left: Money,
  resetsAt: Timestamp,
})

type Listing = { name: BudgetName; olderLimitMicros: number | null; label: string | null }

/** Every budget of an account with what is used of it: the older limits first. */
export async function budgetsOf(
  services: Pick<ConsoleServices, 'db' | 'server' | 'clock' | 'chats'>,
  accountId: string,
): Promise<Static<typeof BudgetRecord>[]> {
  const { db, clock, chats } = services
  await chats.flush(accountId)
  const nowMs = clock.nowMs()
  const { spending = {} } = (await readAccount(db, accountId)) ?? {}
  const { serverLimit } = await accountLimit(services, accountId)
  const listings = await listingsOf(services, accountId, spending)
  const terms = { nowMs, spending, serverLimitMicros: serverLimit }
  const known = listings.flatMap((one) => {
    const bound = boundOf(one.name, one.olderLimitMicros, terms)
    return bound ? [{ ...one, bound }] : []
  })
  const bounds = known.map(({ bound }) => bound)
  const uses = await usesOf(db, accountId, bounds, nowMs)
  return known.map(({ name, bound, label, olderLimitMicros }) => {
    const { spentMicros = 0, heldMicros = 0 } = uses.get(bound.id) ?? {}
    const line = spending.budgets?.[bound.id]
    const limitMicros = olderLimitMicros ?? line?.limitMicros ?? 0
    const raisedMicros = raiseNow(line, nowMs)
    const { raise } = line ?? {}
    return {
      ...{ scope: name.scope, target: name.target || null, name: label, period: name.period },
      // The limit of the server bounds the raise first.
      limit: money(Math.min(limitMicros, bound.limitMicros)),
      raise:
        raise && raisedMicros > 0
          ? { amount: money(raisedMicros), until: toRfc3339(raise.untilMs) }
          : null,
      spent: money(spentMicros),
      reserved: money(heldMicros),
      left: money(Math.max(0, bound.limitMicros - spentMicros - heldMicros)),
      resetsAt: toRfc3339(periodAt(name.period, nowMs).toMs),
    }
  })
}

async function listingsOf(
  services: Pick<ConsoleServices, 'db' | 'server' | 'clock'>,
  accountId: string,
  { budgets = {} }: Spending,
): Promise<Listing[]> {
  const { db, clock } = services
  const { limit } = await accountLimit(services, accountId)
  const listed = await listApiKeys(db, accountId, clock.nowMs())
  const keys = listed.filter(({ revokedAtMs }) => revokedAtMs === null)
  const older: Listing[] = [
    {
      name: { scope: 'account', target: '', period: 'month' },
      olderLimitMicros: limit,
      label: null,
    },
    ...keys.map(({ id, name, limits: { spendPerMonthMicros = null } }) => ({
      name: { scope: 'key' as const, target: id, period: 'month' as const },
      ...{ olderLimitMicros: spendPerMonthMicros, label: name },
    })),
  ]
  const isOlder = new Set(older.map(({ name }) => budgetKey(name)))
  const others = Object.keys(budgets)
    .filter((key) => !isOlder.has(key))
    .sort()
    .map(budgetOfKey)
  const keyNames = new Map(keys.map(({ id, name }) => [id, name]))
  const workflows = await workflowNames(db, accountId, others)
  const labelOf = ({ scope, target }: BudgetName) =>
    (scope === 'key' ? keyNames.get(target) : scope === 'workflow' && workflows.get(target)) || null
  return [
    ...older.filter(({ olderLimitMicros }) => olderLimitMicros !== null),
    ...others.map((name) => ({ name, olderLimitMicros: null, label: labelOf(name) })),
  ]
}

const workflowNames = (db: Reader, accountId: string, names: readonly BudgetName[]) =>
  seriesNames(
    db,
    accountId,
    'workflow',
    names.filter(({ scope }) => scope === 'workflow').map(({ target }) => target),
  )
