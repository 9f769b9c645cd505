// A request to the address of a trigger: verified as raw bytes, then read, told apart from repeats,
// mapped to inputs, stored as a firing, and started. It is acknowledged once it is stored.

import { toRfc3339 } from '#core/clock.ts'
import type { ErrorCode } from '#core/error-table.ts'
import { Failure } from '#core/errors.ts'
import { isRecord } from '#core/record.ts'
import type { FiringReason } from '#core/triggers/trigger.ts'
import { verifySignature } from '#core/verify-signature.ts'
import { fireHook, type HookFiring, leaveOut, turnAway } from '#store/tables/fire-now.ts'
import { type FiringRow, findFiring } from '#store/tables/firings.ts'
import { keepSample } from '#store/tables/trigger-samples.ts'
import type { TriggerRow } from '#store/tables/triggers.ts'
import type { Answer } from '../../operation.ts'
import type { Services } from '../context.ts'
import { type Hook, hookAnswer } from './hook-answer.ts'
import {
  type HookInput,
  type HookRequest,
  mapHook,
  occurrenceOf,
  readHook,
  unidentified,
} from './hook-request.ts'
import { heldMs } from './trigger-services.ts'

export async function acceptHook(
  services: Services,
  trigger: TriggerRow,
  request: HookRequest,
): Promise<Answer> {
  const hook = { services, trigger, untilMs: services.triggers.answerUntil() }
  await verify(services, trigger, request)
  const input = await orListed(hook, null, async () => readHook(request))
  if (trigger.listen_until !== null) await keepForListener(services, trigger, input)
  const challenge = slackChallenge(trigger, input)
  if (challenge !== null) return { status: 200, body: { challenge } }
  const { account_id: accountId, settings } = trigger
  const owned = { accountId, settings }
  const occurrence = await orListed(hook, null, () => occurrenceOf(services, owned, input))
  const known = await findFiring(services.db, trigger.id, occurrence)
  if (known && known.status !== 'SKIPPED') {
    // What it confirms may be read before it is on disk.
    await services.db.synced()
    return settle(hook, { is: 'known', firing: known, trigger })
  }
  if (isOff(trigger)) throw await turnedAway(hook)
  const inputs = await orListed(hook, occurrence, () => mapHook(services, owned, input))
  const firing = { ...(await newFiring(services, occurrence)), inputs: JSON.stringify(inputs) }
  return settle(hook, await fireHook(services.db, trigger.id, firing))
}

async function newFiring({ triggers }: Services, occurrence: string) {
  const nowMs = await triggers.now()
  return { occurrence, scheduledAtMs: nowMs, nowMs, heldUntilMs: nowMs + heldMs }
}

const unreadable: ReadonlySet<ErrorCode> = new Set(['INVALID_JSON', 'INPUT_INVALID'])

/** A request that was verified and cannot be read is listed too, unless the trigger is off anyway. */
async function orListed<T>(
  hook: Hook,
  occurrence: string | null,
  read: () => Promise<T>,
): Promise<T> {
  const { services, trigger } = hook
  return read().catch(async (error) => {
    if (!(error instanceof Failure) || !unreadable.has(error.code)) throw error
    if (isOff(trigger)) throw await turnedAway(hook)
    const firing = await newFiring(services, occurrence ?? unidentified())
    await leaveOut(services.db, trigger.id, firing, 'INVALID_INPUT', error.message)
    services.triggers.onFired('WEBHOOK', 'INVALID_INPUT')
    throw error
  })
}

const isOff = (trigger: TriggerRow) => trigger.enabled === 0 || trigger.paused_at !== null

async function turnedAway({ services, trigger }: Hook): Promise<Failure> {
  await turnAway(services.db, trigger.id, await services.triggers.now())
  services.triggers.onFired('WEBHOOK', 'PAUSED')
  return new Failure('TRIGGER_PAUSED', { retryAfterSeconds: 60 })
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

async function settle(hook: Hook, stored: HookFiring): Promise<Answer> {
  const { services } = hook
  if (stored.is === 'gone') throw new Failure('TRIGGER_GONE')
  if (stored.is === 'off') throw await turnedAway(hook)
  const { firing } = stored
  // A repeat that comes while the first is being started starts it too: under the same key, so that
  // both get the same run.
  if (firing.status === 'PENDING') {
    const started = await services.triggers.startFiring(firing, stored.trigger, hook.untilMs)
    if (started && 'reason' in started) throw refused(started.reason, started.message)
    return hookAnswer(hook, { ...firing, run_id: started ? started.runId : null })
  }
  if (firing.status === 'SKIPPED') return overlapping(hook, firing)
  if (stored.is === 'made') services.triggers.onFired('WEBHOOK', 'QUEUED')
  return hookAnswer(hook, firing)
}

/** The sender of a full queue may try again; with `skip` it was meant to be left out. */
function overlapping(hook: Hook, firing: FiringRow) {
  const { services, trigger } = hook
  services.triggers.onFired('WEBHOOK', 'SKIPPED_OVERLAP')
  if (trigger.settings.overlap === 'queue') throw refused('SKIPPED_OVERLAP', firing.message ?? '')
  return hookAnswer(hook, firing)
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
