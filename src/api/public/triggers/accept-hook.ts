// A request to the address of a trigger: verified as raw bytes, then read, told apart from repeats,
// mapped to inputs, stored as a firing, and started. It is acknowledged once it is stored.

import { toRfc3339 } from '#core/clock.ts'
import type { ErrorCode } from '#core/error-table.ts'
import { Failure } from '#core/errors.ts'
import { uuidV7 } from '#core/ids.ts'
import { isRecord } from '#core/record.ts'
import type { FiringReason } from '#core/triggers/trigger.ts'
import { verifySignature } from '#core/verify-signature.ts'
import { fireHook, type HookFiring } from '#store/tables/fire-now.ts'
import { countPaused, type FiringRow, findFiring, insertSkipped } from '#store/tables/firings.ts'
import { keepSample } from '#store/tables/trigger-samples.ts'
import type { TriggerRow } from '#store/tables/triggers.ts'
import type { Answer } from '../../operation.ts'
import type { Services } from '../context.ts'
import { hookAnswer } from './hook-answer.ts'
import {
  type HookInput,
  type HookRequest,
  mapHook,
  occurrenceOf,
  readHook,
} from './hook-request.ts'
import { heldMs } from './trigger-services.ts'

export async function acceptHook(
  services: Services,
  trigger: TriggerRow,
  request: HookRequest,
): Promise<Answer> {
  await verify(services, trigger, request)
  const input = readHook(request)
  if (trigger.listen_until !== null) await keepForListener(services, trigger, input)
  const challenge = slackChallenge(trigger, input)
  if (challenge !== null) return { status: 200, body: { challenge } }
  const { account_id: accountId, settings } = trigger
  const occurrence = await occurrenceOf(services, { accountId, settings }, input)
  const known = await findFiring(services.db, trigger.id, occurrence)
  if (known && known.status !== 'SKIPPED') {
    // What it confirms may be read before it is on disk.
    await services.db.synced()
    return settle(services, trigger, { is: 'known', firing: known, trigger })
  }
  const nowMs = await services.triggers.now()
  const firing = {
    ...{ id: uuidV7(nowMs), occurrence, scheduledAtMs: nowMs, nowMs },
    heldUntilMs: nowMs + heldMs,
  }
  const inputs = await mapHook(services, { accountId, settings }, input).catch(async (error) => {
    if (!(error instanceof Failure) || error.code !== 'INPUT_INVALID') throw error
    const why = { reason: 'INVALID_INPUT', message: error.message } as const
    await insertSkipped(services.db, trigger, { ...firing, ...why })
    services.triggers.onFired('WEBHOOK', 'INVALID_INPUT')
    throw error
  })
  const stored = await fireHook(services.db, trigger.id, {
    ...firing,
    inputs: JSON.stringify(inputs),
  })
  return settle(services, trigger, stored)
}

/** A request that nobody signed leaves nothing behind but a count. */
async function verify(services: Services, trigger: TriggerRow, request: HookRequest) {
  const config = trigger.settings.verify ?? { method: 'none' }
  const secrets = await services.waits.secretsOf(trigger.account_id, config.credentials ?? [])
  const { body, headers } = request
  const nowMs = services.clock.nowMs()
  const verdict = verifySignature(config, { headers, body, secrets, nowMs })
  if (verdict.ok) return
  services.triggers.onFired('WEBHOOK', 'UNVERIFIED')
  if (trigger.listen_until !== null) await keepForListener(services, trigger, verdict.reason)
  throw new Failure('SIGNATURE_INVALID', { message: verdict.reason })
}

/** Larger ones are mapped too, but nobody reads them on a screen. */
const largestSample = 256 * 1024

async function keepForListener(
  { db, triggers }: Services,
  { id }: TriggerRow,
  got: HookInput | string,
): Promise<void> {
  const nowMs = await triggers.now()
  const at = toRfc3339(nowMs)
  const isTooLarge = typeof got !== 'string' && JSON.stringify(got).length > largestSample
  const refused = isTooLarge ? 'It is larger than 256 KiB, so it is not shown.' : got
  const sample =
    typeof refused === 'string' ? { refused, at } : { refused: null, at, ...(got as HookInput) }
  await keepSample(db, id, sample, nowMs)
}

/** https://docs.slack.dev/reference/events/url_verification */
function slackChallenge({ settings }: TriggerRow, { body }: HookInput): string | null {
  if (settings.verify?.method !== 'slack' || !isRecord(body)) return null
  const { type, challenge } = body as { type?: unknown; challenge?: unknown }
  return type === 'url_verification' && typeof challenge === 'string' ? challenge : null
}

async function settle(
  services: Services,
  trigger: TriggerRow,
  stored: HookFiring,
): Promise<Answer> {
  if (stored.is === 'gone') throw new Failure('TRIGGER_GONE')
  if (stored.is === 'off') {
    const nowMs = await services.triggers.now()
    const message = 'The trigger was off or paused.'
    await countPaused(services.db, trigger, { id: uuidV7(nowMs), nowMs, message })
    services.triggers.onFired('WEBHOOK', 'PAUSED')
    throw new Failure('TRIGGER_PAUSED', { retryAfterSeconds: 60 })
  }
  const { firing } = stored
  // A repeat that comes while the first is being started starts it too: under the same key, so that
  // both get the same run.
  if (firing.status === 'PENDING') {
    const started = await services.triggers.startFiring(firing, stored.trigger)
    if (started && 'reason' in started) throw refused(started.reason, started.message)
    return hookAnswer(services, trigger, {
      ...firing,
      run_id: started ? started.runId : null,
    })
  }
  if (firing.status === 'SKIPPED') return overlapping(services, trigger, firing)
  if (stored.is === 'made') services.triggers.onFired('WEBHOOK', 'QUEUED')
  return hookAnswer(services, trigger, firing)
}

/** The sender of a full queue may try again; with `skip` it was meant to be left out. */
function overlapping(services: Services, trigger: TriggerRow, firing: FiringRow) {
  services.triggers.onFired('WEBHOOK', 'SKIPPED_OVERLAP')
  if (trigger.settings.overlap === 'queue') throw refused('SKIPPED_OVERLAP', firing.message ?? '')
  return hookAnswer(services, trigger, firing)
}

const codes: Record<FiringReason, ErrorCode> = {
  SKIPPED_OVERLAP: 'QUOTA_EXCEEDED',
  MISSED: 'TRIGGER_PAUSED',
  PAUSED: 'TRIGGER_PAUSED',
  BUDGET: 'SPEND_LIMIT_REACHED',
  INVALID_INPUT: 'INPUT_INVALID',
  NO_VERSION: 'WORKFLOW_INVALID',
  QUOTA: 'QUOTA_EXCEEDED',
}

const refused = (reason: FiringReason, message: string) =>
  new Failure(codes[reason], { message, details: { reason } })
