// What statements run under: limits of time, and plans that use indexes. They are set after
// connecting, because a pooler refuses a connection that names them when it starts; behind a
// pooler that lends its connections for one transaction at a time they are set in each of them.
import { limitTransactions, type PostgresLimits } from './limits.ts'

// A transaction awaits nothing but its own statements: one that is idle holds locks for nobody.
const idleInTransactionMs = 5_000

const settings = (limits: PostgresLimits) => ({
  statement_timeout: limits.statementMs,
  idle_in_transaction_session_timeout: idleInTransactionMs,
  // Every statement here has its index. A plan made while a table was small, before any
  // statistics, would otherwise read the whole table long after it has grown.
  ...{ enable_seqscan: 'off', enable_hashjoin: 'off', enable_mergejoin: 'off' },
})

const setAll = (limits: PostgresLimits, span: 'session' | 'local') =>
  Object.entries(settings(limits)).map(([name, value]) => `set ${span} ${name} = ${value}`)

/**
 * Names the life of the server, which a crash ends: numbers of transactions may then be given out
 * again. Statistics are thrown away in a crash and only then, unless someone asks for it.
 */
export const lifeOfServer = `(select concat(pg_postmaster_start_time(), ' ', stats_reset)
  from pg_stat_bgwriter)`

/** Its last statement tells the life of the server, and whether it may be written to. */
export const startOfSession = (limits: PostgresLimits): string =>
  [
    ...setAll(limits, 'session'),
    // A client that fell silent in the middle of a pipeline is not idle in the eyes of the server.
    limitTransactions(limits.statementMs, 'session'),
    `select ${lifeOfServer} as life, current_setting('transaction_read_only') as is_read_only`,
  ].join('; ')

const numbered = 'select pg_current_xact_id()::text as xid'

/** Its last statement tells the number of the transaction. */
export const startOfTransaction = `begin; ${numbered}`

/** The same on a borrowed connection, which nobody has set up. */
export const startOfBorrowed = (limits: PostgresLimits) => {
  const begin = ['begin', ...setAll(limits, 'local')]
  const timeout = limitTransactions(limits.statementMs, 'transaction')
  return {
    transaction: [...begin, timeout, `${numbered}, ${lifeOfServer} as life`].join('; '),
    reading: begin.join('; '),
  }
}
