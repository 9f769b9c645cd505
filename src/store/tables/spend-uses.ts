// What counts against budgets: what was spent in their day or month, and what is reserved.
import type { BudgetScope, SpendBound } from '#core/budgets.ts'
import type { SpendUse, SpendUses } from '#core/spend-admission.ts'
import type { Param, Reader } from '../db.ts'
import { dayOf } from './day-sums.ts'
import { dayNumberOf } from './scope-days.ts'

/** `heldMicros`: for calls in flight and waiting tasks, whenever they will be settled. */
export type ScopeUse = { dayMicros: number; monthMicros: number; heldMicros: number }

/** The first day of a month (UTC). */
export const monthOf = (nowMs: number): string => `${dayOf(nowMs).slice(0, 7)}-01`

/**
 * `lastMs`: what was spent on later days is left out, as it is of a period that has ended.
 * One statement, which sees one moment: several would all miss a task that goes from waiting to
 * pending between them.
 */
export async function scopeUse(
  db: Reader,
  accountId: string,
  { scope, target }: { scope: BudgetScope; target: string },
  nowMs: number,
  lastMs?: number,
): Promise<ScopeUse> {
  const params: Param[] = [accountId]
  const param = (value: Param) => `$${params.push(value)}`
  const { spent, isHeld } = sourcesOf(scope, target, { nowMs, lastMs }, param)
  const [row] = await db.query<{ month: number; day: number; held: number }>(
    `select s.month, s.day,
       coalesce((select sum(reserved_micros) from ledger x
         where x.account_id = $1 and x.outcome = 'PENDING' ${isHeld()}), 0)
       + coalesce((select sum(reserved_micros) from tasks x
         where x.account_id = $1 and x.completed_at is null and x.stage = 'READY'
           ${isHeld()}), 0) as held
     from (${spent}) as s`,
    params,
  )
  return {
    dayMicros: Number(row?.day ?? 0),
    monthMicros: Number(row?.month ?? 0),
    heldMicros: Number(row?.held ?? 0),
  }
}

/** Of accounts and keys from the sums of days, of tags and workflows from their own. */
function sourcesOf(
  scope: BudgetScope,
  target: string,
  { nowMs, lastMs }: { nowMs: number; lastMs: number | undefined },
  param: (value: Param) => string,
): { spent: string; isHeld(): string } {
  const sums = (today: string) => `select coalesce(sum(cost_micros), 0) as month,
    coalesce(sum(case when day >= ${today} then cost_micros else 0 end), 0) as day`
  if (scope === 'account' || scope === 'key') {
    const isOwn = () => (scope === 'account' ? '' : `and key_id = ${param(target)}`)
    const of = sums(param(dayOf(nowMs)))
    const from = `from spend_days where account_id = $1 and day >= ${param(monthOf(nowMs))}`
    const last = lastMs === undefined ? '' : `and day <= ${param(dayOf(lastMs))}`
    return { spent: `${of} ${from} ${isOwn()} ${last}`, isHeld: isOwn }
  }
  const of = sums(param(dayNumberOf(nowMs)))
  const from = `from scope_days where account_id = $1 and scope = ${param(scope)}
    and target = ${param(target)} and day >= ${param(dayNumberOf(Date.parse(monthOf(nowMs))))}`
  const isHeld = () =>
    scope === 'tag'
      ? `and x.tag = ${param(target)}`
      : `and exists (select 1 from runs r where r.id = x.run_id
           and r.workflow_id = ${param(Number(target))})`
  const last = lastMs === undefined ? '' : `and day <= ${param(dayNumberOf(lastMs))}`
  return { spent: `${of} ${from} ${last}`, isHeld }
}

/** By the `id` of each bound. */
export async function usesOf(
  db: Reader,
  accountId: string,
  bounds: readonly SpendBound[],
  nowMs: number,
  lastMs?: number,
): Promise<SpendUses> {
  const uses = new Map<string, SpendUse>()
  const known = new Map<string, ScopeUse>()
  for (const bound of bounds) {
    if (uses.has(bound.id)) continue
    const name = `${bound.scope} ${bound.target}`
    const use = known.get(name) ?? (await scopeUse(db, accountId, bound, nowMs, lastMs))
    known.set(name, use)
    const spentMicros = bound.period === 'day' ? use.dayMicros : use.monthMicros
    uses.set(bound.id, { spentMicros, heldMicros: use.heldMicros })
  }
  return uses
}
