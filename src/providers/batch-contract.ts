// Batches: many text calls that a vendor answers within a day, for less. Like all calls of an
// adapter, each method makes what it needs once and never retries. provider.ts names the types.
import type { StopSignal } from '#core/stop.ts'

type CallOptions = { signal: StopSignal }

/** `body`: JSON, as `bodyOf` writes it. `id`: at most 64 letters, digits, hyphens. */
export type BatchedCall = { id: string; body: string }

/** `unprocessed`: the vendor says that it did not answer, and bills nothing for that. */
export type ResultOf<Result, Failure> = { id: string } & (
  | { result: Result }
  | { error: Failure }
  | { unprocessed: true }
)

/** A submission whose answer nobody heard. */
export type LostBatch = {
  id: string
  callIds: ReadonlySet<string>
  submittedAtMs: number
  /** It has arrived by then, or never will. */
  submittedUntilMs: number
  /** The vendor's names for batches that are known to be others. */
  otherRefs: ReadonlySet<string>
}

export type BatchesOf<Request, Result, Failure> = {
  /** Calls for which this is the same may share a batch. */
  poolOf(model: string): string
  /** What would be sent for this request. */
  bodyOf(request: Request): string
  /**
   * Resolves with the vendor's name for the batch. `find` recognises what was submitted so. Right
   * before the request that is billed it awaits `confirm`, and passes on what that throws.
   */
  submit(
    batch: { id: string; calls: readonly BatchedCall[] },
    options: CallOptions & { confirm(): Promise<void> },
  ): Promise<string>
  /** `null`: the vendor lists no such batch. */
  find(lost: LostBatch, options: CallOptions): Promise<string | null | 'unknown'>
  /** Once it has ended, `rest` says what became of calls that have no result. */
  poll(
    ref: string,
    options: CallOptions,
  ): Promise<{ state: 'running' } | { state: 'ended'; rest: 'unprocessed' | 'unknown' }>
  results(
    ref: string,
    options: CallOptions,
  ): AsyncGenerator<ResultOf<Result, Failure>, void, undefined>
  /** Asks the vendor to stop; what it has answered by then is still a result. */
  cancel(ref: string, options: CallOptions): Promise<void>
}
