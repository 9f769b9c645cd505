// A text call of a run that may take until its deadline: it waits for a vendor's batch, with others of
// the account, and costs about half. Its intent, its wait and its step are stored together. The run
// sleeps meanwhile; whoever stores the answer wakes it (engine/batches).
//
//   queued ── answered in a batch ──▶ the step ends with the answer, at the batch's price
//      └───── returned unprocessed, too late, refused ──▶ made at once, at the normal price
//
// One that never waits goes by the vendor's flex tier, if its model has one (flex-call.ts).
import type { BatchedEnd } from '#core/economy.ts'
import type { TextCall } from '#core/generation.ts'
import { uuidV7 } from '#core/ids.ts'
import { Stopping } from '#core/interruptions.ts'
import { isLong } from '#core/payload-text.ts'
import type { BegunStep } from '#core/step-states.ts'
import type { EconomyCall, NewWait, OpenedWait, RunWait } from '#store/engine-store.ts'
import type { NormalCall, PreparedCall } from '../batches/prepare-call.ts'
import { hasSpendLimit } from '../calls/spend-limit.ts'
import type { CallSite } from './call-site.ts'
import { showDelay } from './delay-call.ts'
import { flexCall, type OnTier } from './flex-call.ts'
import { makeCall, type OutsideCall } from './make-call.ts'
import { outcomeLost, StepFailure, timeLimit } from './node-error.ts'
import type { NodeScope } from './node-scope.ts'
import {
  bookAgain,
  type CallAt,
  conclude,
  fail,
  newStep,
  recorded,
  waitEnd,
} from './recorded-call.ts'
import { WindingDown } from './run-halt.ts'
import { refreshSpender } from './run-spender.ts'
import { closed, giveUp } from './wait-call.ts'

/** `normal`, `flex`: the same call, made at once, at its price. `asked`: what it asks a model, without its origin. */
export type EconomyOrder<T> = {
  normal: OutsideCall<T>
  flex: (onTier: OnTier) => OutsideCall<T>
  asked: TextCall
  deadlineMs: number
}

export const economyCall = <T>(
  scope: NodeScope,
  site: CallSite,
  order: EconomyOrder<T>,
): Promise<T> => recorded(scope, site, order.normal.request, (at) => make(scope, site, order, at))

async function make<T>(
  scope: NodeScope,
  site: CallSite,
  asked: EconomyOrder<T>,
  at: CallAt,
): Promise<T> {
  const { deps, work } = scope
  const order = { ...asked, asked: { ...asked.asked, principal: work.spender } }
  const { normal } = order
  const before = at.known && work.waits().find(at.path)
  // Begun without a wait: it goes on alone.
  if (at.known && !before) return makeAlone(scope, site, order, { at, why: null })
  const prepared = before ? null : await prepare(scope, order, at)
  if (prepared && 'reason' in prepared) return makeAlone(scope, site, order, { at, why: prepared })
  // With its key, as the batch may be answered when this run has long ended.
  const step = at.known ?? {
    ...newStep(deps, work, { path: at.path, kind: 'TEXT', attempt: 1 }),
    reuse: await at.key,
  }
  const heldMicros = normal.neededMicros ?? 0
  const waited = before ? work.money.holdAgain(at.path, heldMicros) : work.money.hold(heldMicros)
  if (waited) await waited
  try {
    if (waited) await refreshSpender(deps, work)
    const wait = before ?? (await queue(scope, site, { step, prepared, ...order }))
    work.hasWaits = true
    const row = before && before.status !== 'OPEN' ? before : await batched(scope, site, wait)
    for (const place of site.places) await place.take()
    const end = await endOf(scope, row)
    // One that a batch returned may have been out alone when its worker died.
    if (!('answer' in end)) await bookAgain(scope, at.path, heldMicros)
    if ('error' in end) return await fail(deps, work, step, new StepFailure(end.error))
    if ('answer' in end) {
      const json = JSON.stringify(end.answer)
      const result = isLong(json) ? await deps.payloads.put(work.row.account_id, json) : json
      const { costMicros } = end
      const isKept = normal.isUsable?.(end.answer as T) !== false
      conclude(deps, work, site, { step, result, costMicros, reuse: isKept ? await at.key : null })
      return end.answer as T
    }
  } finally {
    work.money.release(heldMicros)
  }
  return makeCall(scope, site, normal, { ...at, known: step })
}

/** `why`: null if it was begun before. */
async function makeAlone<T>(
  scope: NodeScope,
  site: CallSite,
  { normal, flex, asked, deadlineMs }: EconomyOrder<T>,
  { at, why }: { at: CallAt; why: NormalCall | null },
): Promise<T> {
  const { deps, work } = scope
  const untilMs = deps.economy?.flexUntil(asked, deadlineMs)
  const called = why ?? { provider: '', model: asked.modelId }
  // It is only shown. What was paid for is not lost over it.
  const note = async (how: Pick<EconomyCall, 'status' | 'reason'>) => {
    const noted = deps.economy?.note(noteOf(scope, at, { ...called, ...how }))
    await noted?.catch((error: unknown) => deps.onError(error, work.row.id))
  }
  if (untilMs !== undefined) {
    const reason = why?.reason ?? 'NO_FLEX'
    return makeCall(scope, site, flexCall(deps, { normal, flex, untilMs, reason, note }), at)
  }
  if (why) await note({ status: 'NORMAL', reason: why.reason })
  return makeCall(scope, site, normal, at)
}

function prepare<T>(
  scope: NodeScope,
  { asked, deadlineMs }: EconomyOrder<T>,
  { path }: CallAt,
): Promise<PreparedCall | NormalCall> {
  const { deps, work, halt } = scope
  if (deps.stopping.aborted) throw new Stopping()
  halt.throwIfEnding()
  if (!deps.economy) throw new Error('a run has a deadline, but nothing makes batches')
  const ending = halt.ending()
  const origin = { runId: work.row.id, nodeId: path, workerId: work.claim.owner, ending }
  return deps.economy.prepare({ ...asked, origin }, { deadlineMs, signal: waitEnd(scope) })
}

type Queued<T> = EconomyOrder<T> & { step: BegunStep; prepared: PreparedCall | null }

async function queue<T>(
  scope: NodeScope,
  site: CallSite,
  { step, prepared, asked, deadlineMs }: Queued<T>,
): Promise<OpenedWait> {
  const { deps, work, halt } = scope
  if (!prepared) throw new Error('a call was queued unprepared')
  const { account_id } = work.row
  const value = isLong(prepared.body)
    ? await deps.payloads.put(account_id, prepared.body)
    : prepared.body
  // The results that its request is made from must be stored before it.
  await work.stored
  halt.throwIfEnding()
  const wait: NewWait = {
    ...{ id: uuidV7(deps.clock.nowMs()), account_id, run_id: work.row.id, path: step.path },
    ...{ node_id: site.root.id, kind: 'BATCH', title: '', value, value_digest: '', details: {} },
    ...{ until_ms: deadlineMs, after_ms: null },
  }
  const call = callOf(scope, step, prepared, wait)
  const intent = { attempt: prepared.attempt, call, wait, step, claim: work.claim }
  const { neededMicros } = prepared
  const { spender } = work
  const isLimited = hasSpendLimit(spender) && neededMicros !== 0
  if (isLimited) {
    const delay = { kind: 'BUDGET', model: asked.modelId } as const
    const admitted = showDelay(scope, site, { path: step.path, delay })
    const until = waitEnd(scope)
    await deps.admit({ spender, neededMicros, until, isOfRun: true, intent }).finally(admitted)
  } else await deps.ledger.store(account_id, intent)
  work.isPaid = true
  work.isChanged = true
  site.progress.attempts = 1
  const { id, run_id, path } = wait
  return { id, run_id, path, expires_at: deadlineMs, left_ms: deadlineMs - deps.clock.nowMs() }
}

function callOf(
  { work }: NodeScope,
  { path }: BegunStep,
  { attempt, body, ...prepared }: PreparedCall,
  wait: NewWait,
): EconomyCall {
  return {
    ...{ id: attempt.attempt, account_id: work.row.account_id, run_id: work.row.id, path },
    ...{ wait_id: wait.id, provider: attempt.provider, credential_id: prepared.credentialId },
    ...{ pool: prepared.pool, model: attempt.model, price: prepared.price, most: prepared.most },
    ...prepared.batchedMicros,
    ...{ bytes: body.length, status: 'QUEUED', reason: null, batch_id: null },
    ...{
      created_at: attempt.createdAtMs,
      ready_at: prepared.readyAtMs,
      send_by: prepared.sendByMs,
    },
  }
}

type Noted = Pick<EconomyCall, 'status' | 'reason' | 'provider' | 'model'>

const noteOf = (
  { deps, work }: NodeScope,
  { path }: CallAt,
  { status, reason, provider, model }: Noted,
): EconomyCall => {
  const nowMs = deps.clock.nowMs()
  return {
    ...{ id: uuidV7(nowMs), account_id: work.row.account_id, run_id: work.row.id, path },
    ...{ wait_id: null, provider, credential_id: null, pool: '', model, price: null, most: null },
    ...{ needed_micros: null, uncounted_micros: null, bytes: 0, status, reason, batch_id: null },
    ...{ created_at: nowMs, ready_at: nowMs, send_by: nowMs },
  }
}

/** `recorded` counts the call as an operation under way; while it waits, it is none. */
async function batched(scope: NodeScope, site: CallSite, wait: OpenedWait): Promise<RunWait> {
  const closing = closed(scope, site, wait).catch((error) => giveUp(scope, wait, error))
  site.activity.end()
  try {
    return await closing
  } finally {
    site.activity.begin()
  }
}

async function endOf({ deps, work }: NodeScope, row: RunWait): Promise<BatchedEnd> {
  if (row.status === 'EXPIRED') {
    return { error: timeLimit('The deadline of the run passed before its batch had ended.') }
  }
  if (row.status !== 'ANSWERED') throw work.halt.reason ?? new WindingDown()
  if (row.answer === null) throw outcomeLost()
  return (await deps.payloads.read(work.row.account_id, row.answer)) as BatchedEnd
}
