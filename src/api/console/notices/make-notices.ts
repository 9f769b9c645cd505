// Notices follow from what is stored anyway, so that nothing has to be written when one becomes
// true. The identifier says what a notice is about and how far it has come: once read, it is unread
// again only if there is more to say.
import type { PassedThreshold } from '#core/budget-alert.ts'
import {
  type AlertPercent,
  type BudgetPeriod,
  type BudgetScope,
  budgetKey,
  periodAt,
} from '#core/budgets.ts'
import type { CatalogueEntry } from '#core/catalogue.ts'
import type { PauseReason } from '#core/triggers/trigger.ts'
import type { DaySpend } from '#store/tables/ledger.ts'
import type { SignInPlace } from '#store/tables/sign-in-places.ts'

export type MadeNotice = {
  noticeId: string
  kind: 'limit' | 'budget' | 'trigger-paused' | 'model-retiring' | 'key-refused' | 'sign-in'
  atMs: number
  /** A key, a trigger, a model, a provider's key, or an address; null for the account. */
  subject: string | null
  subjectId: string | null
  workflowId?: number
  percent?: AlertPercent
  scope?: BudgetScope
  period?: BudgetPeriod
  reason?: PauseReason
  shutdownDay?: string
  replacement?: string
  userAgent?: string
}

type Limited = { keyId: string | null; name: string | null; limit: number }
const dayMs = 24 * 3_600_000
const startOf = (day: string) => Date.parse(`${day}T00:00:00Z`)

/** One for each limit of which four fifths or all is spent, from the day on which it was. */
export function limitNotices(limits: readonly Limited[], spend: readonly DaySpend[]): MadeNotice[] {
  return limits.flatMap(({ keyId, name, limit }) => {
    const own = keyId === null ? spend : spend.filter((day) => day.key_id === keyId)
    const percent = reachedOn(own, limit) ? 100 : 80
    const day = reachedOn(own, (limit * percent) / 100)
    if (day === null || limit <= 0) return []
    return [
      {
        noticeId: `limit ${keyId ?? 'account'} ${day.slice(0, 7)} ${percent}`,
        kind: 'limit',
        atMs: startOf(day),
        subject: name,
        subjectId: keyId,
        percent,
      },
    ]
  })
}

/** Days come in their order. */
function reachedOn(days: readonly DaySpend[], micros: number): string | null {
  let spent = 0
  for (const { day, cost_micros: cost } of days) {
    spent += cost
    if (spent >= micros) return day
  }
  return null
}

/** Those of the older monthly limits from 80 % on are made from what is spent. */
export const budgetNotices = (passed: readonly PassedThreshold[]): MadeNotice[] =>
  passed
    .filter(
      ({ scope, period, percent }) =>
        !(period === 'month' && (scope === 'account' || scope === 'key') && percent >= 80),
    )
    .map((one) => ({
      noticeId: `budget ${budgetKey(one)} ${startOfDay(periodAt(one.period, one.atMs).fromMs)} ${one.percent}`,
      kind: 'budget',
      atMs: one.atMs,
      subject: one.target === '' ? null : one.target,
      subjectId: one.target === '' ? null : one.target,
      ...{ percent: one.percent, scope: one.scope, period: one.period },
    }))

const startOfDay = (ms: number) => new Date(ms).toISOString().slice(0, 10)

type Paused = {
  id: string
  workflow_id: number
  name: string
  paused_at: number
  paused_reason: PauseReason
}

export const triggerNotices = (paused: readonly Paused[]): MadeNotice[] =>
  paused.map((trigger) => ({
    noticeId: `trigger ${trigger.id} ${trigger.paused_at}`,
    kind: 'trigger-paused',
    atMs: trigger.paused_at,
    subject: trigger.name,
    subjectId: trigger.id,
    workflowId: trigger.workflow_id,
    reason: trigger.paused_reason,
  }))

/** How long before its shutdown a model that the account uses is named. */
export const retiringMs = 90 * dayMs
const retiredMs = 30 * dayMs

export function modelNotices(
  entries: readonly CatalogueEntry[],
  used: ReadonlySet<string>,
  nowMs: number,
): MadeNotice[] {
  return entries.flatMap(({ model }) => {
    const { shutdownAt, replacement } = model.lifecycle ?? {}
    if (shutdownAt === undefined || !used.has(model.id)) return []
    const shutMs = startOf(shutdownAt)
    if (nowMs < shutMs - retiringMs || nowMs > shutMs + retiredMs) return []
    const isOver = nowMs >= shutMs
    return [
      {
        noticeId: `model ${model.id} ${shutdownAt} ${isOver ? 'over' : 'soon'}`,
        kind: 'model-retiring',
        atMs: isOver ? shutMs : shutMs - retiringMs,
        subject: model.name,
        subjectId: model.id,
        shutdownDay: shutdownAt,
        ...(replacement === undefined ? {} : { replacement }),
      },
    ]
  })
}

type ProviderKeys = {
  id: string
  deployments: readonly { name: string; refusedAt: string | null }[]
}

/** One for each of the server's keys that its vendor refuses, for those who can replace it. */
export const keyNotices = (providers: readonly ProviderKeys[]): MadeNotice[] =>
  providers.flatMap(({ id, deployments }) =>
    deployments.flatMap(({ name, refusedAt }) =>
      refusedAt === null
        ? []
        : [
            {
              noticeId: `provider-key ${id}/${name} ${refusedAt}`,
              kind: 'key-refused' as const,
              atMs: Date.parse(refusedAt),
              subject: `${id}/${name}`,
              subjectId: id,
            },
          ],
    ),
  )

export const placeNotices = (places: readonly SignInPlace[]): MadeNotice[] =>
  places.map((place) => ({
    noticeId: `sign-in ${place.place} ${place.first_at}`,
    kind: 'sign-in',
    atMs: place.first_at,
    subject: place.ip_address,
    subjectId: null,
    ...(place.user_agent === null ? {} : { userAgent: place.user_agent }),
  }))
