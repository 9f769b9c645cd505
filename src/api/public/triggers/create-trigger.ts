import { Failure } from '#core/errors.ts'
import { uuidV7 } from '#core/ids.ts'
import { insertTrigger } from '#store/tables/triggers.ts'
import { answer } from '../../operation.ts'
import { Closed, locationHeader, WorkflowId } from '../../schemas.ts'
import { apiPrefix, defineOperation } from '../context.ts'
import { audited } from '../workflows/audited.ts'
import { requireWorkflow } from '../workflows/examine-graph.ts'
import {
  checkRuns,
  makeToken,
  readVersion,
  requireBothScopes,
  showTrigger,
  timesOf,
  triggerTarget,
} from './store-trigger.ts'
import { changedSettings, checkSettings, NewTrigger } from './trigger-input.ts'
import { Trigger } from './trigger-record.ts'

/** Of one account. */
export const maxTriggers = 1_000

/** More than its settings may take together. */
export const triggerBodyBytes = 256 * 1024

export const triggerErrors = [
  'TRIGGER_INVALID',
  'WORKFLOW_NOT_FOUND',
  'VERSION_NOT_FOUND',
  'WORKFLOW_INVALID',
  'INPUT_INVALID',
  'UNSUPPORTED_NODES',
  'CALLBACK_URL_REJECTED',
] as const

export const createTrigger = defineOperation({
  id: 'createTrigger',
  route: 'POST /workflows/{workflowId}/triggers',
  summary: 'Make something that starts runs of a workflow by itself',
  description:
    'A schedule, one time, or an address for webhooks. Needs the scope runs:write too. Its runs spend on the key that made it, and it pauses when that key is revoked.',
  scope: 'workflows:write',
  params: Closed({ workflowId: WorkflowId }),
  bodyLimitBytes: triggerBodyBytes,
  bodyFailure: 'TRIGGER_INVALID',
  body: NewTrigger,
  success: { 200: { description: 'Created', data: Trigger, headers: locationHeader } },
  errors: [...triggerErrors, 'QUOTA_EXCEEDED'],
  repeatable: false,
  ifUnknown: 'List the triggers of the workflow: it is there if it was created.',
  async handle(context, { params: { workflowId }, body }) {
    requireBothScopes(context)
    const { services, principal } = context
    await requireWorkflow(context, workflowId)
    const nowMs = await services.triggers.now()
    const { kind, enabled = true } = body
    const settings = changedSettings(kind, body, undefined, nowMs)
    const version = readVersion(body.version, 'latest')
    const nextMs = await checkSettings(context, { kind, settings }, nowMs)
    await checkRuns(context, { workflow_id: workflowId, version, kind, settings })
    const id = uuidV7(nowMs)
    const made = kind === 'WEBHOOK' ? makeToken() : null
    const row = await insertTrigger(
      audited(context, 'trigger.created', triggerTarget),
      {
        ...{ id, kind, version, settings, nowMs },
        name: body.name.trim(),
        account_id: principal.accountId,
        workflow_id: workflowId,
        enabled: enabled ? 1 : 0,
        token_hash: made?.token_hash ?? null,
        ...timesOf(id, settings, { nextMs, isOn: enabled }),
        maker_user: principal.userId,
        maker_key: principal.keyId,
      },
      { most: maxTriggers },
    )
    if (row === 'too-many') {
      const message = `An account can have ${maxTriggers} triggers.`
      throw new Failure('QUOTA_EXCEEDED', { message, retryable: false })
    }
    if (!row) throw new Failure('WORKFLOW_NOT_FOUND')
    return answer(await showTrigger(context, row, made?.token), {
      headers: { Location: `${apiPrefix}/workflows/${workflowId}/triggers/${row.id}` },
    })
  },
})
