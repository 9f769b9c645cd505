// Finds out whether a pooler in transaction mode keeps prepared statements: PgBouncer does from
// version 1.21 on, and only if max_prepared_statements is above 0. Without it, statements fail at
// random, depending on which server connection they are lent.
import { readAddress } from './address.ts'
import { postgresLimits } from './limits.ts'
import { openTransport } from './transport.ts'

const probe = 'select $1::text as atelier_pooler_check'

/** Throws if `url` leads to a pooler that prepared statements cannot be used with. */
export async function assertKeepsStatements(url: string, answerWithinMs = 15_000): Promise<void> {
  const transport = openTransport(readAddress(url), postgresLimits(answerWithinMs), {
    onLost() {},
    onNotify() {},
  })
  try {
    // One transaction has one server connection.
    await transport.sendAll('begin; select 1')
    const asked = await transport.send(probe, ['x'], [probe])
    const [seen] = await transport.send(
      `select name, pg_backend_pid() as pid from pg_prepared_statements
       where statement = $1 order by prepare_time desc limit 1`,
      [probe],
    )
    await transport.control('rollback')
    // A pooler invents the process id that it tells its clients, and renames what it keeps.
    const isPooled = seen !== undefined && Number(seen.pid) !== asked.state.pid
    if (isPooled && seen.name === asked.statement.name) throw new Error(cannotKeep)
  } finally {
    await transport.end().catch(() => {})
  }
}

const cannotKeep =
  'DATABASE_URL leads to a pooler that does not keep prepared statements. Use PgBouncer 1.21 or newer with max_prepared_statements above 0 (200 is enough), or session mode without DATABASE_DIRECT_URL.'
