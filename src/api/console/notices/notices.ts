import { budgetPeriods, budgetScopes, periodAt } from '#core/budgets.ts'
import { toRfc3339 } from '#core/clock.ts'
import { Type } from '#core/schema.ts'
import { pauseReasons } from '#core/triggers/trigger.ts'
import { passedSince } from '#store/tables/budget-alerts.ts'
import { dayOf } from '#store/tables/day-sums.ts'
import { modelsUsed, spendByDay } from '#store/tables/ledger.ts'
import { markRead, readNoticeIds } from '#store/tables/notice-reads.ts'
import { newPlaces } from '#store/tables/sign-in-places.ts'
import { monthOf } from '#store/tables/spend-uses.ts'
import { pausedTriggers } from '#store/tables/triggers.ts'
import { answer } from '../../operation.ts'
import { Closed, NamedRecord, Nullable, OneOf, Timestamp, WorkflowId } from '../../schemas.ts'
import { type ConsoleContext, defineConsole, requireSession } from '../context.ts'
import { isOperatedBy } from '../operator/operator-account.ts'
import { accountLimit, limitedKeys } from '../usage/spend-limits.ts'
import {
  budgetNotices,
  keyNotices,
  limitNotices,
  type MadeNotice,
  modelNotices,
  placeNotices,
  triggerNotices,
} from './make-notices.ts'

const Notice = NamedRecord('Notice', {
  noticeId: Type.String({ description: 'Names what it is about, and how far it has come.' }),
  kind: OneOf(['limit', 'budget', 'trigger-paused', 'model-retiring', 'key-refused', 'sign-in']),
  at: Timestamp,
  isRead: Type.Boolean({ description: 'By the person who asks.' }),
  subject: Nullable(
    Type.String({
      description:
        'The name of the key, trigger or model, a provider’s key, or an address; null: the account.',
    }),
  ),
  subjectId: Nullable(Type.String()),
  workflowId: Type.Optional(WorkflowId),
  percent: Type.Optional(Type.Integer({ description: 'How much of it is spent: 50, 80, 100.' })),
  scope: Type.Optional(OneOf(budgetScopes, 'Of a budget.')),
  period: Type.Optional(OneOf(budgetPeriods, 'Of a budget.')),
  reason: Type.Optional(OneOf(pauseReasons)),
  shutdownDay: Type.Optional(Type.String({ format: 'date' })),
  replacement: Type.Optional(Type.String({ description: 'The model to use instead.' })),
  userAgent: Type.Optional(Type.String({ description: 'The browser of the sign-in.' })),
})

const Notices = NamedRecord('Notices', {
  items: Type.Array(Notice, { description: 'The newest first.' }),
  unread: Type.Integer({ minimum: 0 }),
})

const shown = 100

export const listNotices = defineConsole({
  id: 'listNotices',
  route: 'GET /notices',
  summary:
    'Lists what is good to know: limits nearly spent, paused triggers, retiring models, refused provider keys, sign-ins from new places',
  access: 'viewer',
  success: { 200: { description: 'Notices for the person who asks.', data: Notices } },
  handle: async (context) => answer(await noticesFor(context)),
})

export const readNotices = defineConsole({
  id: 'readNotices',
  route: 'POST /notices/read',
  summary: 'Marks notices as read',
  access: 'viewer',
  body: Closed({
    ids: Type.Array(Type.String({ maxLength: 300 }), { minItems: 1, maxItems: shown }),
  }),
  success: { 200: { description: 'The notices, as they are now.', data: Notices } },
  audit: { none: 'What a person has read concerns nobody else.' },
  repeatable: true,
  async handle(context, { body }) {
    const { userId } = requireSession(context)
    const { db, clock } = context.services
    const { items } = await noticesFor(context)
    const known = items.filter((item) => body.ids.includes(item.noticeId) && !item.isRead)
    if (known.length > 0) {
      const ids = known.map(({ noticeId }) => noticeId)
      await markRead(db, userId, ids, clock.nowMs())
    }
    return answer(await noticesFor(context))
  },
})

async function noticesFor(context: ConsoleContext) {
  const { accountId, userId } = requireSession(context)
  const { db } = context.services
  const [made, ofKeys, read] = await Promise.all([
    madeFor(context, accountId, userId),
    providerKeysFor(context, accountId),
    readNoticeIds(db, userId),
  ])
  const items = [...made, ...ofKeys]
    .sort((a, b) => b.atMs - a.atMs || (a.noticeId < b.noticeId ? -1 : 1))
    .slice(0, shown)
    .map(({ atMs, ...notice }) => ({
      ...notice,
      at: toRfc3339(atMs),
      isRead: read.has(notice.noticeId),
    }))
  return { items, unread: items.filter(({ isRead }) => !isRead).length }
}

/** The server's keys concern owners of the account that operates it. */
async function providerKeysFor(context: ConsoleContext, accountId: string): Promise<MadeNotice[]> {
  const { server, db } = context.services
  const refused = keyNotices(server().providers)
  if (refused.length === 0 || requireSession(context).role !== 'owner') return []
  return (await isOperatedBy(db, accountId)) ? refused : []
}

const dayMs = 24 * 3_600_000
/** For how long the first sign-in from a place is news, and a call makes a model one that is used. */
const recentMs = 30 * dayMs

async function madeFor(
  { services }: ConsoleContext,
  accountId: string,
  userId: string,
): Promise<MadeNotice[]> {
  const { db, clock, api } = services
  const nowMs = clock.nowMs()
  const retiring = api.catalogue.entries.filter(({ model }) => model.lifecycle)
  const [{ limit }, keys, passed, triggers, places, used] = await Promise.all([
    accountLimit(services, accountId),
    limitedKeys(db, accountId, nowMs),
    passedSince(db, accountId, periodAt('month', nowMs).fromMs, shown),
    pausedTriggers(db, accountId, shown),
    newPlaces(db, userId, nowMs - recentMs),
    retiring.length === 0 ? [] : modelsUsed(db, accountId, dayOf(nowMs - recentMs)),
  ])
  const limits = [...(limit === null ? [] : [{ keyId: null, name: null, limit }]), ...keys]
  const spend = limits.length === 0 ? [] : await spendByDay(db, accountId, monthOf(nowMs))
  return [
    ...limitNotices(limits, spend),
    ...budgetNotices(passed),
    ...triggerNotices(triggers),
    ...modelNotices(retiring, new Set(used), nowMs),
    ...placeNotices(places),
  ]
}
