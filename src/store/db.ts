// What the store promises on both databases: `query` sees committed state, `write` and
// `transaction` answer only after their own commit, and a failed one leaves nothing behind.
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

/** What each of these statements returns. */
export type RowsOf<Statements extends readonly Statement[]> = {
  [index in keyof Statements]: Statements[index] extends Statement<infer Row> ? Row[] : never
}

export type Tx = Reader &
  Writer & {
    run<Row>(statement: Statement<Row>): Promise<Row[]>
    /** Tells listeners on every process, once this transaction has committed. */
    notify(channel: string): void
  }

export type TransactionOptions<T> = {
  /**
   * Whether what `work` returned is stored. Asked where the database crashed during the commit:
   * then only the rows themselves can tell.
   */
  wasMade?(db: Reader, value: T): Promise<boolean>
  /** A migration: no time limit ends it. */
  mayTakeLong?: true
}

export type Db = Reader &
  Writer & {
    /** Its name, for messages. What follows from it has a name of its own here. */
    readonly kind: 'sqlite' | 'postgres'
    /** Several processes may use it at the same time. */
    readonly isShared: boolean
    /** Writes take effect in the order they were asked for, also those in different transactions. */
    readonly keepsOrder: boolean
    /** Its connections, where there is a pool of them. */
    load?(): { inUse: number; waiting: number }
    /**
     * Runs `work` atomically. It must await nothing but its own queries: on SQLite every
     * other writer waits for it. May be called again from the start after a conflict.
     * A statement that failed fails the whole transaction, even if `work` catches the error.
     */
    transaction<T>(work: (tx: Tx) => Promise<T>, options?: TransactionOptions<T>): Promise<T>
    /**
     * Statements that need not know of one another, all or none: a transaction without going
     * back and forth. They are asked for when it begins, so that what comes up until then can
     * still be among them; after a conflict they are asked for again. `notify` is for listeners,
     * as in a transaction.
     */
    writeAll<const Statements extends readonly Statement[]>(
      statements: () => Statements,
      options?: { notify: string },
    ): Promise<RowsOf<Statements>>
    /**
     * Calls back after a notify on any process; may also call without one, and may miss one
     * when a process dies: poll as well. Returns an unsubscribe.
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

/** A guard returned no row: nothing of what it was written with was kept. */
export class GuardFailed extends Error {
  constructor() {
    super('a guarded write was not allowed')
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
 * The answer to a commit was lost, and could not be asked for again in time: the write may have
 * been made. What may be done twice can be tried again; anything else must be looked up.
 */
export class CommitUnknown extends StoreUnavailable {
  constructor(reason: string, cause?: unknown) {
    super(reason, cause)
    this.name = 'CommitUnknown'
  }
}
