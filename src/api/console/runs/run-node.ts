import { AnswerWarnings } from '#core/answer-warnings.ts'
import { Failure } from '#core/errors.ts'
import { newNode, nodeStatuses } from '#core/run-nodes.ts'
import { Type } from '#core/schema.ts'
import { findRun, type RunRow } from '#store/tables/runs.ts'
import { answer } from '../../operation.ts'
import type { Context } from '../../public/context.ts'
import { Call, callRecord } from '../../public/runs/get-workflow-run-node.ts'
import {
  childrenOf,
  findInside,
  innerRecord,
  stepsByChild,
  stepsUnder,
} from '../../public/runs/run-inside.ts'
import { nodeHeads, nodeRecord, progressOf, taskDelaysOf } from '../../public/runs/show-run.ts'
import { Closed, Money, NamedRecord, Nullable, OneOf, Timestamp, Uuid } from '../../schemas.ts'
import { asApiCaller, defineConsole } from '../context.ts'

const RunError = Nullable(
  Closed({ code: Type.String(), message: Type.String(), retryable: Type.Boolean() }),
)

const inner = {
  path: Type.String({ description: '`node`, `node[item]` or `node/node of the called workflow`.' }),
  type: Type.String(),
  label: Nullable(Type.String()),
  status: OneOf(nodeStatuses),
  attempts: Type.Integer({ minimum: 0 }),
  startedAt: Nullable(Timestamp),
  completedAt: Nullable(Timestamp),
  cost: Nullable(Money),
  error: RunError,
  warnings: AnswerWarnings,
}
const InnerNode = NamedRecord('InnerNode', inner)

const Values = (description: string) => Nullable(Type.Object({}, { description }))

const RunNodeView = NamedRecord('RunNodeView', {
  ...inner,
  inputs: Values('By port; null where the node has not come so far.'),
  outputs: Values('By port; null where the node has not come so far.'),
  calls: Type.Array(Call, {
    description: 'The newest 2,000 calls of the node and all nodes inside.',
  }),
  children: Type.Array(InnerNode, {
    description:
      'Items of a list, or nodes of the called workflow; each can be read by its path. Nodes that make no calls have no times here.',
  }),
})

const maxCalls = 2_000

export const getRunNode = defineConsole({
  id: 'getRunNode',
  route: 'GET /runs/{runId}/node',
  summary: 'Reads the inputs, calls and outputs of a node of a run, also inside lists and calls',
  access: 'viewer',
  params: Type.Object({ runId: Uuid('Identifier of the run.') }),
  query: Type.Object({
    path: Type.String({
      minLength: 1,
      maxLength: 1_000,
      description: '`node`, `node[3]`, `node/inner` or `node[3]/inner`, up to five workflows deep.',
    }),
  }),
  success: { 200: { description: 'The node.', data: RunNodeView } },
  errors: ['RUN_NOT_FOUND', 'NODE_NOT_FOUND'],
  async handle(developer, { params: { runId }, query: { path } }) {
    const context = asApiCaller(developer)
    const { services, principal } = context
    const { runs } = services
    const row = await findRun(services.db, principal.accountId, runId)
    if (!row) throw new Failure('RUN_NOT_FOUND')
    const steps = await runs.stepsOf(row.id)
    const reconstructed = await runs.reconstruct(row, row.started_at === null ? [] : steps, path)
    const found = findInside(reconstructed, path)
    if (!found) throw new Failure('NODE_NOT_FOUND')
    const own = stepsUnder(path, steps)
    const byChild = stepsByChild(path, own)
    const hasBegun = row.started_at !== null
    const children = childrenOf(reconstructed, found, byChild.keys())
    return answer({
      ...innerRecord(row, reconstructed, found, own),
      ...(found.isRoot ? await rootRecord(context, row, path) : {}),
      inputs: await runs.refreshMedia(row.account_id, hasBegun ? reconstructed.inputs : null),
      outputs: await runs.refreshMedia(row.account_id, hasBegun ? reconstructed.outputs : null),
      calls: own.slice(-maxCalls).map(callRecord),
      children: children.map((child) =>
        innerRecord(row, reconstructed, child, byChild.get(child.path) ?? []),
      ),
    })
  },
})

/** The states of the graph's own nodes are stored with the run. */
async function rootRecord(context: Context, row: RunRow, id: string) {
  const heads = await nodeHeads(context, row)
  const index = heads.findIndex((head) => head.id === id)
  const progress = progressOf(row)[index] ?? newNode()
  const {
    nodeId: _,
    taskId: __,
    failedItems: ___,
    ...shown
  } = nodeRecord({ id, type: heads[index]?.type ?? '' }, progress, await taskDelaysOf(context, row))
  const error = row.node_errors?.find(({ nodeId }) => nodeId === id)
  return {
    ...shown,
    error: error ? { code: error.code, message: error.message, retryable: error.retryable } : null,
  }
}
