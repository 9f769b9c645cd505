// What the engine needs from storage: all of it, and nothing else of the store is imported there.
// A member is one transaction, or one read of committed state; it decides nothing that the engine
// could decide. Every member rejects with StoreUnavailable if the database cannot serve now, in
// which case nothing was written, unless it is a CommitUnknown: then nobody knows. What a worker
// writes about work that it no longer owns is refused with LeaseLost (core/interruptions.ts).
// The folder engine/ implements it on a `Db`.
import type { Claim, ClaimStore } from './tables/claims.ts'
import type { CredentialRow, OpenedCredential, WhichCredential } from './tables/credentials.ts'
import type { ClaimedDelivery, RecordedAttempt } from './tables/delivery-claims.ts'
import type { WebhookSecret } from './tables/webhook-secrets.ts'

export { StoreUnavailable } from './db.ts'
export { type Claim, type ClaimedRow, type ClaimStore, claimKey, claimOf } from './tables/claims.ts'
export type { OpenedCredential, WhichCredential } from './tables/credentials.ts'
export type { ClaimedDelivery } from './tables/delivery-claims.ts'

export type EngineStore = {
  leases: Leases
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
