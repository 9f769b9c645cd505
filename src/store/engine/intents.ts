// What is stored before something is paid for, so that nothing paid is forgotten.

import type { SubmittedTask } from '#core/generation.ts'
import { RunCancelled } from '#core/interruptions.ts'
import type { SpendRequest, SpendVerdict } from '#core/spend-admission.ts'
import type { BegunStep } from '#core/step-states.ts'
import type { Reader, Tx } from '../db.ts'
import type { LimitsNow } from '../tables/accounts.ts'
import type { Claim } from '../tables/claims.ts'
import { type EconomyCall, insertCall } from '../tables/economy-calls.ts'
import { type Attempt, openAttempt, outcomeOf } from '../tables/ledger.ts'
import { runsToCancel } from '../tables/run-work.ts'
import { putSteps } from '../tables/steps.ts'
import { findTask, type NewTask, storeTasks } from '../tables/tasks.ts'
import { type NewWait, openWaits } from '../tables/waits.ts'
import { holdLease } from '../tables/workers.ts'

export type { LimitsNow }

/** Tasks are made when the transaction begins; if making one throws, nothing is stored. */
export type Intent =
  /** A call, PENDING. LeaseLost unless its worker still has its lease. */
  | { attempt: Attempt; workerId?: string | undefined }
  | { tasks(): readonly NewTask[] }
  /** A task of a run, with the step that waits for it. RunCancelled if the run is to stop. */
  | { task(): NewTask; step: BegunStep; claim: Claim }
  | QueuedIntent

/** A call of a run that waits for a vendor's batch. RunCancelled if the run is to stop. */
export type QueuedIntent = {
  attempt: Attempt
  call: EconomyCall
  wait: NewWait
  step: BegunStep
  claim: Claim
}

export type LimitedIntents = {
  intents: readonly Intent[]
  /** Keys whose limits are read, too. */
  keyIds: readonly string[]
  /** What each needs, and the limits it counts against now; null: nothing is known of the account. */
  requests(now: LimitsNow | null): readonly SpendRequest[]
  nowMs: number
}

/** `tasks`: those of the intent, if it was stored and has some. */
export type Judged = { verdict: SpendVerdict; tasks: SubmittedTask[] }

/** This intent could not be stored, so none of them was. */
export class IntentFailed extends Error {
  readonly intent: Intent
  constructor(intent: Intent, cause: unknown) {
    super('an intent was not stored', { cause })
    this.intent = intent
  }
}

export async function storeIntent(tx: Tx, intent: Intent): Promise<SubmittedTask[]> {
  if ('call' in intent) return storeQueued(tx, intent)
  if ('attempt' in intent) {
    if (intent.workerId !== undefined) await holdLease(tx, intent.workerId)
    await openAttempt(tx, intent.attempt)
    return []
  }
  if ('tasks' in intent) return storeTasks(tx, intent.tasks())
  const { step, claim } = intent
  await holdLease(tx, claim.owner)
  const task = intent.task()
  await assertGoesOn(tx, claim)
  const stored = await storeTasks(tx, [task])
  await tx.run(putSteps(tx.dialect, [{ ...step, task_id: stored[0]?.id ?? null }]))
  return stored
}

async function assertGoesOn(tx: Tx, claim: Claim): Promise<void> {
  const stopped = await runsToCancel(tx, claim.owner)
  if (stopped.includes(claim.id)) throw new RunCancelled()
}

async function storeQueued(tx: Tx, { attempt, call, wait, step, claim }: QueuedIntent) {
  await holdLease(tx, claim.owner)
  await assertGoesOn(tx, claim)
  await openAttempt(tx, attempt)
  await tx.run(openWaits(tx.dialect, [wait]))
  await insertCall(tx, call)
  await tx.run(putSteps(tx.dialect, [step]))
  return []
}

export const isIntentStored = async (
  reader: Reader,
  accountId: string,
  intent: Intent,
  [task]: readonly SubmittedTask[],
): Promise<boolean> =>
  'attempt' in intent
    ? (await outcomeOf(reader, intent.attempt.attempt)) !== null
    : task !== undefined && (await findTask(reader, accountId, task.id)) !== undefined
