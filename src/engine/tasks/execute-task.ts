// Executes one task from claim to end. Paying only once depends on the order here: the intent is
// committed, the call is made once, the job reference is committed before the first poll.
// Never resubmits what a provider may have accepted.

import { type CatalogueEntry, ownerOf, usableFallbacks, usableModel } from '#core/catalogue.ts'
import { delay, limited } from '#core/clock.ts'
import { RunStopped, TimeUp } from '#core/interruptions.ts'
import { servedBy } from '#core/routed-catalogue.ts'
import { NodeFailure } from '#graph/node/node-failure.ts'
import {
  type Billed,
  type JobRef,
  type Output,
  ProviderError,
  type Submitted,
} from '#providers/provider.ts'
import type { TaskRow } from '#store/engine-store.ts'
import { mayMove } from '../calls/move-rule.ts'
import {
  asProviderError,
  isSafeToRepeat,
  longestWaitMs,
  outcomeUnknown,
  type TaskError,
  tooLongAWait,
  toTaskError,
} from '../calls/provider-failure.ts'
import { inOrder } from '../calls/route-order.ts'
import { pollUntilDone } from './poll-job.ts'
import { storeResult } from './store-result.ts'
import { holdTaskPictures } from './task-pictures.ts'
import { type Asked, cancelJob, type Serving, servingOf } from './task-serving.ts'
import {
  inLane,
  mediaRequest,
  mostMicros,
  settlementOf,
  type TaskDeps,
  type TaskWork,
} from './task-work.ts'
import {
  postpone,
  recordCancelled,
  recordFailure,
  recordIntent,
  recordJob,
  recordRefusal,
  recordResult,
} from './task-writes.ts'

const maxAttempts = 3
const findTimeoutMs = 15_000
const certaintyPauseMs = 200
const findPausesMs = [500, 1_000, 2_000, 4_000]

const timeUp: TaskError = {
  code: 'PROVIDER_TIMEOUT',
  message: 'The time limit of the task passed before it was done.',
  retryable: true,
}

const isTimeUp = ({ signal }: TaskWork) => signal.reason instanceof TimeUp

export async function executeTask(deps: TaskDeps, work: TaskWork): Promise<void> {
  const { row } = work
  if (row.stage === 'READY') return submitFirst(deps, work)
  const serving = servingOf(deps, row, row.served_by ?? row.model)
  if (!serving) return recordFailure(deps, work, unavailable(row.served_by), 'UNKNOWN')
  if (row.stage === 'SUBMITTING') return reconcile(deps, work, serving)
  return follow(deps, work, serving, { ref: row.job_ref as JobRef })
}

/** Tries the model, then its fallbacks, each only if the previous one certainly did not accept. */
async function submitFirst(deps: TaskDeps, work: TaskWork): Promise<void> {
  let refused: ProviderError | undefined
  for (const serving of candidates(deps, work.row)) {
    if (isTimeUp(work)) return recordFailure(deps, work, timeUp, 'REJECTED')
    try {
      const submitted = await submit(deps, work, serving)
      if ('done' in submitted)
        return complete(deps, work, serving, submitted.done, submitted.billed)
      return followNew(deps, work, serving, submitted)
    } catch (error) {
      if (error instanceof RunStopped) return recordCancelled(deps, work)
      if (error instanceof NodeFailure)
        return recordFailure(deps, work, withoutKey(error), 'REJECTED')
      if (!(error instanceof ProviderError)) throw error
      // If the task is lost, its next owner can ask the provider too.
      work.lost.throwIfAborted()
      if (error.outcome === 'unknown' && error.isFree)
        return recordFailure(deps, work, toTaskError(error), 'FAILED')
      if (error.outcome === 'unknown') return reconcile(deps, work, serving)
      if (error.billed) return recordBilled(deps, work, serving.entry, error)
      refused = error
      if (!mayMove(error, work.request.route, 'media')) break
    }
  }
  if (isTimeUp(work)) return recordFailure(deps, work, timeUp, 'REJECTED')
  if (!refused) return recordFailure(deps, work, unavailable(work.row.model), 'REJECTED')
  const isLast = !isSafeToRepeat(refused) || work.row.attempts >= maxAttempts
  if (isLast) return recordFailure(deps, work, toTaskError(refused), 'REJECTED')
  const askedMs = refused.retryAfterMs ?? 0
  // A node holds up its run, so it waits a minute at most; other tasks wait until their time limit.
  if (work.row.run_id === null || askedMs <= longestWaitMs) return postpone(deps, work, refused)
  const error = tooLongAWait(toTaskError(refused), deps.clock.nowMs() + askedMs)
  return recordFailure(deps, work, error, 'REJECTED')
}

function candidates(deps: TaskDeps, row: TaskRow): Serving[] {
  const { isCostLimited, ...request } = row.request.value
  const isPriced = ({ model }: CatalogueEntry) => mostMicros(row.kind, request, model) !== null
  return mayServe(deps, row).flatMap((entry) => {
    const serving = servingOf(deps, row, entry.model.id)
    return serving && (!isCostLimited || isPriced(serving.entry)) ? [serving] : []
  })
}

/** The model and its fallbacks, or the candidates of a route, in the order they are asked. */
function mayServe({ catalogue }: TaskDeps, row: TaskRow): CatalogueEntry[] {
  const owner = ownerOf(row.credential_id)
  const { route, standIns } = row.request.value
  if (route) {
    // Each task is a conversation of its own: nothing of it is cached at a vendor.
    const served = servedBy(catalogue, route, { owner, standIns })
    return inOrder(served, route, { conversation: row.id })
  }
  const chosen = usableModel(catalogue, row.model, owner)
  const known = catalogue.known(row.model)
  return [...(chosen ? [chosen] : []), ...(known ? usableFallbacks(catalogue, known, owner) : [])]
}

const withoutKey = ({ code, message }: NodeFailure): TaskError => ({
  code,
  message,
  retryable: false,
})

/** No other key can ask about the job, and nothing is submitted again with another key. */
const keyLost = (error: NodeFailure): TaskError => ({
  ...withoutKey(error),
  message: `${error.message} The provider may have accepted and billed the task, but cannot be asked without that key.`,
})

/** Refused after the provider had worked on it: what it used is billed. */
const recordBilled = (
  deps: TaskDeps,
  work: TaskWork,
  entry: CatalogueEntry,
  error: ProviderError,
): Promise<void> =>
  recordResult(deps, work, {
    ...settlementOf(work, entry, { outputCount: 0, billed: error.billed }),
    media: null,
    error: toTaskError(error),
    outcome: 'FAILED',
  })

const submit = (deps: TaskDeps, work: TaskWork, { entry, ask }: Serving): Promise<Submitted> =>
  ask(async (asked) => submitTo(deps, work, { entry, ...asked }))

async function submitTo(
  deps: TaskDeps,
  work: TaskWork,
  { entry, provider, credential }: { entry: CatalogueEntry } & Asked,
): Promise<Submitted> {
  const { row } = work
  const makeCall = provider.submit
  if (!makeCall)
    throw new ProviderError('invalid', {
      outcome: 'not_sent',
      message: `${provider.name} makes no ${row.kind.toLowerCase()}s`,
    })
  const served = { ...entry, credentialId: row.credential_id }
  return inLane(deps, work, served, async () => {
    const { release, ...pictures } = await holdTaskPictures(deps, work, entry.model)
    try {
      await recordIntent(deps, work, { entry, credential: credential?.name })
      await untilCertain(deps, work)
      const call = { signal: work.signal, taskId: row.id }
      const request = mediaRequest(work, entry.providerModel, pictures)
      return await makeCall(request, call).catch(async (thrown: unknown) => {
        const error = asProviderError(thrown)
        if (error.outcome !== 'unknown' && !error.billed) await recordRefusal(deps, work)
        throw error
      })
    } finally {
      release()
    }
  })
}

/**
 * If this process was held up, another worker may own the task by now, and have heard from the
 * provider that nothing arrived. The next heartbeat shows it: then nothing is sent.
 */
async function untilCertain({ clock }: TaskDeps, { isCertain, lost }: TaskWork): Promise<void> {
  while (!isCertain()) await delay(certaintyPauseMs, lost, clock)
}

/** The answer to a submission was lost: ask the provider, or else record the outcome as unknown. */
async function reconcile(deps: TaskDeps, work: TaskWork, serving: Serving): Promise<void> {
  const found = await findLost(deps, work, serving)
  if (found instanceof NodeFailure) return recordFailure(deps, work, keyLost(found), 'UNKNOWN')
  if (found === 'unknown') return recordFailure(deps, work, outcomeUnknown, 'UNKNOWN')
  if (found) return followNew(deps, work, serving, { ref: found })
  await recordRefusal(deps, work)
  const message = 'the submission did not arrive'
  return postpone(deps, work, new ProviderError('server', { outcome: 'rejected', message }))
}

/** Asking is free, so it is repeated if it fails, even after the time limit of the task. */
async function findLost(
  { clock }: TaskDeps,
  work: TaskWork,
  { entry, ask }: Serving,
): Promise<JobRef | null | 'unknown' | NodeFailure> {
  const { row } = work
  const lost = {
    request: mediaRequest(work, entry.providerModel),
    submittedAtMs: row.submitted_at ?? row.created_at,
    taskId: row.id,
  }
  for (const pauseMs of findPausesMs) {
    try {
      const find = async ({ provider }: Asked, signal: AbortSignal) =>
        provider.find ? provider.find(lost, { signal }) : 'unknown'
      const asking = (signal: AbortSignal) => ask((asked) => find(asked, signal))
      const found = await limited(findTimeoutMs, asking, clock)
      // The key may have been replaced by one of another vendor account, which has no such job.
      return found === null && row.credential_id !== null ? 'unknown' : found
    } catch (error) {
      if (error instanceof NodeFailure) return error
      await delay(pauseMs, AbortSignal.any([work.lost, work.stopping]), clock)
    }
  }
  return 'unknown'
}

type Job = Extract<Submitted, { ref: JobRef }>

async function followNew(deps: TaskDeps, work: TaskWork, serving: Serving, job: Job) {
  await recordJob(deps, work, job.ref)
  return follow(deps, work, serving, job)
}

async function follow(
  deps: TaskDeps,
  work: TaskWork,
  serving: Serving,
  { ref, state }: Job,
): Promise<void> {
  const hasEnded = state && !('nextMs' in state)
  const end = hasEnded ? state : await pollUntilDone(deps, serving.ask, ref, work)
  switch (end.state) {
    case 'succeeded':
      return complete(deps, work, serving, end.outputs, end.billed)
    case 'gone': {
      const { error } = end
      const lost = error instanceof NodeFailure ? keyLost(error) : toTaskError(error)
      return recordFailure(deps, work, lost, 'UNKNOWN')
    }
    case 'failed':
    case 'canceled':
      return recordFailure(deps, work, toTaskError(end.error), 'FAILED')
    case 'time-up':
      // The provider may continue and bill; asking it to stop is all that can be done.
      await cancelJob(serving, ref, deps.clock)
      return recordFailure(deps, work, timeUp, 'UNKNOWN')
    default:
      return end satisfies never
  }
}

async function complete(
  deps: TaskDeps,
  work: TaskWork,
  { entry }: Serving,
  outputs: Output[],
  billed: Billed | undefined,
): Promise<void> {
  const settlement = settlementOf(work, entry, { outputCount: outputs.length, billed })
  const stored = await storeResult(deps, work, outputs)
  const end =
    'media' in stored
      ? { media: stored.media, error: null }
      : { media: null, error: isTimeUp(work) ? timeUp : unusable(stored.reason) }
  return recordResult(deps, work, { ...end, ...settlement })
}

const unusable = (reason: string): TaskError => ({
  code: 'PROVIDER_ERROR',
  message: `The result could not be stored: ${reason}`,
  retryable: false,
})

const unavailable = (modelId: string | null): TaskError => ({
  code: 'PROVIDER_UNAVAILABLE',
  message: `The model ${modelId} is no longer configured on this server.`,
  retryable: false,
})
