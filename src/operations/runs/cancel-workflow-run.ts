import { Type } from 'typebox'
import { Failure } from '#core/errors.ts'
import { defineOperation } from '#operations/context.ts'
import { Closed, Uuid } from '#operations/schemas.ts'
import { Cancellation } from './run-record.ts'

export const cancelWorkflowRun = defineOperation({
  id: 'cancelWorkflowRun',
  route: 'POST /workflow-runs/{runId}/cancel',
  summary: 'Ask a run to stop',
  description:
    'No further node is scheduled. Calls already submitted to providers may still finish and be billed; inFlightTaskMayComplete says so.',
  scope: 'runs:write',
  params: Closed({ runId: Uuid('Identifier of the run.') }),
  bodyLimitBytes: 16 * 1024,
  bodyOptional: true,
  body: Closed({ reason: Type.Optional(Type.String({ maxLength: 500 })) }),
  tool: {
    name: 'svc_cancel_workflow_run',
    description:
      'Ask a run to stop. Cooperative: calls already submitted to providers may still finish and be billed. Keep polling until the status is terminal.',
  },
  success: { 200: { description: 'The cancellation state', data: Cancellation } },
  errors: ['RUN_NOT_FOUND'],
  repeatable: true,
  handle() {
    throw new Failure('RUN_NOT_FOUND')
  },
})
