import { AnswerWarnings } from '#core/answer-warnings.ts'
import { tagPattern } from '#core/budgets.ts'
import { nodeStatuses } from '#core/run-nodes.ts'
import { runStatuses } from '#core/run-states.ts'
import { Type } from '#core/schema.ts'
import { waitKinds } from '#core/wait-facts.ts'
import { Named } from '../../named.ts'
import {
  Amount,
  Closed,
  Money,
  NamedRecord,
  Nullable,
  OneOf,
  RetryAfter,
  Timestamp,
  Uuid,
  WorkflowId,
} from '../../schemas.ts'
import { WaitReason } from '../wait-reason.ts'
import { economyInput, RunEconomy, shownLane } from './economy.ts'

export const RunStatus = Named('RunStatus', OneOf(runStatuses))

export const NodeError = NamedRecord('NodeError', {
  nodeId: Type.String({ description: 'Empty if the run as a whole failed.' }),
  type: Type.String({ description: 'Type of the node; "run" if the run as a whole failed.' }),
  code: Type.String({ description: 'See the reference of error codes.' }),
  message: Type.String(),
  retryable: Type.Boolean({ description: 'True if a retry may succeed.' }),
  at: Timestamp,
})

export const ReusedFrom = NamedRecord('ReusedFrom', {
  runId: Uuid('The run whose answer was taken over.'),
  nodeId: Type.String(),
  at: Timestamp,
})

export const RunNode = NamedRecord('RunNode', {
  nodeId: Type.String(),
  type: Type.String(),
  status: Named('NodeStatus', OneOf(nodeStatuses)),
  attempts: Type.Integer({ minimum: 0 }),
  startedAt: Nullable(Timestamp),
  completedAt: Nullable(Timestamp),
  taskId: Type.Optional(Uuid('The generation task of this node.')),
  cost: Nullable(Money),
  warnings: AnswerWarnings,
  failedItems: Type.Optional(
    Type.Integer({
      minimum: 1,
      description: 'How many items of lists inside it failed without it; listWorkflowRunItems.',
    }),
  ),
  savedCost: Type.Optional(Money),
  reusedFrom: Type.Optional(ReusedFrom),
  waitReason: Type.Optional(WaitReason),
})

const callback = Closed({
  url: Type.String({ description: 'Without its query.' }),
  status: OneOf(['PENDING', 'DELIVERED', 'FAILED', 'DISABLED']),
  attempts: Type.Integer({ minimum: 0 }),
  lastStatusCode: Nullable(Type.Integer()),
})

const summary = {
  runId: Uuid('Identifier of the run.'),
  workflowId: WorkflowId,
  workflowName: Type.String(),
  workflowVersion: Type.Integer({ minimum: 1 }),
  status: RunStatus,
  createdAt: Timestamp,
  startedAt: Nullable(Timestamp),
  completedAt: Nullable(Timestamp),
  nodeErrors: Type.Array(NodeError, {
    description:
      'Why a FAILED run failed: an error for each node that failed, or one of the run itself (nodeId "", type "run"), such as RUN_TIMEOUT or QUARANTINED.',
  }),
  progress: Closed({
    total: Type.Integer({ minimum: 0 }),
    completed: Type.Integer({ minimum: 0 }),
    skipped: Type.Integer({ minimum: 0 }),
    failed: Type.Integer({ minimum: 0 }),
  }),
  cost: Money,
  metadata: Type.Object({}),
  callback: Nullable(callback),
  cancelRequestedAt: Nullable(Timestamp),
  cancelReason: Nullable(Type.String()),
  inFlightTaskMayComplete: Type.Boolean({
    description: 'A call already submitted to a provider may still finish and be billed.',
  }),
  retryAfterSeconds: RetryAfter,
  maxCost: Type.Optional(Amount),
  retryOf: Type.Optional(Uuid('The run whose finished nodes this one reuses.')),
  savedCost: Type.Optional(Money),
  reuse: Type.Optional(OneOf(['exact'], 'The run takes over answers of earlier calls.')),
  targets: Type.Optional(
    Type.Array(Type.String(), { description: 'The nodes that the run was asked for, if not all.' }),
  ),
  pins: Type.Optional(
    Type.Record(Type.String(), Uuid('The run whose result the node has.'), {
      description: 'The nodes that were not executed, because their results were given.',
    }),
  ),
  isDraft: Type.Optional(
    Type.Literal(true, { description: 'It ran a draft of this version, which was not saved.' }),
  ),
  ...shownLane,
}

export const RunSummary = NamedRecord('RunSummary', summary)

export const Waiting = NamedRecord('RunWait', {
  waitId: Uuid('Identifier of the wait.'),
  nodeId: Type.String({ description: 'The node of this workflow that waits.' }),
  path: Type.String({
    description: 'Where exactly: item 2 of a list is node[2], a node of a called workflow node/id.',
  }),
  kind: OneOf(waitKinds, 'A time, the decision of a person, or a message from another system.'),
  title: Type.String({ description: 'What a person is asked; otherwise empty.' }),
  since: Timestamp,
  expiresAt: Timestamp,
  url: Type.Optional(
    Type.String({
      description:
        'Where somebody without an account answers; only for credentials with the scope waits:answer.',
    }),
  ),
})

export const Run = NamedRecord('Run', {
  ...summary,
  outputs: Nullable(Type.Object({}, { description: 'Keyed as in outputSchema.' })),
  nodes: Type.Array(RunNode),
  economy: Type.Optional(RunEconomy),
  waitingFor: Type.Optional(
    Type.Array(Waiting, {
      description: 'What the run waits for: times, people, messages. Left out if there is nothing.',
    }),
  ),
})

export const Submitted = NamedRecord('SubmittedRun', {
  runId: summary.runId,
  workflowId: WorkflowId,
  status: RunStatus,
  createdAt: Timestamp,
  idempotentReplay: Type.Boolean(),
  retryAfterSeconds: RetryAfter,
})

export const Cancellation = NamedRecord('Cancellation', {
  runId: summary.runId,
  status: RunStatus,
  accepted: Type.Boolean({ description: 'False if the run had already ended.' }),
  cancelRequestedAt: Nullable(Timestamp),
  cancelReason: Nullable(Type.String()),
  inFlightTaskMayComplete: summary.inFlightTaskMayComplete,
  retryAfterSeconds: RetryAfter,
})

export const RunInput = NamedRecord('RunInput', {
  inputs: Type.Optional(
    Type.Object({}, { description: 'Keyed by input node ID, as described by inputSchema.' }),
  ),
  callbackUrl: Type.Optional(
    Type.String({
      format: 'uri',
      description: 'Public HTTP(S) address for a signed webhook, of at most 2048 characters.',
    }),
  ),
  callbackEvents: Type.Optional(
    Type.Array(OneOf(['waiting']), {
      maxItems: 1,
      description:
        'Events that callbackUrl gets besides the end of the run. waiting: the run waits for a person or a message.',
    }),
  ),
  metadata: Type.Optional(
    Type.Object(
      {},
      {
        maxProperties: 100,
        propertyNames: { maxLength: 64 },
        description: 'Your own data, stored and returned with the run.',
      },
    ),
  ),
  maxCost: Type.Optional(
    Type.Number({
      minimum: 0,
      maximum: 1_000_000,
      description:
        'The run makes no call that could raise its cost, including calls in progress, above this amount; it fails with COST_LIMIT_REACHED instead.',
    }),
  ),
  reuse: Type.Optional(
    OneOf(
      ['none', 'exact'],
      'exact: where a node would send the same request as an earlier run of your account, the earlier answer is taken over and costs nothing. Default: what the workflow says in data.reuse, or none.',
    ),
  ),
  targets: Type.Optional(
    Type.Array(Type.String({ minLength: 1, maxLength: 64 }), {
      minItems: 1,
      maxItems: 200,
      description:
        'Ids of nodes: only these and what they need run, and only inputs that they need are required. All others are SKIPPED.',
    }),
  ),
  fresh: Type.Optional(
    Type.Array(Type.String({ minLength: 1, maxLength: 64 }), {
      maxItems: 200,
      description: 'With reuse exact: ids of nodes that make their calls anew all the same.',
    }),
  ),
  pins: Type.Optional(
    Type.Record(Type.String({ minLength: 1, maxLength: 64 }), Uuid('A run of your account.'), {
      maxProperties: 200,
      description:
        'By id of a node: a run whose result of that node is used. The node is not executed, whatever feeds it, nor is what only it needs.',
    }),
  ),
  ...economyInput,
  tag: Type.Optional(
    Type.String({
      pattern: tagPattern,
      description:
        'What the run is counted under in usage and budgets. Left out: the tag of the workflow, else of the key.',
    }),
  ),
  draft: Type.Optional(
    Closed(
      {
        draftId: Uuid('Identifier of a draft of this workflow.'),
        revision: Type.Integer({ minimum: 1, description: 'The revision that is meant.' }),
      },
      {
        description: 'Run this draft of the console instead of the saved graph. Nothing is saved.',
      },
    ),
  ),
  idempotencyKey: Type.Optional(
    Type.String({
      maxLength: 128,
      description: 'If sent, it must equal the Idempotency-Key header.',
    }),
  ),
})
