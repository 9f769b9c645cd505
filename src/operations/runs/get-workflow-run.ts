import { Failure } from '#core/errors.ts'
import { defineOperation } from '#operations/context.ts'
import { Closed, retryAfterHeader, Uuid } from '#operations/schemas.ts'
import { Run } from './run-record.ts'

export const getWorkflowRun = defineOperation({
  id: 'getWorkflowRun',
  route: 'GET /workflow-runs/{runId}',
  summary: 'Read the state of a run',
  scope: 'runs:read',
  params: Closed({ runId: Uuid('Identifier of the run.') }),
  tool: {
    name: 'svc_get_workflow_run',
    description:
      'Read a run. Wait retryAfterSeconds between calls until status is COMPLETED (read outputs), FAILED (read nodeErrors) or CANCELLED.',
  },
  success: { 200: { description: 'The run', data: Run, headers: retryAfterHeader } },
  errors: ['RUN_NOT_FOUND'],
  repeatable: true,
  handle() {
    throw new Failure('RUN_NOT_FOUND')
  },
})
