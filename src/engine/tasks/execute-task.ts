// Executes one task from claim to end. Paying only once depends on the order here: the intent is
// committed, the call is made once, the job reference is committed before the first poll.
// Never resubmits what a provider may have accepted.

import type { CatalogueEntry } from '#core/catalogue.ts'
import { delay, limited } from '#core/clock.ts'
import { LongDelay } from '#core/delayed-call.ts'
import { RunStopped, TimeUp } from '#core/interruptions.ts'
import { defaultMoves } from '#core/route.ts'
import { NodeFailure } from '#graph/node/node-failure.ts'
import {
  type Billed,
  type JobRef,
  type Output,
  ProviderError,
  type Submitted,
} from '#providers/provider.ts'
import { mayMove } from '../calls/move-rule.ts'
import {
  isSafeToRepeat,
  longestWaitMs,
  outcomeUnknown,
  type TaskError,
  tooLongAWait,
  toTaskError,
} from '../calls/provider-failure.ts'
import { pollUntilDone } from './poll-job.ts'
import { storeResult } from './store-result.ts'
import { submit } from './submit-job.ts'
import { candidates } from './task-candidates.ts'
import { type Asked, cancelJob, type Serving, servingOf } from './task-serving.ts'
import { mediaRequest, settlementOf, type TaskDeps, type TaskWork } from './task-work.ts'
import {
  postpone,
  postponeFor,
  recordCancelled,
  recordFailure,
  recordJob,
  recordRefusal,
  recordResult,
} from './task-writes.ts'

const maxAttempts = 3
const findTimeoutMs = 15_000
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
  let delayed: LongDelay | undefined
  let model = work.row.model
  const offered = candidates(deps, work.row)
  const movesWhenBusy = (work.request.route?.on ?? defaultMoves).includes('rate_limit')
  for (const serving of offered) {
    if (isTimeUp(work)) return recordFailure(deps, work, timeUp, 'REJECTED')
    model = serving.entry.model.id
    try {
      const submitted = await submit(deps, work, serving)
      if ('done' in submitted)
        return complete(deps, work, serving, submitted.done, submitted.billed)
      return followNew(deps, work, serving, submitted)
    } catch (error) {
      if (error instanceof RunStopped) return recordCancelled(deps, work)
      if (error instanceof LongDelay) {
        delayed ??= error
        if (movesWhenBusy) continue
        break
      }
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
  if (delayed) return postponeFor(deps, work, delayed.delay, delayed.ms)
  if (!refused) return recordFailure(deps, work, unavailable(work.row.model), 'REJECTED')
  const keys = Math.max(...offered.map(({ deployments }) => deployments?.length ?? 1))
  return repeatOrFail(deps, work, { model, refused, most: maxAttempts * keys })
}

async function repeatOrFail(
  deps: TaskDeps,
  work: TaskWork,
  { model, refused, most }: { model: string; refused: ProviderError; most: number },
): Promise<void> {
  const isLast = !isSafeToRepeat(refused) || work.row.attempts >= most
  if (isLast) return recordFailure(deps, work, toTaskError(refused), 'REJECTED')
  const askedMs = refused.retryAfterMs ?? 0
  // A node holds up its run, so it waits a minute at most unless the run may take until a deadline;
  // other tasks wait until their time limit.
  const isPatient = work.row.run_id === null || work.row.must_end_by !== null
  if (isPatient || askedMs <= longestWaitMs) return postpone(deps, work, model, refused)
  const error = tooLongAWait(toTaskError(refused), deps.clock.nowMs() + askedMs)
  return recordFailure(deps, work, error, 'REJECTED')
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

/** The answer to a submission was lost: ask the provider, or else record the outcome as unknown. */
async function reconcile(deps: TaskDeps, work: TaskWork, serving: Serving): Promise<void> {
  const found = await findLost(deps, work, serving)
  if (found instanceof NodeFailure) return recordFailure(deps, work, keyLost(found), 'UNKNOWN')
  if (found === 'unknown') return recordFailure(deps, work, outcomeUnknown, 'UNKNOWN')
  if (found) return followNew(deps, work, serving, { ref: found })
  await recordRefusal(deps, work)
  const message = 'the submission did not arrive'
  const lost = new ProviderError('server', { outcome: 'rejected', message })
  return postpone(deps, work, serving.entry.model.id, lost)
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
      const isNamed = row.credential_id !== null || row.deployment !== null
      return found === null && isNamed ? 'unknown' : found
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
