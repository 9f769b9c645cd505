// What the store promises on both databases: `query` sees committed state, `write` and
// `transaction` resolve only after their own commit, and a failed one leaves nothing behind.
// SQL is written once, with $1 parameters, integer milliseconds, `returning` and `on conflict`;
// where the databases differ, the difference is a named member here. Never used for SQL
// outside this folder.
import type { Dialect } from './dialect.ts'
import type { Param, Statement } from './statement.ts'

export type { Param, Statement }

/** Reads committed state (inside a transaction: also its own writes). */
export type Reader = {
  readonly dialect: Dialect
  query<Row>(sql: string, params?: readonly Param[]): Promise<Row[]>
}

/** One self-contained statement; writes of one event-loop tick share a commit. */
export type Writer = {
  readonly dialect: Dialect
  write<Row>(sql: string, params?: readonly Param[]): Promise<Row[]>
}

/** The rows that each of these statements returns. */
export type RowsOf<Statements extends readonly Statement[]> = {
  [index in keyof Statements]: Statements[index] extends Statement<infer Row> ? Row[] : never
}

export type Tx = Reader &
  Writer & {
    run<Row>(statement: Statement<Row>): Promise<Row[]>
    /** Notifies listeners in every process once this transaction has committed. */
    notify(channel: string): void
  }

export type OnFailed = {
  /**
   * Where writes keep their order: called when this one has failed, before any that was requested
   * later is executed. A promise tells of it only afterwards.
   */
  onFailed?: ((error: unknown) => void) | undefined
}

export type TransactionOptions<T> = OnFailed & {
  /**
   * Whether the changes of the `work` that returned `value` are stored. Called if the database
   * crashed during the commit, when only the rows themselves can tell.
   */
  isStored?(db: Reader, value: T): Promise<boolean>
  /** For migrations: no time limit applies. */
  mayTakeLong?: true
}

export type Db = Reader &
  Writer & {
    /** Its name, for messages only: each difference in behaviour is its own member here. */
    readonly kind: 'sqlite' | 'postgres'
    /** Several processes may use it at the same time. */
    readonly isShared: boolean
    /** Writes take effect in the order in which they were requested, even across transactions. */
    readonly keepsOrder: boolean
    /**
     * Resolves once everything that queries have seen so far is on disk; undefined if it already
     * is. To be awaited before an answer confirms what another request wrote: on SQLite, a row can
     * be read a moment before it is synced, and a power cut would undo it.
     */
    synced(): Promise<void> | undefined
    /** How busy its connections are, if it has a pool of them. */
    load?(): { inUse: number; waiting: number }
    /**
     * Runs `work` atomically. `work` must await nothing but its own queries, because on SQLite
     * every other writer waits for it; it may be called again from the start after a conflict.
     * A statement that failed fails the whole transaction, even if `work` catches the error.
     */
    transaction<T>(work: (tx: Tx) => Promise<T>, options?: TransactionOptions<T>): Promise<T>
    /**
     * Executes all or none of these statements, none of which needs the result of another: a
     * transaction without round trips. `statements` is called when the transaction begins, so
     * that late additions are included, and again after a conflict. `notify` names a channel to
     * notify after the commit.
     */
    writeAll<const Statements extends readonly Statement[]>(
      statements: () => Statements,
      options?: { notify?: string } & OnFailed,
    ): Promise<RowsOf<Statements>>
    /**
     * Calls `onWake` after a notify in any process. It may also be called without one, and one may
     * be missed when a process dies, so poll as well. Returns a function that unsubscribes.
     */
    listen(channel: string, onWake: () => void): Promise<() => Promise<void>>
    close(): Promise<void>
    [Symbol.asyncDispose](): Promise<void>
  }

/** A unique index refused a row. `constraint` names the index or, on SQLite, its columns. */
export class UniqueViolation extends Error {
  readonly constraint: string
  constructor(constraint: string, cause?: unknown) {
    super(`unique constraint: ${constraint}`, { cause })
    this.name = 'UniqueViolation'
    this.constraint = constraint
  }
}

/** A guard returned no row, so nothing that was written together with it was kept. */
export class GuardFailed extends Error {
  constructor() {
    super('a guard returned no row; nothing was written')
    this.name = 'GuardFailed'
  }
}

/**
 * The database cannot serve now: unreachable, shutting down, out of space, too slow, closed.
 * A write that fails with it was not made, unless it is a CommitUnknown.
 */
export class StoreUnavailable extends Error {
  readonly reason: string
  constructor(reason: string, cause?: unknown) {
    super(`the database is unavailable: ${reason}`, { cause })
    this.name = 'StoreUnavailable'
    this.reason = reason
  }
}

/**
 * It is unknown whether a commit was made: its answer was lost and the outcome could not be
 * determined in time, or the log could not be synced. Retry only writes that may be made twice;
 * look up the others.
 */
export class CommitUnknown extends StoreUnavailable {
  constructor(reason: string, cause?: unknown) {
    super(reason, cause)
    this.name = 'CommitUnknown'
  }
}
