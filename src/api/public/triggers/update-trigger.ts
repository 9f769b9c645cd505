import { Failure } from '#core/errors.ts'
import type { Static } from '#core/schema.ts'
import { updateTrigger as storeTrigger, type TriggerRow } from '#store/tables/triggers.ts'
import { answer, type CallContext } from '../../operation.ts'
import { type Context, defineOperation } from '../context.ts'
import { audited } from '../workflows/audited.ts'
import { triggerBodyBytes, triggerErrors } from './create-trigger.ts'
import {
  checkRuns,
  makeToken,
  readVersion,
  requireBothScopes,
  requireTrigger,
  showTrigger,
  timesOf,
  triggerTarget,
} from './store-trigger.ts'
import { changedSettings, checkSettings, refuse, TriggerPatch } from './trigger-input.ts'
import { Trigger, triggerParams } from './trigger-record.ts'

// Another change can come between reading and storing; more than a few in a row do not.
const attempts = 3

export const updateTrigger = defineOperation({
  id: 'updateTrigger',
  route: 'PUT /workflows/{workflowId}/triggers/{triggerId}',
  summary: 'Change a trigger',
  description:
    'Members that are left out keep their value, and null removes a setting. A change restarts the schedule from now, ends a pause, and makes you the one whose rights and limits its runs have.',
  scope: 'workflows:write',
  params: triggerParams,
  bodyLimitBytes: triggerBodyBytes,
  bodyFailure: 'TRIGGER_INVALID',
  body: TriggerPatch,
  success: { 200: { description: 'The trigger as it is now', data: Trigger } },
  errors: ['TRIGGER_NOT_FOUND', 'PRECONDITION_FAILED', ...triggerErrors],
  repeatable: true,
  async handle(context, { params, body }) {
    requireBothScopes(context)
    for (let attempt = 0; attempt < attempts; attempt++) {
      const before = await requireTrigger(context, params)
      const made = body.newUrl === true && before.kind === 'WEBHOOK' ? makeToken() : null
      const row = await change(context, before, body, made?.token_hash)
      if (row) return answer(await showTrigger(context, row, made?.token))
    }
    throw new Failure('PRECONDITION_FAILED', { message: 'Others keep changing this trigger.' })
  },
})

async function change(
  context: Context & CallContext,
  before: TriggerRow,
  body: Static<typeof TriggerPatch>,
  newHash: string | undefined,
): Promise<TriggerRow | undefined> {
  const { services, principal } = context
  const { kind } = before
  if (body.kind !== undefined && body.kind !== kind) {
    throw refuse([{ path: '/kind', rule: 'trigger', message: `is ${kind} and stays so` }])
  }
  if (body.newUrl === true && kind !== 'WEBHOOK') {
    throw refuse([{ path: '/newUrl', rule: 'trigger', message: `is not a setting of ${kind}` }])
  }
  const nowMs = await services.triggers.now()
  const settings = changedSettings(kind, body, before.settings, nowMs)
  const version = readVersion(body.version, before.version)
  const isOn = body.enabled ?? before.enabled === 1
  const nextMs = await checkSettings(context, { kind, settings, before, isOn }, nowMs)
  // A trigger that cannot start runs any more can still be switched off.
  if (isOn) await checkRuns(context, { workflow_id: before.workflow_id, version, kind, settings })
  return storeTrigger(audited(context, 'trigger.changed', triggerTarget), before, {
    ...{ kind, version, settings, nowMs },
    name: body.name?.trim() ?? before.name,
    enabled: isOn ? 1 : 0,
    token_hash: newHash ?? before.token_hash,
    ...timesOf(before.id, settings, { nextMs, isOn }),
    maker_user: principal.userId,
    maker_key: principal.keyId,
  })
}
