// What the engine needs from storage, all of it: engine/ imports nothing else of the store. A member
// is one transaction, or one read of committed state. Decisions are made by the caller; where one
// must be made inside a transaction, the caller hands in a function.
//
// Every member may reject with StoreUnavailable: the database cannot serve now, and nothing was
// written, unless it is a CommitUnknown, when nobody knows. What a worker writes about work that is
// not its own any more is refused with LeaseLost. engine/open-engine-store.ts implements it.
import type { PassedThreshold } from '#core/budget-alert.ts'
import type { SpendBound } from '#core/budgets.ts'
import type { TimedDelay } from '#core/delayed-call.ts'
import type { SubmittedTask } from '#core/generation.ts'
import type { RunNodeError } from '#core/run-facts.ts'
import type { SpendUses } from '#core/spend-admission.ts'
import type { Step } from '#core/step-states.ts'
import type { Due } from '#core/triggers/due.ts'
import type { FiringReason, PauseReason } from '#core/triggers/trigger.ts'
import type { Credentials } from './engine/credentials.ts'
import type { Economy } from './engine/economy.ts'
import type { Intent, Judged, LimitedIntents } from './engine/intents.ts'
import type { Lanes } from './engine/lanes.ts'
import type { Reuse } from './engine/reuse.ts'
import type { BatchOptions, RunBatch, RunsWritten } from './engine/run-batch.ts'
import type { Answer, RunSubmissions } from './engine/submit-runs.ts'
import type { ChatLog } from './journals/chat-log.ts'
import type { Claim, ClaimStore, Release } from './tables/claims.ts'
import type { ClaimedDelivery, RecordedAttempt } from './tables/delivery-claims.ts'
import type { FiringRow } from './tables/firings.ts'
import type { Held } from './tables/held-payloads.ts'
import type { AbandonedAttempt, Attempt } from './tables/ledger.ts'
import type { FinishedRun } from './tables/run-progress.ts'
import type { ClaimedRun, NodeAttempt } from './tables/run-work.ts'
import type { RunEndState } from './tables/runs.ts'
import type { Settlement } from './tables/settlement.ts'
import type { Steps as StepJournal } from './tables/steps.ts'
import type { EndedTask, SentTask, TaskEnding, TaskRow } from './tables/tasks.ts'
import type { TriggerRow } from './tables/triggers.ts'
import type { OpenedWait, RunWait } from './tables/waits.ts'
import type { NewSecret, WebhookSecret } from './tables/webhook-secrets.ts'
import type { ProcessRole } from './tables/workers.ts'
import type { SavedGraph } from './tables/workflows.ts'

export { CommitUnknown, StoreUnavailable } from './db.ts'
export type { Credentials } from './engine/credentials.ts'
export type {
  Economy,
  EconomyCall,
  EndedCall,
  QueuedCall,
  SentCall,
  VendorBatch,
} from './engine/economy.ts'
export { type Intent, IntentFailed, type Judged, type LimitsNow } from './engine/intents.ts'
export type { Lanes } from './engine/lanes.ts'
export type { Reuse } from './engine/reuse.ts'
export type { RunsWritten } from './engine/run-batch.ts'
export type {
  Answer,
  HeldRunSlots,
  HoldRunSlots,
  ListState,
  MadeRuns,
} from './engine/submit-runs.ts'
export { type Claim, type ClaimedRow, type ClaimStore, claimKey, claimOf } from './tables/claims.ts'
export type { OpenedCredential, WhichCredential } from './tables/credentials.ts'
export type { ClaimedDelivery } from './tables/delivery-claims.ts'
export type { FiringRow } from './tables/firings.ts'
export type { Attempt } from './tables/ledger.ts'
export type { MediaRecord } from './tables/media.ts'
export type { NewRun } from './tables/new-runs.ts'
export type { FinishedRun, RunEnd, RunSleep, RunSnapshot } from './tables/run-progress.ts'
export { accountOfQueue, type ClaimedRun, firstClaimed, isDueQueue } from './tables/run-work.ts'
export type { KnownKey, RunRow } from './tables/runs.ts'
export type { Remark, Settlement, Units } from './tables/settlement.ts'
export type { EndedTask, ListedTask, NewTask, TaskRow } from './tables/tasks.ts'
export type { TriggerRow } from './tables/triggers.ts'
export type { NewWait, OpenedWait, RunWait } from './tables/waits.ts'
export type { ProcessRole } from './tables/workers.ts'

export type EngineStore = {
  leases: Leases
  tasks: Tasks
  runs: Runs
  steps: Steps
  waits: Waits
  ledger: Ledger
  deliveries: Deliveries
  credentials: Credentials
  triggers: Triggers
  lanes: Lanes
  reuse: Reuse
  economy: Economy
}

/** Resolves once it is on disk. */
type Written = Promise<unknown>

/**
 * Calls `look` after the event, in whichever process it happened. It may be missed, so look now and
 * then as well. Resolves with a function that unsubscribes.
 */
type Listen = (look: () => void) => Promise<() => Promise<void>>

/** The rows of worker processes. As long as its row exists, a worker owns what it claimed. */
export type Leases = {
  /** Before the first lease: where one process has the database, any earlier owner is gone. */
  releaseEarlier(): Written
  begin(workerId: string, leaseMs: number, role?: ProcessRole): Written
  /** False once the lease is lost. */
  renew(workerId: string, leaseMs: number): Promise<boolean>
  /** Ends expired leases of others, releases what nobody owns, and settles orphaned calls. */
  reap(workerId: string): Written
  /** Releases everything at once, for others to continue. */
  end(workerId: string): Written
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
  failOverdue(nowMs: number, error: string): Written
  /** Before it is sent: SUBMITTING, with a PENDING attempt. RunStopped if it must not be sent. */
  begin(task: OwnTask, attempt: Attempt, retry: Retry): Promise<void>
  /** SUBMITTED: the provider's job can be polled by anybody who has its reference. */
  accepted(task: OwnTask, jobRef: string, retry: Retry): Promise<void>
  /** READY again, and the attempt settled: the provider certainly did not accept it. */
  refused(task: OwnTask, settlement: Settlement, retry: Retry): Promise<void>
  /** Ended, with its last attempt settled, if it had any. */
  end(task: OwnTask, end: TaskEnding, settlement: Settlement | null, retry: Retry): Promise<void>
  /** Releases it, to be claimed again then. */
  postpone(claim: Claim, untilMs: number, why: TimedDelay): Written
  /** Releases it, to be claimed again at once. */
  handOver(claim: Claim, nowMs: number): Written
  /** Releases it after an error, and counts how often that happened. */
  release(claim: Claim, next: Release): Written
  /** Ends the tasks of a run for which nothing has been sent to a provider. */
  cancelUnsent(runId: string, nowMs: number): Written
  /** The tasks of a run that a provider is working on. */
  sent(runId: string): Promise<SentTask[]>
  /** Of these tasks, those that have ended. */
  ended(ids: readonly string[]): Promise<EndedTask[]>
  onEnded: Listen
  /** Resolves once everything that was read so far is on disk. */
  synced(): Promise<void>
}

/** An account has two queues: runs to begin or to continue, and sleepers that are due. */
export type RunClaims = ClaimStore<ClaimedRun> & {
  /** True if some sleepers are due: from now on they are among the queues. */
  lookForDue(): Promise<boolean>
}

/** Executions of workflows. Everything that ends a run stores the delivery of its webhook too. */
export type Runs = {
  /** `times`: now, and the time limit of runs that begin now. */
  claims(times: () => readonly number[]): RunClaims
  /** Of several submissions with one key, one makes the run. Resolves with all their answers. */
  submit(submissions: RunSubmissions): Promise<Answer[]>
  /** What runs of one worker wrote in a tick: all of it or, without the lease, nothing. */
  write(workerId: string, take: () => RunBatch, options: BatchOptions): Promise<RunsWritten>
  /** Writes take effect in the order in which they were requested. */
  readonly keepsOrder: boolean
  /** Undoes steps whose calls were not made, or are to be made again. */
  forget(workerId: string, steps: readonly Step[]): Written
  /** The runs of this worker that somebody asked to cancel. */
  toCancel(workerId: string): Promise<string[]>
  onCancelRequested: Listen
  /** Claims released runs that only have to be ended. */
  claimStopped(workerId: string, limits: { limit: number; nowMs: number }): Promise<ClaimedRun[]>
  /** Fails runs that nobody claimed in time. */
  failOverdue(nowMs: number, errors: readonly RunNodeError[]): Promise<FinishedRun[]>
  /** How many workers died soon after they had continued this run. */
  setDeaths(claim: Claim, deaths: number): Written
  /** Releases it after an error, and counts how often that happened. */
  release(claim: Claim, next: Release): Written
  /** Ends a run that cannot be continued. */
  quarantine(claim: Claim, nowMs: number, errors: readonly RunNodeError[]): Promise<FinishedRun[]>
  /** Whether calls of the run may still finish and be billed. */
  hasCallsInFlight(runId: string): Promise<boolean>
  /** Adds the cost of calls that ended after their runs. False if there are none. */
  settleLateCosts(nowMs: number): Promise<boolean>
  /** Of these runs, those that exist: when they ended, and until when they sleep. */
  ends(ids: readonly string[]): Promise<RunEndState[]>
  /** The graph of a saved version, which never changes; undefined if it is gone. */
  graph(workflowId: number, version: number): Promise<SavedGraph | undefined>
}

/** The recorded calls of a run. They are written with the runs. */
export type Steps = Pick<StepJournal, 'ofRuns' | 'resultOf'>

/**
 * What runs wait for. They are opened with the writes of runs. Whatever closes one raises `wakes` of
 * its run first.
 */
export type Waits = {
  ofRuns(runIds: readonly string[]): Promise<RunWait[]>
  /** To be read before the waits: a run sleeps only if nothing has happened since. */
  wakesOf(runIds: readonly string[]): Promise<{ id: string; wakes: number }[]>
  /** Closes those of these runs whose time has come, by the database's clock. */
  passDue(runIds: readonly string[]): Written
  /** Closes one of a run that goes on without it, unless it is closed already. */
  cancel(accountId: string, wait: Pick<OpenedWait, 'id' | 'run_id'>): Written
  /** Sleeping runs of the account; not counted beyond `limit`. */
  countAsleep(accountId: string, limit: number): Promise<number>
  /** Everything stored about a run in which a reference to a payload, or media, may be. */
  textsOf(runId: string): Promise<string[]>
  /** These payloads and media of the account are kept as if they were stored now. */
  renew(accountId: string, held: Held, nowMs: number): Written
  /** Something has closed a wait of a run that a worker owns. */
  onClosed: Listen
}

/** Every attempt to call a provider: stored before the call, settled once after it. */
export type Ledger = {
  /** The journal of calls outside runs that no spend limit concerns. */
  chats: ChatLog
  /** Resolves with the tasks of the intent, if it has some. */
  store(accountId: string, intent: Intent): Promise<SubmittedTask[]>
  /**
   * Judges intents by what is spent and reserved, and stores those that fit: all in one transaction
   * for which the other spending of the account waits. IntentFailed if one cannot be stored.
   */
  storeWithin(accountId: string, limited: LimitedIntents): Promise<Judged[]>
  /** What is spent and reserved, for each of these limits. */
  uses(accountId: string, bounds: readonly SpendBound[], nowMs: number): Promise<SpendUses>
  /** Stores what was passed in the day or month of `atMs`, once. `isHeld`: calls may add to it. */
  recordPassed(
    accountId: string,
    bounds: readonly SpendBound[],
    atMs: number,
  ): Promise<{ passed: PassedThreshold[]; isHeld: boolean }>
  /** A reservation has ended. */
  onFreed: Listen
  /**
   * Written with others of this tick. If the database is unavailable, it is kept in memory and
   * written later; the caller waits for that only with `isWaiting`.
   */
  settle(
    settlement: Settlement & { isLimited: boolean },
    options: { isWaiting: boolean },
  ): Promise<void>
  /** How many settlements are kept in memory. */
  unsettled(): number
  /** Those of one call of a run, which its task or else its path names, or of all its calls. */
  attemptsOf(runId: string, call?: string): Promise<NodeAttempt[]>
  /** Settles attempts whose process died: they may have been billed, so they count as spent. */
  settleLost(attempts: readonly AbandonedAttempt[], nowMs: number): Written
  /** The same for chats, and for all calls without a task, that were stored so long ago. */
  settleAbandoned(afterMs: number, nowMs: number): Written
  /** Tries to write what is kept in memory once more. */
  close(): Promise<void>
}

/** Webhooks of ended runs. They are stored with the ends of their runs. */
export type Deliveries = {
  claims: ClaimStore<ClaimedDelivery>
  /** Makes those claimable whose time to retry has come. */
  endWaits(nowMs: number): Written
  /** Stores an attempt and what it changed, and releases the delivery. */
  record(claim: Claim, tried: RecordedAttempt): Promise<void>
  /** Releases it without an attempt, to be claimed again then. */
  release(claim: Claim, retryAtMs: number): Written
  /** What the account signs with; if it has none, the first of several callers decides. */
  secret(accountId: string, options: NewSecret): Promise<WebhookSecret>
}

/** What starts runs by itself. A firing is stored before its run, and holds the key of that run. */
export type Triggers = {
  /** The database's clock where several processes share it. */
  now(): Promise<number>
  /** Whether anything is due, left over or queued. */
  hasWork(nowMs: number): Promise<boolean>
  /**
   * Stores what one due trigger owes, as `decide` says, and what it does next. Resolves with the
   * new firings, or null if nothing was due that nobody else is deciding about.
   */
  advance(
    nowMs: number,
    heldUntilMs: number,
    decide: (trigger: TriggerRow) => Due & { dueMs: number | null },
  ): Promise<FiringRow[] | null>
  /** Takes firings whose run nobody has started in time. */
  claim(limits: { nowMs: number; untilMs: number; limit: number }): Promise<FiringRow[]>
  /** The triggers whose queue may move on. */
  queued(): Promise<string[]>
  /** The next firing of a queue, if the runs before it have ended. */
  dequeue(triggerId: string, nowMs: number, untilMs: number): Promise<FiringRow | null>
  reread(firing: FiringRow): Promise<{ firing: FiringRow; trigger: TriggerRow } | null>
  /** False if somebody else has stored it already. */
  started(firingId: string, runId: string): Promise<boolean>
  skipped(firingId: string, why: { reason: FiringReason; message: string }): Written
  tryAgain(firingId: string, atMs: number): Written
  pause(id: string, why: { reason: PauseReason; message: string; nowMs: number }): Written
}
