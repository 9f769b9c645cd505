// Budgets: how much may be spent in a day or a month (UTC), by the whole account, under a tag, with
// a key or by a workflow. They form no tree: a call counts on each that applies to it, and starts
// only if all of them have room.

export const budgetScopes = ['account', 'tag', 'key', 'workflow'] as const
export type BudgetScope = (typeof budgetScopes)[number]

export const budgetPeriods = ['day', 'month'] as const
export type BudgetPeriod = (typeof budgetPeriods)[number]

/** `target`: the tag, or the identifier of the key or workflow; empty for the account. */
export type BudgetName = { scope: BudgetScope; target: string; period: BudgetPeriod }

/** `id` is its `budgetKey`. */
export type SpendBound = BudgetName & { id: string; limitMicros: number }

/** More may be spent until then. */
export type Raise = { amountMicros: number; untilMs: number }

/**
 * The monthly limits of accounts and keys are older than budgets and stored with them: for these a
 * line holds only the raise.
 */
export type BudgetLine = { limitMicros?: number; raise?: Raise }

/** By `budgetKey`, and by `defaultTagKey`. Absent if there is none. */
export type Spending = {
  budgets?: Readonly<Record<string, BudgetLine>>
  tags?: Readonly<Record<string, string>>
}

export const budgetKey = ({ scope, target, period }: BudgetName): string =>
  `${scope} ${period} ${target}`

export function budgetOfKey(key: string): BudgetName {
  const [scope, period, target = ''] = key.split(' ')
  return { scope: scope as BudgetScope, period: period as BudgetPeriod, target }
}

export const defaultTagKey = (scope: 'key' | 'workflow', id: string | number): string =>
  `${scope} ${id}`

/** What the calls of somebody count under. */
export type SpendScopes = {
  accountId: string
  keyId: string | null
  tag?: string | undefined
  /** Of a run. */
  workflowId?: number | undefined
  accountSpendPerMonthMicros: number | null
  limits: { spendPerMonthMicros?: number }
}

/** Letters, digits and a few signs: it is sent as a header, and stands in tables and addresses. */
export const tagPattern = '^[A-Za-z0-9][A-Za-z0-9._:/@-]{0,63}$'
const tagForm = new RegExp(tagPattern)
/** Names what the calls of a request are counted under. */
export const tagHeaderName = 'x-atelier-tag'
export const isTag = (text: string): boolean => tagForm.test(text)

function targetsOf({ keyId, tag, workflowId }: SpendScopes): [BudgetScope, string][] {
  const targets: [BudgetScope, string][] = [['account', '']]
  if (tag !== undefined) targets.push(['tag', tag])
  if (keyId !== null) targets.push(['key', keyId])
  if (workflowId !== undefined) targets.push(['workflow', String(workflowId)])
  return targets
}

/** Whether a budget beyond the older monthly limits applies. */
export function isBudgeted(spender: SpendScopes, { budgets = {} }: Spending): boolean {
  return targetsOf(spender).some(([scope, target]) =>
    budgetPeriods.some(
      (period) => budgets[budgetKey({ scope, target, period })]?.limitMicros !== undefined,
    ),
  )
}

type Terms = { nowMs: number; spending?: Spending | undefined; serverLimitMicros?: number | null }

/** All limits that the calls of a spender count against now. */
export function boundsOfSpender(spender: SpendScopes, terms: Terms): SpendBound[] {
  return targetsOf(spender).flatMap(([scope, target]) =>
    budgetPeriods.flatMap((period) => {
      const bound = boundOf({ scope, target, period }, olderLimitOf(spender, scope, period), terms)
      return bound ? [bound] : []
    }),
  )
}

const olderLimitOf = (
  { accountSpendPerMonthMicros, limits }: SpendScopes,
  scope: BudgetScope,
  period: BudgetPeriod,
): number | null => {
  if (period !== 'month') return null
  if (scope === 'account') return accountSpendPerMonthMicros
  return scope === 'key' ? (limits.spendPerMonthMicros ?? null) : null
}

/** Undefined if there is no such limit. No raise passes the limit of the server. */
export function boundOf(
  name: BudgetName,
  olderLimitMicros: number | null,
  { nowMs, spending = {}, serverLimitMicros = null }: Terms,
): SpendBound | undefined {
  const id = budgetKey(name)
  const line = spending.budgets?.[id]
  const limitMicros = olderLimitMicros ?? line?.limitMicros
  if (limitMicros === undefined) return undefined
  const raisedMicros = limitMicros + raiseNow(line, nowMs)
  const isBounded = name.scope === 'account' && name.period === 'month'
  const most = isBounded && serverLimitMicros !== null ? serverLimitMicros : Number.MAX_SAFE_INTEGER
  return { ...name, id, limitMicros: Math.min(raisedMicros, most) }
}

export const raiseNow = (line: BudgetLine | undefined, nowMs: number): number =>
  line?.raise && line.raise.untilMs > nowMs ? line.raise.amountMicros : 0

/** The stricter of two limits; null means no limit. */
export const lowerLimit = (one: number | null, other: number | null): number | null =>
  one === null || other === null ? (one ?? other) : Math.min(one, other)

const dayMs = 24 * 3_600_000

/** When the day or month of a budget began and ends (UTC). */
export function periodAt(period: BudgetPeriod, nowMs: number): { fromMs: number; toMs: number } {
  if (period === 'day') {
    const fromMs = nowMs - (((nowMs % dayMs) + dayMs) % dayMs)
    return { fromMs, toMs: fromMs + dayMs }
  }
  const now = new Date(nowMs)
  const [year, month] = [now.getUTCFullYear(), now.getUTCMonth()]
  return { fromMs: Date.UTC(year, month), toMs: Date.UTC(year, month + 1) }
}

export const alertPercents = [50, 80, 100] as const
export type AlertPercent = (typeof alertPercents)[number]

/** The thresholds that are passed. A limit of nothing is no budget that could be used up. */
export const passedPercents = (spentMicros: number, limitMicros: number): AlertPercent[] =>
  limitMicros <= 0
    ? []
    : alertPercents.filter((percent) => spentMicros * 100 >= limitMicros * percent)
