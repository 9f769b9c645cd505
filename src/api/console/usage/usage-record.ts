import { money } from '#core/money.ts'
import { Type } from '#core/schema.ts'
import type { UsageSums } from '#store/tables/usage.ts'
import { Closed, Money, NamedRecord, Nullable, OneOf, Timestamp } from '../../schemas.ts'
import { listOf } from '../cursor.ts'

const Count = Type.Integer({ minimum: 0 })

const counts = {
  calls: Type.Integer({ minimum: 0, description: 'Settled calls to providers.' }),
  failed: Type.Integer({ minimum: 0, description: 'How many of these calls did not succeed.' }),
  inputTokens: Count,
  cachedInputTokens: Type.Integer({
    minimum: 0,
    description: 'Of the input: read from the caches of providers.',
  }),
  cacheWriteTokens: Type.Integer({ minimum: 0, description: 'Of the input: written to them.' }),
  outputTokens: Count,
  reasoningTokens: Type.Integer({
    minimum: 0,
    description: 'Of the output: used by models to reason.',
  }),
  images: Count,
  videoSeconds: Type.Number({ minimum: 0 }),
  cost: Money,
  ownKeysCost: {
    ...Money,
    description: 'Of the cost: billed to provider keys of the account, at the same prices.',
  },
}

export const toCounts = (sums: UsageSums) => ({
  calls: sums.calls,
  failed: sums.failed,
  inputTokens: sums.input_tokens,
  cachedInputTokens: sums.cached_input_tokens,
  cacheWriteTokens: sums.cache_write_tokens,
  outputTokens: sums.output_tokens,
  reasoningTokens: sums.reasoning_tokens,
  images: sums.images,
  videoSeconds: sums.video_ms / 1_000,
  cost: money(sums.cost_micros),
  ownKeysCost: money(sums.own_keys_micros),
})

const Series = NamedRecord('UsageSeries', {
  key: Type.String({
    description:
      'A model, a tag, or the identifier of a key or workflow that `GET /calls` can filter by; `none`: without one; `(other)`: all beyond the first seven.',
  }),
  label: Type.String(),
  ...counts,
})

const WorkflowEstimate = NamedRecord('WorkflowEstimate', {
  workflowId: Type.Integer({ minimum: 1 }),
  name: Type.String({ description: 'Its name at the time of its last run.' }),
  runs: Type.Integer({ minimum: 1, description: 'Completed runs that have an estimate.' }),
  estimated: Money,
  actual: Money,
})

export const EstimatesPage = listOf(WorkflowEstimate)

export const Usage = NamedRecord('Usage', {
  from: Type.String({ format: 'date' }),
  to: Type.String({ format: 'date', description: 'The last day, inclusive.' }),
  tz: Type.String({ description: 'The name in the tz database.' }),
  by: OneOf(['hour', 'day', 'month']),
  split: OneOf(['model', 'key', 'workflow', 'tag']),
  series: Type.Array(Series, { description: 'For the whole span, most expensive first.' }),
  buckets: Type.Array(
    Closed({
      key: Type.String({ description: 'Local hour with offset, day, or month.' }),
      label: Type.String(),
      startsAt: Timestamp,
      endsAt: Timestamp,
      series: Type.Array(Series, { description: 'In the same order; only series with calls.' }),
    }),
    { description: 'Oldest first, including empty ones.' },
  ),
  total: Closed(counts),
  savedCost: {
    ...Money,
    description: 'What the answers that runs of the span reused had cost when they were paid.',
  },
  previous: Closed(
    {
      from: Type.String({ format: 'date' }),
      to: Type.String({ format: 'date' }),
      ...counts,
    },
    { description: 'The span of the same length before.' },
  ),
  estimates: Type.Array(WorkflowEstimate, {
    description:
      'Estimated and actual cost of the newest runs of the span, by workflow, most expensive first.',
  }),
  estimatesNext: Nullable(
    Type.String({
      description: '`cursor` of getUsageEstimates for older runs; null if there are none.',
    }),
  ),
})
