import type { BudgetScope } from '#core/budgets.ts'
import type { Statement } from '../db.ts'
import type { Ended } from './settlement.ts'

const dayMs = 24 * 3_600_000

/** Days since 1970 (UTC). */
export const dayNumberOf = (ms: number): number => Math.floor(ms / dayMs)

type ScopeDay = {
  accountId: string
  scope: BudgetScope
  target: string
  day: number
  micros: number
}

/** What attempts with a tag or a workflow add to its days; undefined if none has either. */
export function upsertScopeDays(ended: readonly Ended[]): Statement | undefined {
  const days = new Map<string, ScopeDay>()
  for (const { settled, settlement, times = 1 } of ended) {
    const { account_id: accountId, tag, workflow_id: workflowId } = settled
    if (settlement.outcome === 'REJECTED') continue
    const micros = times * (settlement.costMicros ?? 0)
    const day = dayNumberOf(settlement.nowMs)
    if (tag) add(days, { accountId, scope: 'tag', target: tag, day, micros })
    if (workflowId) {
      add(days, { accountId, scope: 'workflow', target: String(workflowId), day, micros })
    }
  }
  if (days.size === 0) return undefined
  return {
    sql: `insert into scope_days as s (account_id, scope, target, day, cost_micros)
     values ($1, $2, $3, $4, $5)
     on conflict (account_id, scope, target, day) do update set
       cost_micros = s.cost_micros + excluded.cost_micros`,
    // In key order, so that two processes cannot deadlock.
    rows: [...days.entries()]
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([, { accountId, scope, target, day, micros }]) => [
        ...[accountId, scope, target, day, micros],
      ]),
  }
}

function add(days: Map<string, ScopeDay>, one: ScopeDay): void {
  const key = `${one.accountId} ${one.scope} ${one.target} ${one.day}`
  const known = days.get(key)
  if (known) known.micros += one.micros
  else days.set(key, one)
}
