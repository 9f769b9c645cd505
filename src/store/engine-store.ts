// What the engine needs from storage: all of it, and nothing else of the store is imported there.
// A member is one transaction, or one read of committed state; it decides nothing that the engine
// could decide. Every member rejects with StoreUnavailable if the database cannot serve now, in
// which case nothing was written, unless it is a CommitUnknown: then nobody knows. What a worker
// writes about work that it no longer owns is refused with LeaseLost (core/interruptions.ts).
// The folder engine/ implements it on a `Db`.

import type { SubmittedTask } from '#core/generation.ts'
import type { RunNodeError } from '#core/run-facts.ts'
import type { PendingSubmission } from '#core/run-submission.ts'
import type { SpendBound, SpendUse, SpendVerdict } from '#core/spend-admission.ts'
import type { BegunStep, DoneStep, EndedStep } from '#core/step-states.ts'
import type { ChatLog } from './journals/chat-log.ts'
import type { Claim, ClaimStore } from './tables/claims.ts'
import type { CredentialRow, OpenedCredential, WhichCredential } from './tables/credentials.ts'
import type { ClaimedDelivery, RecordedAttempt } from './tables/delivery-claims.ts'
import type { AbandonedAttempt, Attempt } from './tables/ledger.ts'
import type { FirstClaim, NewRun } from './tables/new-runs.ts'
import type { FinishedRun, RunEnd, RunSnapshot } from './tables/run-progress.ts'
import type { ClaimedRun } from './tables/run-work.ts'
import type { KnownKey } from './tables/runs.ts'
import type { Outcome, Settlement } from './tables/settlement.ts'
import type { Steps as StepJournal } from './tables/steps.ts'
import type { EndedTask, NewTask, SentTask, TaskEnding, TaskRow } from './tables/tasks.ts'
import type { WebhookSecret } from './tables/webhook-secrets.ts'
import type { SavedGraph } from './tables/workflows.ts'

export { CommitUnknown, StoreUnavailable } from './db.ts'
export { type Claim, type ClaimedRow, type ClaimStore, claimKey, claimOf } from './tables/claims.ts'
export type { OpenedCredential, WhichCredential } from './tables/credentials.ts'
export type { ClaimedDelivery } from './tables/delivery-claims.ts'
export type { Attempt } from './tables/ledger.ts'
export type { MediaRecord } from './tables/media.ts'
export type { NewRun } from './tables/new-runs.ts'
export type { FinishedRun, RunEnd, RunSnapshot } from './tables/run-progress.ts'
export type { ClaimedRun } from './tables/run-work.ts'
export { firstClaimed } from './tables/run-work.ts'
export type { KnownKey, RunRow } from './tables/runs.ts'
export type { Remark, Settlement, Units } from './tables/settlement.ts'
export type { EndedTask, ListedTask, NewTask, TaskRow } from './tables/tasks.ts'

export type EngineStore = {
  leases: Leases
  tasks: Tasks
  runs: Runs
  steps: Steps
  ledger: Ledger
  deliveries: Deliveries
  credentials: Credentials
}

/** The rows of worker processes. As long as its row exists, a worker owns what it claimed. */
export type Leases = {
  /** Before the first lease: where one process has the database, any earlier owner is gone. */
  releaseEarlier(): Promise<void>
  begin(workerId: string, leaseMs: number): Promise<void>
  /** False once the lease is lost. */
  renew(workerId: string, leaseMs: number): Promise<boolean>
  /** Ends the leases of other workers that have expired, and releases what nobody owns any more. */
  reap(workerId: string): Promise<void>
  /** Releases everything at once, for others to continue. */
  end(workerId: string): Promise<void>
}

/** A task in the hands of its owner. */
export type OwnTask = { row: Pick<TaskRow, 'account_id'>; claim: Claim }

/** After a CommitUnknown, it is looked up first whether the write was made: it is made once. */
export type Retry = { mayBeMade: boolean }

/** Images and videos. They are ordered by `Ledger.store`, because they are paid for. */
export type Tasks = {
  /** `times`: now, and the time limits of images and of videos that begin now. */
  claims(times: () => readonly number[]): ClaimStore<TaskRow>
  /** Fails tasks that nobody claimed in time. */
  failOverdue(nowMs: number, error: string): Promise<void>
  /** Before it is sent: SUBMITTING, with a PENDING attempt. RunStopped if it must not be sent. */
  begin(task: OwnTask, attempt: Attempt, retry: Retry): Promise<void>
  /** SUBMITTED: the provider's job can be polled by anybody who has its reference. */
  accepted(task: OwnTask, jobRef: string, retry: Retry): Promise<void>
  /** READY again, and the attempt settled: the provider certainly did not accept it. */
  refused(task: OwnTask, settlement: Settlement, retry: Retry): Promise<void>
  /** Ended, with its last attempt settled, if it had any. */
  end(task: OwnTask, end: TaskEnding, settlement: Settlement | null, retry: Retry): Promise<void>
  /** Releases it, to be claimed again then. */
  postpone(claim: Claim, untilMs: number): Promise<void>
  /** Releases it, to be claimed again at once. */
  handOver(claim: Claim, nowMs: number): Promise<void>
  /** Releases it after an error, and counts how often that happened. */
  release(claim: Claim, next: { atMs: number; releases: number }): Promise<void>
  /** Ends the tasks of a run for which nothing has been sent to a provider. */
  cancelUnsent(runId: string, nowMs: number): Promise<void>
  /** The tasks of a run that a provider is working on. */
  sent(runId: string): Promise<SentTask[]>
  /** Of these tasks, those that have ended. */
  ended(ids: readonly string[]): Promise<EndedTask[]>
  /** Some task has ended, in any process. May be missed, so look now and then as well. */
  onEnded(look: () => void): Promise<Unlisten>
  /** Everything that was read so far is on disk. */
  synced(): Promise<void>
}

export type Unlisten = () => Promise<void>

/** What runs of one worker have to write, by kind. */
export type RunBatch = {
  begun: readonly { step: BegunStep }[]
  ended: readonly { step: EndedStep }[]
  errors: readonly { claim: Claim; nodeErrors: readonly RunNodeError[] }[]
  shown: readonly { claim: Claim; snapshot: RunSnapshot }[]
  finished: readonly { claim: Claim; end: RunEnd }[]
}

export type RunsWritten = {
  /** Runs of this worker that somebody asked to cancel, even if nothing was written about them. */
  toCancel: readonly { id: string }[]
  /** Runs whose errors were stored before any request to cancel. */
  failed: readonly { id: string }[]
  /** Those missing have another owner, or had ended before. */
  ended: readonly FinishedRun[]
}

/** The state of a list, account and workflow, when runs are made for it. */
export type ListState = {
  known: readonly KnownKey[]
  /** How many more runs of the account may wait. */
  room: number
  firstSeq: number
  createdAtMs: number
}

/** Answers one submission, once its run is stored. */
export type Answer = () => void
export type MadeRuns = { rows: NewRun[]; steps: DoneStep[]; answers: Answer[] }

/** Slots of a worker for runs that are about to be stored as claimed by it. */
export type HeldRunSlots = {
  count: number
  claim: FirstClaim
  /** To be called once they are stored. */
  begin(runs: readonly NewRun[]): void
  /** To be called if they are not stored, or if that is unknown. */
  cancel(): void
}

/** Only for a database that one process has to itself: runs of other processes are not counted. */
export type HoldRunSlots = (accountId: string, wanted: number) => HeldRunSlots | null

export type RunSubmissions = {
  /** Called when the transaction begins, so that late submissions are included. */
  take(): readonly PendingSubmission[]
  /** Makes the runs for submissions to one list, grouped by idempotency key. */
  make(byKey: ReadonlyMap<string, readonly PendingSubmission[]>, list: ListState): MadeRuns
  /** Runs of one account that may wait. */
  maxQueued: number
  nowMs(): number
  holdSlots?: HoldRunSlots | undefined
}

/** Executions of workflows. Everything that ends a run stores the delivery of its webhook too. */
export type Runs = {
  /** `times`: now, and the time limit of runs that begin now. */
  claims(times: () => readonly number[]): ClaimStore<ClaimedRun>
  /** Of several submissions with one key, one makes the run. The answers are for the caller. */
  submit(submissions: RunSubmissions): Promise<Answer[]>
  /** All in one transaction that checks the lease. With a webhook if one of `finished` has one. */
  write(
    workerId: string,
    take: () => RunBatch,
    options: { hasWebhook: boolean },
  ): Promise<RunsWritten>
  /** Writes take effect in the order in which they were requested. */
  readonly keepsOrder: boolean
  /** Undoes steps that were begun and whose calls were not made. */
  forget(workerId: string, steps: readonly BegunStep[]): Promise<void>
  /** The runs of this worker that somebody asked to cancel. */
  toCancel(workerId: string): Promise<string[]>
  /** Somebody asked to cancel a run. May be missed, so look now and then as well. */
  onCancelRequested(look: () => void): Promise<Unlisten>
  /** Claims released runs that only have to be ended. */
  claimStopped(workerId: string, limits: { limit: number; nowMs: number }): Promise<ClaimedRun[]>
  /** Fails runs that nobody claimed in time. */
  failOverdue(nowMs: number, errors: readonly RunNodeError[]): Promise<readonly FinishedRun[]>
  /** How many workers died soon after they had continued this run. */
  setDeaths(claim: Claim, deaths: number): Promise<void>
  /** Releases it after an error, and counts how often that happened. */
  release(claim: Claim, next: { atMs: number; releases: number }): Promise<void>
  /** Ends a run that cannot be continued. */
  quarantine(
    claim: Claim,
    end: { nodeErrors: readonly RunNodeError[]; nowMs: number },
  ): Promise<readonly FinishedRun[]>
  /** Whether calls of the run may still finish and be billed. */
  hasCallsInFlight(runId: string): Promise<boolean>
  /** Adds the cost of calls that ended after their runs. */
  settleLateCosts(nowMs: number): Promise<void>
  /** The graph of a saved version, which never changes; undefined if it is gone. */
  graph(workflowId: number, version: number): Promise<SavedGraph | undefined>
}

/** The recorded calls of a run. They are written with the runs. */
export type Steps = Pick<StepJournal, 'ofRun' | 'resultOf'>

/**
 * What is stored before something is paid for. Tasks are made when the transaction begins; if
 * making one throws, nothing is stored.
 */
export type Intent =
  /** A call, PENDING. LeaseLost unless its worker still has its lease. */
  | { attempt: Attempt; workerId?: string | undefined }
  | { tasks(): readonly NewTask[] }
  /** A task of a run, with the step that waits for it. RunCancelled if the run is to stop. */
  | { task(): NewTask; step: BegunStep; claim: Claim }

/** `tasks`: those of the intent, if it was stored. */
export type Judged = { verdict: SpendVerdict; tasks: SubmittedTask[] }

/** This intent could not be stored, so none of them was. */
export class IntentFailed extends Error {
  readonly intent: Intent
  constructor(intent: Intent, cause: unknown) {
    super('an intent was not stored', { cause })
    this.intent = intent
  }
}

/** Every attempt: stored before the call, settled once after it. */
export type Ledger = {
  /** The journal of calls outside runs that no spend limit concerns. */
  chats: ChatLog
  store(accountId: string, intent: Intent): Promise<SubmittedTask[]>
  /**
   * Judges intents by what is spent and reserved, and stores those that fit: all in one transaction
   * for which the other spending of the account waits. IntentFailed if one cannot be stored.
   */
  storeWithin(
    accountId: string,
    limited: {
      intents: readonly Intent[]
      bounds: readonly SpendBound[]
      nowMs: number
      judge(uses: ReadonlyMap<string, SpendUse>): readonly SpendVerdict[]
    },
  ): Promise<readonly Judged[]>
  /** What is spent this month and reserved, for each of these limits. */
  uses(
    accountId: string,
    bounds: readonly SpendBound[],
    nowMs: number,
  ): Promise<ReadonlyMap<string, SpendUse>>
  /** Some reservation has ended, in any process. May be missed, so look now and then as well. */
  onFreed(look: () => void): Promise<Unlisten>
  /**
   * Stored with others of this tick. If the database is unavailable, it is kept in memory and
   * stored later; the caller waits for that only if it `isWaiting`.
   */
  settle(
    settlement: Settlement & { isLimited: boolean },
    options: { isWaiting: boolean },
  ): Promise<void>
  /** How many settlements are kept in memory. */
  unsettled(): number
  /** What is known about the calls that a step of a run has made. */
  attemptsOf(runId: string, path: string): Promise<(AbandonedAttempt & { outcome: Outcome })[]>
  /** Settles attempts whose process died: they may have been billed, so they count as spent. */
  settleLost(attempts: readonly AbandonedAttempt[], nowMs: number): Promise<void>
  /** The same for all calls outside tasks that were stored so long ago, and for chats. */
  settleAbandoned(afterMs: number, nowMs: number): Promise<void>
  /** Tries to store what is kept once more. */
  close(): Promise<void>
}

/** Webhooks of ended runs. They are stored with the ends of their runs. */
export type Deliveries = {
  claims: ClaimStore<ClaimedDelivery>
  /** Makes those claimable whose time to retry has come. */
  endWaits(nowMs: number): Promise<void>
  /** Stores an attempt and what it changed, and releases the delivery. */
  record(claim: Claim, tried: RecordedAttempt): Promise<void>
  /** Releases it without an attempt, to be claimed again at `retryAtMs`. */
  release(claim: Claim, retryAtMs: number): Promise<void>
  /** What the account signs with; if it has none, the first of several callers decides. */
  secret(
    accountId: string,
    options: { makeSecret: () => Uint8Array; nowMs: number },
  ): Promise<WebhookSecret>
}

/** The secrets that an account keeps under names. */
export type Credentials = {
  find(accountId: string, names: readonly string[]): Promise<CredentialRow[]>
  /** Decrypted; null if the account has no such credential. */
  open(accountId: string, which: WhichCredential): Promise<OpenedCredential | null>
  recordUse(accountId: string, id: string, usedAtMs: number): Promise<void>
}
