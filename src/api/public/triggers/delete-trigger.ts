import { Failure } from '#core/errors.ts'
import { Type } from '#core/schema.ts'
import { deleteTrigger as removeTrigger } from '#store/tables/triggers.ts'
import { answer } from '../../operation.ts'
import { NamedRecord } from '../../schemas.ts'
import { defineOperation } from '../context.ts'
import { audited } from '../workflows/audited.ts'
import { requireBothScopes, requireTrigger, triggerTarget } from './store-trigger.ts'
import { TriggerId, triggerParams } from './trigger-record.ts'

export const deleteTrigger = defineOperation({
  id: 'deleteTrigger',
  route: 'DELETE /workflows/{workflowId}/triggers/{triggerId}',
  summary: 'Delete a trigger',
  description:
    'Runs that it has started continue. The address of a webhook answers 410 from then on.',
  scope: 'workflows:write',
  params: triggerParams,
  success: {
    200: {
      description: 'Deleted',
      data: NamedRecord('DeletedTrigger', { triggerId: TriggerId, deleted: Type.Literal(true) }),
    },
  },
  errors: ['TRIGGER_NOT_FOUND'],
  repeatable: true,
  async handle(context, { params }) {
    requireBothScopes(context)
    const { services, principal } = context
    const trigger = await requireTrigger(context, params)
    const recorded = audited(context, 'trigger.deleted', (made) =>
      made === true ? triggerTarget(trigger) : null,
    )
    const of = { accountId: principal.accountId, workflowId: params.workflowId, id: trigger.id }
    const isDeleted = await removeTrigger(recorded, of, await services.triggers.now())
    if (!isDeleted) throw new Failure('TRIGGER_NOT_FOUND')
    return answer({ triggerId: trigger.id, deleted: true })
  },
})
