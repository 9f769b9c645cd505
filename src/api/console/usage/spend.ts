import { money } from '#core/money.ts'
import { Type } from '#core/schema.ts'
import { dayIndexOf, dayMs } from '#core/time-zone.ts'
import { dayOf, type SpendDay } from '#store/tables/day-sums.ts'
import { spendDays } from '#store/tables/ledger.ts'
import { answer } from '../../operation.ts'
import { Closed, Money, NamedRecord, Nullable, Uuid } from '../../schemas.ts'
import { defineConsole, requireCaller } from '../context.ts'
import { badQuery } from '../instants.ts'
import { maxDaysOf } from './usage-frames.ts'

const defaultDays = 30
const maxDays = maxDaysOf.day

const Day = Type.String({ format: 'date', description: 'UTC day.' })
const Count = Type.Integer({ minimum: 0 })

const SpendRecord = NamedRecord('SpendDay', {
  day: Day,
  model: Type.String(),
  keyId: Nullable(Uuid('The API key that was used; null for a token.')),
  calls: Count,
  inputTokens: Count,
  outputTokens: Count,
  images: Count,
  videoSeconds: Type.Number({ minimum: 0 }),
  cost: Money,
})

const toRecord = (row: SpendDay) => ({
  day: row.day,
  model: row.model,
  keyId: row.key_id === '' ? null : row.key_id,
  calls: row.calls,
  inputTokens: row.input_tokens,
  outputTokens: row.output_tokens,
  images: row.images,
  videoSeconds: row.video_seconds,
  cost: money(row.cost_micros),
})

export const getSpend = defineConsole({
  id: 'getSpend',
  route: 'GET /spend',
  summary: 'Shows what was spent, by day, model and key',
  access: 'viewer',
  takesKeys: true,
  query: Type.Object({ from: Type.Optional(Day), to: Type.Optional(Day) }),
  success: {
    200: {
      description: `Newest day first; without dates the last 30 days. At most ${maxDays} days.`,
      data: Closed({ items: Type.Array(SpendRecord), total: Money }),
    },
  },
  async handle(context, { query }) {
    const { accountId } = requireCaller(context)
    const { db, clock, chats } = context.services
    const nowMs = clock.nowMs()
    const to = query.to ?? dayOf(nowMs)
    const from = query.from ?? dayOf(dayIndexOf(to) * dayMs - defaultDays * dayMs)
    if (dayIndexOf(to) - dayIndexOf(from) >= maxDays)
      throw badQuery('from', `must be at most ${maxDays} days before to`)
    await chats.flush(accountId)
    const rows = await spendDays(db, accountId, from, to)
    const total = rows.reduce((sum, row) => sum + row.cost_micros, 0)
    return answer({ items: rows.map(toRecord), total: money(total) })
  },
})
