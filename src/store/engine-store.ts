// What the engine needs from storage: all of it, and nothing else of the store is imported there.
// A member is one transaction, or one read of committed state; it decides nothing that the engine
// could decide. Every member rejects with StoreUnavailable if the database cannot serve now, in
// which case nothing was written, unless it is a CommitUnknown: then nobody knows. What a worker
// writes about work that it no longer owns is refused with LeaseLost (core/interruptions.ts).
// The folder engine/ implements it on a `Db`.
import type { SubmittedTask } from '#core/generation.ts'
import type { SpendBound, SpendUse, SpendVerdict } from '#core/spend-admission.ts'
import type { BegunStep } from '#core/step-states.ts'
import type { ChatLog } from './journals/chat-log.ts'
import type { Claim, ClaimStore } from './tables/claims.ts'
import type { CredentialRow, OpenedCredential, WhichCredential } from './tables/credentials.ts'
import type { ClaimedDelivery, RecordedAttempt } from './tables/delivery-claims.ts'
import type { AbandonedAttempt, Attempt } from './tables/ledger.ts'
import type { Outcome, Settlement } from './tables/settlement.ts'
import type { EndedTask, NewTask, SentTask, TaskEnding, TaskRow } from './tables/tasks.ts'
import type { WebhookSecret } from './tables/webhook-secrets.ts'

export { CommitUnknown, StoreUnavailable } from './db.ts'
export { type Claim, type ClaimedRow, type ClaimStore, claimKey, claimOf } from './tables/claims.ts'
export type { OpenedCredential, WhichCredential } from './tables/credentials.ts'
export type { ClaimedDelivery } from './tables/delivery-claims.ts'
export type { Attempt } from './tables/ledger.ts'
export type { MediaRecord } from './tables/media.ts'
export type { Remark, Settlement, Units } from './tables/settlement.ts'
export type { EndedTask, ListedTask, NewTask, TaskRow } from './tables/tasks.ts'

export type EngineStore = {
  leases: Leases
  tasks: Tasks
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
