// The settings that statements run under: time limits, and plans that use indexes. They are set
// after connecting, because a pooler refuses them as startup parameters. Behind a pooler that lends
// its connections for one transaction at a time, they are set in each transaction.
import { limitTransactions, type PostgresLimits } from './limits.ts'

const settings = (limits: PostgresLimits) => ({
  statement_timeout: limits.statementMs,
  idle_in_transaction_session_timeout: limits.idleMs,
  // Every statement here has its index. A plan made while a table was small, before any
  // statistics, would otherwise read the whole table long after it has grown.
  ...{ enable_seqscan: 'off', enable_hashjoin: 'off', enable_mergejoin: 'off' },
})

const setAll = (limits: PostgresLimits, span: 'session' | 'local') => [
  ...Object.entries(settings(limits)).map(([name, value]) => `set ${span} ${name} = ${value}`),
  // Whoever is answered relies on the disk. Stricter levels, which wait for replicas, stay.
  `select set_config('synchronous_commit', 'on', ${span === 'local'})
    where current_setting('synchronous_commit') = 'off'`,
]

/**
 * Identifies one incarnation of the server, which ends with a crash: transaction ids may be reused
 * after it. Statistics are reset by a crash, and otherwise only on request.
 */
export const serverIncarnation = `(select concat(pg_postmaster_start_time(), ' ', stats_reset)
  from pg_stat_bgwriter)`

/** Its last statement returns the server's incarnation, and whether it is read-only. */
export const startOfSession = (limits: PostgresLimits): string =>
  [
    ...setAll(limits, 'session'),
    // To the server, a client that falls silent in the middle of a pipeline is not idle.
    limitTransactions(limits.statementMs, 'session'),
    `select ${serverIncarnation} as incarnation,
      current_setting('transaction_read_only') as is_read_only`,
  ].join('; ')

const selectXid = 'select pg_current_xact_id()::text as xid'

/** Its last statement returns the id of the transaction. */
export const startOfTransaction = `begin; ${selectXid}`

/** The same behind a pooler in transaction mode, whose connections have not been set up. */
export const startOfPooled = (limits: PostgresLimits) => {
  const begin = ['begin', ...setAll(limits, 'local')]
  const timeout = limitTransactions(limits.statementMs, 'transaction')
  const selectId = `${selectXid}, ${serverIncarnation} as incarnation`
  return {
    transaction: [...begin, timeout, selectId].join('; '),
    reading: begin.join('; '),
  }
}
