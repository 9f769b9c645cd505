/**
 * The longest a transaction may take: the one it is said in, or all of the connection. Servers
 * before 17 do not know this limit, and would refuse a connection that names it.
 */
export const limitTransactions = (ms: number, span: 'transaction' | 'session'): string =>
  `select set_config('transaction_timeout', '${ms}', ${span === 'transaction'})
   where current_setting('server_version_num')::int >= 170000`
