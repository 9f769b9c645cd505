import { Type } from 'typebox'
import { Failure } from '#core/errors.ts'
import { defineOperation } from '#operations/context.ts'
import { Closed, locationHeader, retryAfterHeader, WorkflowId } from '#operations/schemas.ts'
import { findWorkflow } from '#store/workflows.ts'
import { RunInput, Submitted } from './run-record.ts'

const { inputs, callbackUrl, metadata } = RunInput.properties

export const runWorkflow = defineOperation({
  id: 'runWorkflow',
  route: 'POST /workflows/{workflowId}/runs',
  summary: 'Start a run of a workflow',
  description:
    'A key is bound to one business operation: reuse it to repeat a request whose answer was lost, use a new one for a new run.',
  scope: 'runs:write',
  rate: 'run',
  params: Closed({ workflowId: WorkflowId }),
  requestHeaders: {
    'Idempotency-Key': {
      schema: Type.String({ minLength: 1, maxLength: 128 }),
      required: true,
      description: 'Printable ASCII. The same key with the same input gives the same run.',
    },
  },
  bodyLimitBytes: 2 * 1024 * 1024,
  bodyOptional: true,
  bodyFailure: 'INPUT_INVALID',
  body: RunInput,
  tool: {
    name: 'svc_run_workflow',
    description:
      'Start an asynchronous run of a workflow and get its runId. Read the schema and the estimate first. idempotencyKey is bound to one business operation: after a time-out repeat the call with the same key, for a new operation use a new key. Then poll svc_get_workflow_run.',
    arguments: Closed({
      workflowId: WorkflowId,
      idempotencyKey: Type.String({ maxLength: 128 }),
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
      headers: { ...locationHeader, ...retryAfterHeader },
    },
  },
  errors: [
    'IDEMPOTENCY_KEY_REQUIRED',
    'IDEMPOTENCY_KEY_INVALID',
    'IDEMPOTENCY_KEY_MISMATCH',
    'IDEMPOTENCY_KEY_REUSED',
    'IDEMPOTENCY_IN_PROGRESS',
    'WORKFLOW_NOT_FOUND',
    'INPUT_INVALID',
    'WORKFLOW_INVALID',
    'CALLBACK_URL_REJECTED',
    'UNSUPPORTED_NODES',
    'SPEND_LIMIT_REACHED',
    'QUOTA_EXCEEDED',
  ],
  repeatable: true,
  async handle({ services, principal }, { params }) {
    if (!(await findWorkflow(services.db, principal.accountId, params.workflowId))) {
      throw new Failure('WORKFLOW_NOT_FOUND')
    }
    throw new Failure('SERVICE_UNAVAILABLE', {
      message: 'This version of Atelier stores and checks workflows but does not run them yet.',
      retryable: false,
    })
  },
})
