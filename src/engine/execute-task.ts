// Carries one task from claim to end. Paying once rests on the order here: the intent is
// committed, the call is made once, the job reference is committed before the first poll.
// Never resubmits what a provider may have accepted.
import { delay } from '#core/clock.ts'
import { TimeUp } from '#core/interruptions.ts'
import type { CatalogueEntry } from '#providers/catalogue.ts'
import {
  type Billed,
  type JobRef,
  type Output,
  type Provider,
  ProviderError,
  type Submitted,
} from '#providers/provider.ts'
import { pollUntilDone } from './poll-job.ts'
import {
  asProviderError,
  isSafeToRepeat,
  mayFallBack,
  outcomeUnknown,
  type TaskError,
  toTaskError,
} from './provider-failure.ts'
import { storeResult } from './store-result.ts'
import { mediaRequest, settlementOf, type TaskDeps, type TaskWork } from './task-work.ts'
import {
  putOff,
  recordFailure,
  recordIntent,
  recordJob,
  recordRefusal,
  recordResult,
} from './task-writes.ts'

const maxAttempts = 3
const cancelTimeoutMs = 5_000
const findTimeoutMs = 15_000
const findPausesMs = [500, 1_000, 2_000, 4_000]

const timeUp: TaskError = {
  code: 'PROVIDER_TIMEOUT',
  message: 'The time limit of the task passed before it was done.',
  retryable: true,
}

type Serving = { entry: CatalogueEntry; provider: Provider }

const isTimeUp = ({ signal }: TaskWork) => signal.reason instanceof TimeUp

export async function executeTask(parts: TaskDeps, work: TaskWork): Promise<void> {
  const { row } = work
  if (row.stage === 'READY') return submitFirst(parts, work)
  const serving = servingOf(parts, row.served_by ?? row.model)
  if (!serving) return recordFailure(parts, work, unavailable(row.served_by), 'UNKNOWN')
  if (row.stage === 'SUBMITTING') return reconcile(parts, work, serving)
  return follow(parts, work, serving, row.job_ref as JobRef)
}

/** Tries the model and then its fallbacks, each only if the one before surely did not accept. */
async function submitFirst(parts: TaskDeps, work: TaskWork): Promise<void> {
  const chosen = parts.catalogue.known(work.row.model)
  const ids = [work.row.model, ...(chosen?.fallbacks ?? [])]
  let refused: ProviderError | undefined
  for (const id of ids) {
    const serving = servingOf(parts, id)
    if (!serving?.entry.model.enabled) continue
    if (isTimeUp(work)) return recordFailure(parts, work, timeUp, 'REJECTED')
    try {
      const submitted = await submit(parts, work, serving)
      if ('done' in submitted)
        return complete(parts, work, serving, submitted.done, submitted.billed)
      return followNew(parts, work, serving, submitted.ref)
    } catch (error) {
      if (!(error instanceof ProviderError)) throw error
      // Whoever has the task next can ask the provider too.
      work.lost.throwIfAborted()
      if (error.outcome === 'unknown') return reconcile(parts, work, serving)
      refused = error
      if (!mayFallBack(error)) break
    }
  }
  if (isTimeUp(work)) return recordFailure(parts, work, timeUp, 'REJECTED')
  if (!refused) return recordFailure(parts, work, unavailable(work.row.model), 'REJECTED')
  if (isSafeToRepeat(refused) && work.row.attempts < maxAttempts)
    return putOff(parts, work, refused)
  return recordFailure(parts, work, toTaskError(refused), 'REJECTED')
}

async function submit(parts: TaskDeps, work: TaskWork, serving: Serving): Promise<Submitted> {
  const { row, request } = work
  const { entry, provider } = serving
  const makeCall = provider.submit
  if (!makeCall)
    throw new ProviderError('invalid', {
      outcome: 'not_sent',
      message: `${provider.name} makes no ${row.kind.toLowerCase()}s`,
    })
  return parts.breaker.guard(entry, async () => {
    const image =
      request.image && (await parts.loadImage(row.account_id, request.image, work.signal))
    await recordIntent(parts, work, entry)
    const call = { signal: work.signal, taskId: row.id }
    return makeCall(mediaRequest(work, entry.providerModel, image), call).catch(
      async (thrown: unknown) => {
        const error = asProviderError(thrown)
        if (error.outcome !== 'unknown') await recordRefusal(parts, work)
        throw error
      },
    )
  })
}

/** The answer to a submission was lost: ask the provider, and otherwise say so. */
async function reconcile(parts: TaskDeps, work: TaskWork, serving: Serving): Promise<void> {
  const found = await findLost(work, serving)
  if (found === 'unknown') return recordFailure(parts, work, outcomeUnknown, 'UNKNOWN')
  if (found) return followNew(parts, work, serving, found)
  await recordRefusal(parts, work)
  const message = 'the submission did not arrive'
  return putOff(parts, work, new ProviderError('server', { outcome: 'rejected', message }))
}

/** Asking costs nothing: it is done again when it fails, and whatever the time. */
async function findLost(
  work: TaskWork,
  { entry, provider }: Serving,
): Promise<JobRef | null | 'unknown'> {
  if (!provider.find) return 'unknown'
  const { row } = work
  const lost = {
    request: mediaRequest(work, entry.providerModel, undefined),
    submittedAtMs: row.submitted_at ?? row.created_at,
    taskId: row.id,
  }
  for (const pauseMs of findPausesMs) {
    try {
      return await provider.find(lost, { signal: AbortSignal.timeout(findTimeoutMs) })
    } catch {
      await delay(pauseMs, AbortSignal.any([work.lost, work.stopping]))
    }
  }
  return 'unknown'
}

async function followNew(parts: TaskDeps, work: TaskWork, serving: Serving, ref: JobRef) {
  await recordJob(parts, work, ref)
  return follow(parts, work, serving, ref)
}

async function follow(
  parts: TaskDeps,
  work: TaskWork,
  serving: Serving,
  ref: JobRef,
): Promise<void> {
  const end = await pollUntilDone(serving.provider, ref, work)
  switch (end.state) {
    case 'succeeded':
      return complete(parts, work, serving, end.outputs, end.billed)
    case 'gone':
      return recordFailure(parts, work, toTaskError(end.error), 'UNKNOWN')
    case 'failed':
    case 'canceled':
      return recordFailure(parts, work, toTaskError(end.error), 'FAILED')
    case 'time-up':
      // The provider may go on and bill; asking it to stop is all that can be done.
      await serving.provider
        .cancel?.(ref, { signal: AbortSignal.timeout(cancelTimeoutMs) })
        .catch(() => undefined)
      return recordFailure(parts, work, timeUp, 'UNKNOWN')
    default:
      return end satisfies never
  }
}

async function complete(
  parts: TaskDeps,
  work: TaskWork,
  { entry }: Serving,
  outputs: Output[],
  billed: Billed | undefined,
): Promise<void> {
  const settlement = settlementOf(work, entry, { outputCount: outputs.length, billed })
  const stored = await storeResult(parts, work, outputs)
  const end =
    'media' in stored
      ? { media: stored.media, error: null }
      : { media: null, error: isTimeUp(work) ? timeUp : unusable(stored.reason) }
  return recordResult(parts, work, { ...end, ...settlement })
}

const unusable = (reason: string): TaskError => ({
  code: 'PROVIDER_ERROR',
  message: `The result could not be stored: ${reason}`,
  retryable: false,
})

function servingOf(parts: TaskDeps, modelId: string): Serving | undefined {
  const entry = parts.catalogue.known(modelId)
  const provider = entry && parts.providers.get(entry.provider)
  return provider ? { entry, provider } : undefined
}

const unavailable = (modelId: string | null): TaskError => ({
  code: 'PROVIDER_UNAVAILABLE',
  message: `The model ${modelId} is no longer configured on this server.`,
  retryable: false,
})
