// Thresholds of budgets that were passed. Each is stored once per period, and whoever stores it
// stores its webhook with it.
import { createHash } from 'node:crypto'
import { budgetAlert, budgetAlertType, type PassedThreshold } from '#core/budget-alert.ts'
import { type AlertPercent, budgetKey, budgetOfKey, periodAt } from '#core/budgets.ts'
import type { Reader, Tx } from '../db.ts'
import { dayOf } from './day-sums.ts'
import { insertDeliveries, noRun } from './deliveries.ts'

const periodStart = ({ period, atMs }: PassedThreshold) => dayOf(periodAt(period, atMs).fromMs)

/** Those that nobody had stored before. */
export async function storePassed(
  tx: Tx,
  accountId: string,
  passed: readonly PassedThreshold[],
): Promise<PassedThreshold[]> {
  const fresh: PassedThreshold[] = []
  for (const one of passed) {
    const { percent, limitMicros, spentMicros, atMs } = one
    const rows = await tx.write<{ percent: number }>(
      `insert into budget_alerts
         (account_id, budget, period_start, percent, limit_micros, spent_micros, at)
       values ($1, $2, $3, $4, $5, $6, $7) on conflict do nothing returning percent`,
      [accountId, budgetKey(one), periodStart(one), percent, limitMicros, spentMicros, atMs],
    )
    if (rows.length > 0) fresh.push(one)
  }
  if (fresh.length > 0) await tellReceiver(tx, accountId, fresh)
  return fresh
}

async function tellReceiver(tx: Tx, accountId: string, passed: readonly PassedThreshold[]) {
  const [account] = await tx.query<{ webhook_url: string | null }>(
    'select webhook_url from accounts where id = $1',
    [accountId],
  )
  const url = account?.webhook_url ?? null
  if (url === null) return
  await insertDeliveries(
    tx,
    passed.map((one) => ({
      ...{ accountId, runId: noRun, url, nowMs: one.atMs },
      type: budgetAlertType,
      webhookId: messageOf(accountId, one),
      body: budgetAlert(one),
    })),
  )
}

const messageOf = (accountId: string, one: PassedThreshold) => {
  const name = [accountId, budgetKey(one), periodStart(one), one.percent].join(' ')
  return `msg_${createHash('sha256').update(name).digest('hex').slice(0, 32)}`
}

/** Since then, the newest first. */
export async function passedSince(
  db: Reader,
  accountId: string,
  sinceMs: number,
  limit: number,
): Promise<PassedThreshold[]> {
  const rows = await db.query<{
    budget: string
    percent: AlertPercent
    limit_micros: number
    spent_micros: number
    at: number
  }>(
    `select budget, percent, limit_micros, spent_micros, at from budget_alerts
     where account_id = $1 and at >= $2 order by at desc, budget, percent desc limit $3`,
    [accountId, sinceMs, limit],
  )
  return rows.map((row) => ({
    ...budgetOfKey(row.budget),
    percent: row.percent,
    limitMicros: row.limit_micros,
    spentMicros: row.spent_micros,
    atMs: row.at,
  }))
}
