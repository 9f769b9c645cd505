import { toRfc3339 } from '#core/clock.ts'
import { money } from '#core/money.ts'
import { type Static, Type } from '#core/schema.ts'
import type { CallRow } from '#store/tables/calls.ts'
import { PricingRecord, usagePartSchemas } from '../../price-schemas.ts'
import { Closed, Money, NamedRecord, Nullable, OneOf, Timestamp, Uuid } from '../../schemas.ts'

const count = Type.Optional(Type.Number({ minimum: 0 }))

/** One attempt: a call to a provider, with its row in the ledger. */
export const Call = NamedRecord('Call', {
  id: Type.String({ description: 'Identifier of the attempt.' }),
  createdAt: Timestamp,
  settledAt: Nullable(Timestamp),
  operation: OneOf(['chat', 'embedding', 'speech', 'transcription', 'image', 'video']),
  provider: Type.String(),
  credential: Nullable(
    Type.String({
      description: 'The name of the credential whose key was used; null for a key of the server.',
    }),
  ),
  deployment: Nullable(
    Type.String({
      description:
        'The name of the server’s key that was used, if the operator has several; null otherwise.',
    }),
  ),
  tier: Nullable(
    OneOf(
      ['batch', 'flex'],
      'How a call of a run with a deadline came to cost less: in a batch of the vendor, or in its flex tier; null: the normal price.',
    ),
  ),
  route: Nullable(Type.String({ description: 'The route that the call named; null: a model.' })),
  attempt: Nullable(
    Type.Integer({
      minimum: 1,
      description: 'Which attempt of its call this is; null for a call that has only one.',
    }),
  ),
  firstAttemptId: Nullable(
    Type.String({ description: 'The first attempt of the same call; null as above.' }),
  ),
  model: Type.String(),
  tag: Nullable(Type.String({ description: 'What it is counted under; null: no tag.' })),
  outcome: OneOf(
    ['PENDING', 'SUCCEEDED', 'FAILED', 'REJECTED', 'UNKNOWN'],
    'REJECTED: surely not accepted. FAILED: the provider says so. UNKNOWN: the answer was lost, so it may have been billed.',
  ),
  isUnsettled: Type.Boolean({
    description:
      'Nobody knows whether it was billed. It counts as the most it can have cost until it is settled.',
  }),
  remark: Nullable(
    OneOf(
      ['LOST', 'CLAMPED', 'SETTLED'],
      'LOST: its process died, so the outcome is unknown. CLAMPED: the provider reported more than the context window of the model. SETTLED: a person said what it did cost.',
    ),
  ),
  units: Closed({
    inputTokens: count,
    outputTokens: count,
    ...usagePartSchemas,
    images: count,
    videoSeconds: count,
    inputAudioSeconds: count,
    inputCharacters: count,
    searches: count,
  }),
  unitPrice: Nullable(PricingRecord),
  cost: Nullable(Money),
  keyId: Nullable(Uuid('The API key that was used; null for a token.')),
  taskId: Nullable(Uuid('The task it was made for.')),
  runId: Nullable(Uuid('The run it was made for.')),
  nodeId: Nullable(Type.String()),
  workflowId: Nullable(Type.Integer({ minimum: 1 })),
})

export const toCall = (row: CallRow): Static<typeof Call> => ({
  id: row.attempt,
  createdAt: toRfc3339(row.created_at),
  settledAt: row.settled_at === null ? null : toRfc3339(row.settled_at),
  operation: row.operation,
  provider: row.provider,
  credential: row.credential,
  deployment: row.via?.deployment ?? null,
  tier: row.via?.tier ?? null,
  route: row.via?.route ?? null,
  attempt: row.via?.number ?? null,
  firstAttemptId: row.via?.first ?? null,
  model: row.model,
  tag: row.tag,
  outcome: row.outcome,
  isUnsettled: row.outcome === 'UNKNOWN' && row.remark !== 'SETTLED',
  remark: row.remark,
  units: row.units ?? {},
  unitPrice: row.unit_price,
  cost: row.cost_micros === null ? null : money(row.cost_micros),
  keyId: row.key_id,
  taskId: row.task_id,
  runId: row.run_id,
  nodeId: row.node_id,
  workflowId: row.workflow_id,
})
