import { Failure, invalid } from '#core/errors.ts'
import { toMicros } from '#core/money.ts'
import { type Static, Type } from '#core/schema.ts'
import { findWorkflowHead } from '#store/tables/runs.ts'
import {
  Closed,
  locationHeader,
  replayedHeader,
  retryAfterHeader,
  tagHeader,
  WorkflowId,
} from '../../schemas.ts'
import { defineOperation } from '../context.ts'
import { findReplay, submitRun, submitted } from './accept-run.ts'
import { assertWithinLimits, checkRunnable, optionsOf } from './accepted-graph.ts'
import { withDeadline } from './economy.ts'
import { graphToRun } from './graph-to-run.ts'
import { fingerprintOf, keyHeader, readKey } from './idempotency.ts'
import { keptResults, pinnedResults } from './pinned-results.ts'
import { RunInput, Submitted } from './run-record.ts'
import { asRunOf, sentTag } from './run-tag.ts'

const { inputs, callbackUrl, metadata } = RunInput.properties
const maxMetadataBytes = 16 * 1024

export const runWorkflow = defineOperation({
  id: 'runWorkflow',
  route: 'POST /workflows/{workflowId}/runs',
  summary: 'Start a run of a workflow',
  description:
    'A key is bound to one business operation: reuse it to repeat a request whose answer was lost, use a new one for a new run.',
  scope: 'runs:write',
  rate: 'run',
  params: Closed({ workflowId: WorkflowId }),
  requestHeaders: { ...keyHeader, ...tagHeader },
  bodyLimitBytes: 2 * 1024 * 1024,
  bodyOptional: true,
  bodyFailure: 'INPUT_INVALID',
  body: RunInput,
  tool: {
    name: 'svc_run_workflow',
    starts: 'run',
    description:
      'Start an asynchronous run of a workflow and get its runId. Read the schema and the estimate first. Choose idempotencyKey before the call and keep it: it identifies one intended run. After a time-out, a lost answer or a retryable error repeat the call with the same key and the same arguments, which gives the same run and never a second one; for another run use a new key. Then poll svc_get_workflow_run.',
    arguments: Closed({
      workflowId: WorkflowId,
      idempotencyKey: Type.String({
        minLength: 1,
        maxLength: 128,
        // Printable ASCII, because it is sent as a header.
        pattern: '^[ -~]+$',
        description:
          'A value of your choice, for example a UUID. The same key returns the same run, a new key starts a new one.',
      }),
      inputs,
      callbackUrl,
      metadata,
    }),
  },
  success: {
    202: {
      description: 'Queued',
      data: Submitted,
      headers: { ...locationHeader, ...retryAfterHeader },
    },
    200: {
      description: 'The run this key started before',
      data: Submitted,
      headers: { ...locationHeader, ...retryAfterHeader, ...replayedHeader },
    },
  },
  errors: [
    'IDEMPOTENCY_KEY_REQUIRED',
    'IDEMPOTENCY_KEY_INVALID',
    'IDEMPOTENCY_KEY_MISMATCH',
    'IDEMPOTENCY_KEY_REUSED',
    'IDEMPOTENCY_IN_PROGRESS',
    'WORKFLOW_NOT_FOUND',
    'DRAFT_NOT_FOUND',
    'PRECONDITION_FAILED',
    'INPUT_INVALID',
    'WORKFLOW_INVALID',
    'CALLBACK_URL_REJECTED',
    'UNSUPPORTED_NODES',
    'SPEND_LIMIT_REACHED',
    'UNPRICED_MODEL',
    'QUOTA_EXCEEDED',
  ],
  repeatable: true,
  ifUnknown: 'Send it again with the same Idempotency-Key: that finds the run, or starts it once.',
  checkHeaders: (headerValues) => void readKey(headerValues),
  async handle(context, { params: { workflowId }, body }) {
    const { services, principal } = context
    const key = readKey(context.headerValues)
    const tag = sentTag(principal, body.tag)
    const order = readInput(body, key, tag)
    const { fingerprint, inputs } = order
    const workflow = await findWorkflowHead(services.db, principal.accountId, workflowId)
    // Comes before the check of the workflow, because runs and their keys outlive it.
    const replay = await findReplay(context, workflowId, key, fingerprint)
    if (replay) return submitted(context, replay)
    if (!workflow) throw new Failure('WORKFLOW_NOT_FOUND')
    const { pins } = body
    const { graph, version, pin } = await graphToRun(context, workflow, body)
    const results = await pinnedResults(context, pins)
    await checkRunnable(context, graph, { ...inputs, ...results }, pins)
    const callbackUrl =
      body.callbackUrl === undefined
        ? null
        : await services.graphs.checkCallbackUrl(body.callbackUrl)
    const asRun = asRunOf(context, workflowId, tag)
    const options = withDeadline(optionsOf(body, graph), body, services.clock.nowMs())
    const isReusing = options?.reuse === 'exact'
    const hasMaxCost = body.maxCost !== undefined
    const mayWait = graph.mayWait || options?.lane !== undefined
    await assertWithinLimits(asRun, { ...graph, mayWait }, { hasMaxCost, isReusing })
    const { id, name } = workflow
    const given = { ...inputs, ...(await keptResults(context, results)) }
    const run = await submitRun(asRun, {
      ...{ key, fingerprint, callbackUrl, callbackEvents: body.callbackEvents ?? null },
      workflow: { id, name, version, dataVersion: await pin() },
      called: graph.called,
      routes: graph.routes,
      nodeCount: graph.plan.nodes.length,
      inputs: await services.runs.payloads.put(principal.accountId, JSON.stringify(given)),
      metadata: order.metadata,
      maxCostMicros: body.maxCost === undefined ? null : toMicros(body.maxCost),
      options,
      retryOf: null,
    })
    return submitted(context, run)
  },
})

/** Checks what the body's schema cannot express, and computes the request's fingerprint. */
function readInput(body: Static<typeof RunInput>, key: string, tag: string | undefined) {
  if (body.idempotencyKey !== undefined && body.idempotencyKey !== key) {
    throw new Failure('IDEMPOTENCY_KEY_MISMATCH')
  }
  if (Buffer.byteLength(JSON.stringify(body.metadata ?? {})) > maxMetadataBytes) {
    const message = 'metadata must not be larger than 16 KiB'
    throw invalid(
      'INPUT_INVALID',
      [{ path: '/metadata', rule: 'maxBytes', message }],
      `${message}.`,
    )
  }
  if (body.callbackEvents !== undefined && body.callbackUrl === undefined) {
    const message = 'callbackEvents needs a callbackUrl to send them to'
    const issue = { path: '/callbackEvents', rule: 'callbackUrl', message }
    throw invalid('INPUT_INVALID', [issue], `${message}.`)
  }
  const inputs = (body.inputs ?? {}) as Record<string, unknown>
  const fingerprint = fingerprintOf({
    inputs,
    callbackUrl: body.callbackUrl ?? null,
    metadata: body.metadata ?? {},
    ...(body.maxCost === undefined ? {} : { maxCost: body.maxCost }),
    ...(body.callbackEvents === undefined ? {} : { callbackEvents: body.callbackEvents }),
    ...(body.targets === undefined ? {} : { targets: body.targets }),
    ...(body.pins === undefined ? {} : { pins: body.pins }),
    ...(body.fresh === undefined ? {} : { fresh: body.fresh }),
    ...(tag === undefined ? {} : { tag }),
    ...(body.reuse === undefined ? {} : { reuse: body.reuse }),
    ...(body.draft === undefined ? {} : { draft: body.draft }),
    ...(body.lane === undefined ? {} : { lane: body.lane }),
    ...(body.deadlineAt === undefined ? {} : { deadlineAt: body.deadlineAt }),
  })
  return { inputs, metadata: { ...body.metadata }, fingerprint }
}
