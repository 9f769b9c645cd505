// Carries one task from claim to end. Paying once rests on the order here: the intent is
// committed, the call is made once, the job reference is committed before the first poll.
// Never resubmits what a provider may have accepted.
import { priceOf } from '#core/pricing.ts'
import type { CatalogueEntry } from '#providers/catalogue.ts'
import { type JobRef, type Provider, ProviderError, type Submitted } from '#providers/provider.ts'
import { openAttempt, settleAttempts } from '#store/ledger.ts'
import {
  finishTask,
  LeaseLost,
  markSubmitted,
  markSubmitting,
  markUnsubmitted,
  releaseUntil,
} from '#store/tasks.ts'
import { pollUntilDone } from './poll-job.ts'
import {
  isSafeToRepeat,
  mayFallBack,
  outcomeUnknown,
  type TaskError,
  toTaskError,
} from './provider-failure.ts'
import {
  attemptId,
  expectedUnits,
  mediaRequest,
  settlementOf,
  type TaskParts,
  type TaskWork,
} from './task-work.ts'

const maxAttempts = 3
const backoffMs = [2_000, 8_000]
const cancelTimeoutMs = 5_000

const timeUp: TaskError = {
  code: 'PROVIDER_TIMEOUT',
  message: 'The time limit of the task passed before it was done.',
  retryable: true,
}

type Serving = { entry: CatalogueEntry; provider: Provider }

export async function executeTask(parts: TaskParts, work: TaskWork): Promise<void> {
  const { row } = work
  if (row.stage === 'READY' && work.signal.aborted) return fail(parts, work, timeUp, 'REJECTED')
  if (row.stage === 'READY') return submitFirst(parts, work)
  const serving = servingOf(parts, row.served_by ?? row.model)
  if (!serving) return fail(parts, work, unavailable(row.served_by), 'UNKNOWN')
  if (row.stage === 'SUBMITTING') return reconcile(parts, work, serving)
  return follow(parts, work, serving, JSON.parse(row.job_ref ?? '') as JobRef)
}

/** Tries the model and then its fallbacks, each only if the one before surely did not accept. */
async function submitFirst(parts: TaskParts, work: TaskWork): Promise<void> {
  const chosen = parts.catalogue.known(work.row.model)
  const ids = [work.row.model, ...(chosen?.fallbacks ?? [])]
  let refused: ProviderError | undefined
  for (const id of ids) {
    const serving = servingOf(parts, id)
    if (!serving?.entry.model.enabled) continue
    try {
      const submitted = await submit(parts, work, serving)
      if ('done' in submitted)
        return complete(parts, work, serving, submitted.done, submitted.billed)
      return follow(parts, work, serving, submitted.ref)
    } catch (error) {
      if (!(error instanceof ProviderError)) throw error
      if (error.outcome === 'unknown') return reconcile(parts, work, serving)
      refused = error
      if (!mayFallBack(error)) break
    }
  }
  if (!refused) return fail(parts, work, unavailable(work.row.model), 'REJECTED')
  if (isSafeToRepeat(refused) && work.row.attempts < maxAttempts)
    return retryLater(parts, work, refused)
  return fail(parts, work, toTaskError(refused), 'REJECTED')
}

async function submit(parts: TaskParts, work: TaskWork, serving: Serving): Promise<Submitted> {
  const { db, clock, breaker } = parts
  const { row, lease } = work
  const { entry, provider } = serving
  if (!provider.submit)
    throw new ProviderError('invalid', {
      outcome: 'not_sent',
      message: `${provider.name} makes no ${row.kind.toLowerCase()}s`,
    })
  breaker.enter(entry.provider)
  const image =
    work.request.image && (await parts.loadImage(row.account_id, work.request.image, work.signal))
  const request = mediaRequest(work, entry.providerModel, image)
  const nowMs = clock.nowMs()
  const pricing = entry.model.pricing
  await db.transaction(async (tx) => {
    await markSubmitting(tx, lease, { servedBy: entry.model.id, nowMs })
    await openAttempt(tx, {
      attempt: attemptId(row.id, row.attempts + 1),
      accountId: row.account_id,
      keyId: row.key_id,
      taskId: row.id,
      runId: row.run_id,
      nodeId: row.node_id,
      operation: row.kind === 'IMAGE' ? 'image' : 'video',
      provider: entry.provider,
      model: entry.model.id,
      unitPrice: pricing ? JSON.stringify(pricing) : null,
      reservedMicros: priceOf(pricing, expectedUnits(row.kind, work.request)) ?? 0,
      createdAtMs: nowMs,
    })
  })
  row.attempts += 1
  row.served_by = entry.model.id
  row.submitted_at = nowMs
  try {
    const submitted = await provider.submit(request, { signal: work.signal, taskId: row.id })
    breaker.succeeded(entry.provider)
    if ('ref' in submitted) {
      await db.transaction((tx) => markSubmitted(tx, lease, JSON.stringify(submitted.ref)))
    }
    return submitted
  } catch (thrown) {
    if (thrown instanceof LeaseLost) throw thrown
    const error = asProviderError(thrown)
    breaker.failed(entry.provider, error)
    if (error.outcome !== 'unknown') await settleRejected(parts, work)
    throw error
  }
}

const asProviderError = (thrown: unknown): ProviderError =>
  thrown instanceof ProviderError
    ? thrown
    : new ProviderError('protocol', {
        outcome: 'unknown',
        message: 'the adapter failed',
        cause: thrown,
      })

/** The answer to a submission was lost: ask the provider, and otherwise say so. */
async function reconcile(parts: TaskParts, work: TaskWork, serving: Serving): Promise<void> {
  const { row, request } = work
  const found = serving.provider.find
    ? await serving.provider
        .find(
          {
            request: mediaRequest({ ...work, request }, serving.entry.providerModel, undefined),
            submittedAtMs: row.submitted_at ?? row.created_at,
            taskId: row.id,
          },
          { signal: work.signal },
        )
        .catch(() => 'unknown' as const)
    : 'unknown'
  if (found === 'unknown') return fail(parts, work, outcomeUnknown, 'UNKNOWN')
  if (found === null) {
    await settleRejected(parts, work)
    return retryLater(
      parts,
      work,
      new ProviderError('server', {
        outcome: 'rejected',
        message: 'the submission did not arrive',
      }),
    )
  }
  await parts.db.transaction((tx) => markSubmitted(tx, work.lease, JSON.stringify(found)))
  return follow(parts, work, serving, found)
}

async function follow(
  parts: TaskParts,
  work: TaskWork,
  serving: Serving,
  ref: JobRef,
): Promise<void> {
  const end = await pollUntilDone(serving.provider, ref, work)
  switch (end.state) {
    case 'succeeded':
      return complete(parts, work, serving, end.outputs, end.billed)
    case 'failed':
    case 'canceled':
      return fail(parts, work, toTaskError(end.error), 'FAILED')
    case 'time-up':
      // The provider may go on and bill; asking it to stop is all that can be done.
      await serving.provider
        .cancel?.(ref, { signal: AbortSignal.timeout(cancelTimeoutMs) })
        .catch(() => undefined)
      return fail(parts, work, timeUp, 'UNKNOWN')
    default:
      return end satisfies never
  }
}

async function complete(
  parts: TaskParts,
  work: TaskWork,
  { entry }: Serving,
  outputs: Parameters<TaskParts['storeOutputs']>[1],
  billed: Parameters<typeof settlementOf>[2]['billed'],
): Promise<void> {
  const { row, lease } = work
  const { units, costMicros } = settlementOf(work, entry, { outputCount: outputs.length, billed })
  const owner = { accountId: row.account_id, kind: row.kind, provider: entry.provider }
  let media: string | null = null
  let error: TaskError | null = null
  try {
    media = await parts.storeOutputs(owner, outputs, work.signal)
  } catch (cause) {
    if (work.signal.aborted && work.signal.reason instanceof LeaseLost) throw cause
    error = {
      code: 'PROVIDER_ERROR',
      message: `The result could not be stored: ${(cause as Error).message}`,
      retryable: false,
    }
  }
  const nowMs = parts.clock.nowMs()
  await parts.db.transaction(async (tx) => {
    await finishTask(tx, lease, {
      status: error ? 'FAILED' : 'COMPLETED',
      media,
      error: error && JSON.stringify(error),
      costMicros,
      nowMs,
    })
    await settleAttempts(tx, [
      { attempt: attemptId(row.id, row.attempts), outcome: 'SUCCEEDED', units, costMicros, nowMs },
    ])
  })
}

/** REJECTED: nothing was accepted. FAILED: accepted, and the provider says it failed. */
async function fail(
  parts: TaskParts,
  work: TaskWork,
  error: TaskError,
  outcome: 'REJECTED' | 'FAILED' | 'UNKNOWN',
): Promise<void> {
  const { row, lease } = work
  const nowMs = parts.clock.nowMs()
  const entry = parts.catalogue.known(row.served_by ?? row.model)
  // What may have been billed counts as spent until someone knows better.
  const costMicros =
    outcome === 'UNKNOWN'
      ? priceOf(entry?.model.pricing ?? null, expectedUnits(row.kind, work.request))
      : 0
  await parts.db.transaction(async (tx) => {
    await finishTask(tx, lease, {
      status: 'FAILED',
      media: null,
      error: JSON.stringify(error),
      costMicros,
      nowMs,
    })
    if (row.attempts > 0) {
      await settleAttempts(tx, [
        { attempt: attemptId(row.id, row.attempts), outcome, units: {}, costMicros, nowMs },
      ])
    }
  })
}

/** Stage and ledger change together: after a crash here it is still known that nothing was accepted. */
const settleRejected = (parts: TaskParts, { row, lease }: TaskWork) =>
  parts.db.transaction(async (tx) => {
    await markUnsubmitted(tx, lease)
    await settleAttempts(tx, [
      {
        attempt: attemptId(row.id, row.attempts),
        outcome: 'REJECTED',
        units: {},
        costMicros: 0,
        nowMs: parts.clock.nowMs(),
      },
    ])
  })

async function retryLater(parts: TaskParts, work: TaskWork, error: ProviderError): Promise<void> {
  const pauseMs = backoffMs[Math.min(work.row.attempts, backoffMs.length) - 1] ?? backoffMs[0] ?? 0
  const waitMs = Math.max(error.retryAfterMs ?? 0, pauseMs * (0.8 + 0.4 * parts.random()))
  await parts.db.transaction((tx) =>
    releaseUntil(tx, work.lease, Math.round(parts.clock.nowMs() + waitMs)),
  )
}

function servingOf(parts: TaskParts, modelId: string): Serving | undefined {
  const entry = parts.catalogue.known(modelId)
  const provider = entry && parts.providers.get(entry.provider)
  return provider ? { entry, provider } : undefined
}

const unavailable = (modelId: string | null): TaskError => ({
  code: 'PROVIDER_UNAVAILABLE',
  message: `The model ${modelId} is no longer configured on this server.`,
  retryable: false,
})
