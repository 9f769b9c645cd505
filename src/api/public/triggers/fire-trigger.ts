import { hash, randomUUID } from 'node:crypto'
import { Failure } from '#core/errors.ts'
import { fireNow } from '#store/tables/fire-now.ts'
import { findListedFiring } from '#store/tables/firings.ts'
import { answer } from '../../operation.ts'
import { defineOperation } from '../context.ts'
import { readKey } from '../runs/idempotency.ts'
import { audited } from '../workflows/audited.ts'
import { requireBothScopes, requireTrigger, triggerTarget } from './store-trigger.ts'
import { Firing, toFiring, triggerParams } from './trigger-record.ts'
import { heldMs } from './trigger-services.ts'

export const fireTrigger = defineOperation({
  id: 'fireTrigger',
  route: 'POST /workflows/{workflowId}/triggers/{triggerId}/fire',
  summary: 'Fire a trigger now',
  description:
    'Also if it is off or paused; `overlap` holds. Needs the scope workflows:write too. With an Idempotency-Key, repeating the request fires once.',
  scope: 'runs:write',
  rate: 'run',
  params: triggerParams,
  success: { 200: { description: 'The firing, with its run or why there is none', data: Firing } },
  errors: ['TRIGGER_NOT_FOUND', 'IDEMPOTENCY_KEY_INVALID'],
  repeatable: false,
  ifUnknown: 'List the firings of the trigger: it is there if it fired.',
  async handle(context, { params }) {
    requireBothScopes(context)
    const { services } = context
    const hasKey = context.headerValues('idempotency-key').length > 0
    const value = hasKey ? readKey(context.headerValues) : randomUUID()
    const trigger = await requireTrigger(context, params)
    const nowMs = await services.triggers.now()
    const occurrence = `fired:${hash('sha256', value)}`
    const recorded = audited(context, 'trigger.fired', (made) =>
      made === undefined ? null : triggerTarget(trigger),
    )
    const made = await fireNow(recorded, trigger.id, {
      ...{ occurrence, scheduledAtMs: nowMs, nowMs },
      heldUntilMs: nowMs + heldMs,
    })
    const { answerUntil, startFiring } = services.triggers
    if (made?.status === 'PENDING') await startFiring(made, trigger, answerUntil())
    const firing = await findListedFiring(services.db, trigger.id, occurrence)
    // It was deleted in the meantime.
    if (!firing) throw new Failure('TRIGGER_NOT_FOUND')
    return answer(toFiring(firing))
  },
})
