// What is said between the main thread and the thread that writes SQLite. Orders are carried out
// as they were given, one after the other.
import { GuardFailed, type Param, StoreUnavailable, UniqueViolation } from './db.ts'

/** A statement by the number of its text. */
export type NumberedStatement = {
  text: number
  rows: readonly (readonly Param[])[]
  isGuard?: true | undefined
}

export type Order =
  /** Numbers a text, so that it travels once. */
  | { kind: 'text'; text: number; sql: string }
  | { kind: 'forget-texts' }
  /** A job: all of it or nothing. Answered when it is on disk. */
  | { kind: 'all'; statements: readonly NumberedStatement[] }
  /** A job whose statements come one by one, with none of another job between them. */
  | { kind: 'open' }
  /** Answered at once. */
  | { kind: 'run'; statement: NumberedStatement }
  /** The end of that job, answered when it is on disk or undone. */
  | { kind: 'keep' }
  | { kind: 'undo' }

/** Rows as lists of values, and what those are called if there are any. */
export type Returned = { values: unknown[][]; columns: string[] }
export type Reply = { returned: Returned[] } | { failure: Failure }
/** Of jobs and of single statements, each in the order in which they were given. */
export type Replies = { jobs: Reply[]; runs: Reply[] }

/** An error in a form that keeps its kind between threads. */
export type Failure =
  | { kind: 'unique'; constraint: string }
  | { kind: 'unavailable'; reason: string }
  | { kind: 'guard' }
  | { kind: 'other'; error: unknown }

export function toFailure(error: unknown): Failure {
  if (error instanceof GuardFailed) return { kind: 'guard' }
  if (error instanceof UniqueViolation) return { kind: 'unique', constraint: error.constraint }
  if (error instanceof StoreUnavailable) return { kind: 'unavailable', reason: error.reason }
  return { kind: 'other', error }
}

export function toError(failure: Failure): unknown {
  switch (failure.kind) {
    case 'unique':
      return new UniqueViolation(failure.constraint)
    case 'unavailable':
      return new StoreUnavailable(failure.reason)
    case 'guard':
      return new GuardFailed()
    case 'other':
      return failure.error
  }
}
