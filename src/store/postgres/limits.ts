// Time limits for PostgreSQL, derived from the time within which a caller must be answered. The
// server gives up first and says why. If it says nothing at all, the client drops the connection,
// and there is still time to ask for the outcome of a commit before the caller must be answered.
//
//   0 ───────────── statement, transaction ─┤ silence ─┤ outcome ─┤ caller
//   0 s                                10 s       11 s       14 s  15 s

export type PostgresLimits = {
  /** For one statement, and for a transaction as a whole; enforced by the server. */
  statementMs: number
  /** After so long without an answer while one is due, the connection is dropped. */
  silenceMs: number
  /** From the start of a transaction until its outcome is considered unknown. */
  outcomeMs: number
  /** How long to wait for a connection of the pool to become free. */
  waitMs: number
  connectMs: number
  /** A transaction awaits nothing but its own statements, so an idle one holds its locks in vain. */
  idleMs: number
}

export const postgresLimits = (answerWithinMs: number): PostgresLimits => ({
  statementMs: Math.round((answerWithinMs * 10) / 15),
  silenceMs: Math.round((answerWithinMs * 11) / 15),
  outcomeMs: Math.round((answerWithinMs * 14) / 15),
  waitMs: Math.round((answerWithinMs * 8) / 15),
  connectMs: Math.round((answerWithinMs * 5) / 15),
  idleMs: Math.round((answerWithinMs * 5) / 15),
})

/**
 * Limits how long the current transaction, or each one of the session, may take. PostgreSQL before
 * version 17 does not have this setting and would refuse to set it.
 */
export const limitTransactions = (ms: number, span: 'transaction' | 'session'): string =>
  `select set_config('transaction_timeout', '${ms}', ${span === 'transaction'})
   where current_setting('server_version_num')::int >= 170000`
