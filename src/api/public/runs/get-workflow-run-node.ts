import { toRfc3339 } from '#core/clock.ts'
import { Failure } from '#core/errors.ts'
import { money } from '#core/money.ts'
import { newNode } from '#core/run-nodes.ts'
import { Type } from '#core/schema.ts'
import { findRun } from '#store/tables/runs.ts'
import type { StepHead } from '#store/tables/steps.ts'
import { answer } from '../../operation.ts'
import { Closed, Money, NamedRecord, Nullable, OneOf, Timestamp, Uuid } from '../../schemas.ts'
import { defineOperation } from '../context.ts'
import { NodeError, RunNode } from './run-record.ts'
import { nodeHeads, nodeRecord, progressOf, taskDelaysOf } from './show-run.ts'

export const Call = Closed({
  path: Type.String({ description: 'Path of the call: node, item, node of a called workflow.' }),
  kind: OneOf(['TEXT', 'MEDIA', 'HTTP', 'IMPORT', 'WAIT']),
  status: OneOf(['STARTED', 'DONE', 'FAILED']),
  attempts: Type.Integer({ minimum: 1 }),
  startedAt: Timestamp,
  completedAt: Nullable(Timestamp),
  taskId: Type.Optional(Uuid('The generation task.')),
  cost: Nullable(Money),
  error: Nullable(
    Closed({ code: Type.String(), message: Type.String(), retryable: Type.Boolean() }),
  ),
})

const Values = (description: string) => Nullable(Type.Object({}, { description }))

export const getWorkflowRunNode = defineOperation({
  id: 'getWorkflowRunNode',
  route: 'GET /workflow-runs/{runId}/nodes/{nodeId}',
  summary: 'Read the inputs, calls and outputs of one node of a run',
  description: 'inputs and outputs are null if the node has not reached that point.',
  scope: 'runs:read',
  params: Closed({
    runId: Uuid('Identifier of the run.'),
    nodeId: Type.String({ minLength: 1, maxLength: 64, description: 'Identifier of the node.' }),
  }),
  success: {
    200: {
      description: 'The node',
      data: NamedRecord('RunNodeDetail', {
        ...RunNode.properties,
        inputs: Values('By port.'),
        outputs: Values('By port.'),
        calls: Type.Array(Call),
        error: Nullable(NodeError),
      }),
    },
  },
  errors: ['RUN_NOT_FOUND', 'NODE_NOT_FOUND', 'RECORD_NOT_FOUND'],
  async handle(context, { params: { runId, nodeId } }) {
    const { services, principal } = context
    const { db, runs } = services
    const row = await findRun(db, principal.accountId, runId)
    if (!row) throw new Failure('RUN_NOT_FOUND')
    const heads = await nodeHeads(context, row)
    const index = heads.findIndex((head) => head.id === nodeId)
    const head = heads[index]
    if (!head) throw new Failure('NODE_NOT_FOUND')
    const progress = progressOf(row)[index] ?? newNode()
    const steps = await runs.stepsOf(row.id)
    const isBegun = row.started_at !== null
    const values = isBegun
      ? await runs.reconstruct(row, steps, nodeId)
      : { inputs: null, outputs: null }
    return answer({
      ...nodeRecord(head, progress, await taskDelaysOf(context, row)),
      inputs: await runs.refreshMedia(row.account_id, values.inputs),
      outputs: await runs.refreshMedia(row.account_id, values.outputs),
      calls: steps.filter((step) => rootOf(step.path) === nodeId).map(callRecord),
      error: row.node_errors?.find((error) => error.nodeId === nodeId) ?? null,
    })
  },
})

/** The node of the run's own graph that a call was made for. */
export const rootOf = (path: string): string => /^[A-Za-z0-9_-]+/.exec(path)?.[0] ?? ''

export const callRecord = (step: StepHead) => ({
  path: step.path,
  kind: step.kind,
  status: step.status,
  attempts: step.attempts,
  startedAt: toRfc3339(step.started_at),
  completedAt: step.ended_at === null ? null : toRfc3339(step.ended_at),
  ...(step.task_id === null ? {} : { taskId: step.task_id }),
  cost: step.cost_micros === null ? null : money(step.cost_micros),
  error: step.error,
})
