// How long things may take at PostgreSQL, counted back from the time in which a caller must be
// answered. The server gives up first and says why; a server that says nothing at all is left by
// the client, and what is then unknown is still asked for before the caller's time is up.
//
//   0 ───────────── statement, transaction ─┤ silence ─┤ outcome ─┤ caller
//   0 s                                10 s       11 s       14 s  15 s

export type PostgresLimits = {
  /** Of one statement, and of one transaction as a whole; kept by the server. */
  statementMs: number
  /** Without any answer while one is due: the connection is given up. */
  silenceMs: number
  /** From the begin of a transaction, until how it ended is taken for unknown. */
  outcomeMs: number
  /** For a connection of the pool to become free. */
  waitMs: number
  connectMs: number
}

export const postgresLimits = (answerWithinMs: number): PostgresLimits => ({
  statementMs: Math.round((answerWithinMs * 10) / 15),
  silenceMs: Math.round((answerWithinMs * 11) / 15),
  outcomeMs: Math.round((answerWithinMs * 14) / 15),
  waitMs: Math.round((answerWithinMs * 8) / 15),
  connectMs: Math.round((answerWithinMs * 5) / 15),
})

/**
 * The longest a transaction may take: the one it is said in, or all of the connection. Servers
 * before 17 do not know this limit, and would refuse a connection that names it.
 */
export const limitTransactions = (ms: number, span: 'transaction' | 'session'): string =>
  `select set_config('transaction_timeout', '${ms}', ${span === 'transaction'})
   where current_setting('server_version_num')::int >= 170000`
