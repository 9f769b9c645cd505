import { Type } from 'typebox'
import { money } from '#core/money.ts'
import { Closed, Money, Nullable, OneOf, Timestamp } from '#operations/schemas.ts'
import type { UsageSums } from '#store/tables/usage.ts'
import { listOf } from '../cursor.ts'

const Count = Type.Integer({ minimum: 0 })

const counts = {
  calls: Type.Integer({ minimum: 0, description: 'Settled attempts at providers.' }),
  failed: Type.Integer({ minimum: 0, description: 'Those of them that did not succeed.' }),
  inputTokens: Count,
  outputTokens: Count,
  images: Count,
  videoSeconds: Type.Number({ minimum: 0 }),
  cost: Money,
}

export const toCounts = (sums: UsageSums) => ({
  calls: sums.calls,
  failed: sums.failed,
  inputTokens: sums.input_tokens,
  outputTokens: sums.output_tokens,
  images: sums.images,
  videoSeconds: sums.video_ms / 1_000,
  cost: money(sums.cost_micros),
})

const Series = Closed({
  key: Type.String({
    description:
      'A model, or the identifier of a key or workflow as `GET /calls` filters by it; `none` is without one, `(other)` all beyond the first seven.',
  }),
  label: Type.String(),
  ...counts,
})

const WorkflowEstimate = Closed({
  workflowId: Type.Integer({ minimum: 1 }),
  name: Type.String({ description: 'As it was called when it ran last.' }),
  runs: Type.Integer({ minimum: 1, description: 'Completed runs that have an estimate.' }),
  estimated: Money,
  actual: Money,
})

export const EstimatesPage = listOf(WorkflowEstimate)

export const Usage = Closed({
  from: Type.String({ format: 'date' }),
  to: Type.String({ format: 'date', description: 'The last day, included.' }),
  tz: Type.String({ description: 'As the tz database spells it.' }),
  by: OneOf(['hour', 'day', 'month']),
  split: OneOf(['model', 'key', 'workflow']),
  series: Type.Array(Series, { description: 'Of the whole span, dearest first.' }),
  buckets: Type.Array(
    Closed({
      key: Type.String({ description: 'Local hour with offset, day, or month.' }),
      label: Type.String(),
      startsAt: Timestamp,
      endsAt: Timestamp,
      series: Type.Array(Series, { description: 'In the order of the span; none without calls.' }),
    }),
    { description: 'Oldest first; also those in which nothing happened.' },
  ),
  total: Closed(counts),
  previous: Closed(
    {
      from: Type.String({ format: 'date' }),
      to: Type.String({ format: 'date' }),
      ...counts,
    },
    { description: 'As many days before.' },
  ),
  estimates: Type.Array(WorkflowEstimate, {
    description:
      'What the newest runs of the span were expected to cost and did cost, by workflow, dearest first.',
  }),
  estimatesNext: Nullable(
    Type.String({
      description: '`cursor` of getUsageEstimates for the older runs; null where there are none.',
    }),
  ),
})
