import { GuardFailed, type Statement, type Tx } from './db.ts'
import type { Dialect } from './dialect.ts'

/**
 * The `tx` that the work of a transaction gets. It is unusable after the end, when a statement
 * would run in somebody else's transaction. The first failure is kept, even if the work catches it.
 */
export function openTxScope(
  dialect: Dialect,
  send: <Row>(statement: Statement<Row>) => Promise<Row[]>,
) {
  const channels = new Set<string>()
  let over = false
  let failure: { error: unknown } | undefined

  async function run<Row>(statement: Statement<Row>): Promise<Row[]> {
    if (over) throw new Error('this transaction is over')
    if (failure) throw failure.error
    try {
      const rows = await send(statement)
      if (statement.isGuard && rows.length === 0) throw new GuardFailed()
      return rows
    } catch (error) {
      failure ??= { error }
      throw error
    }
  }
  const runOnce: Tx['write'] = (sql, params = []) => run({ sql, rows: [params] })

  const notify = (name: string) => void channels.add(name)
  const tx: Tx = { dialect, query: runOnce, write: runOnce, run, notify }
  return {
    tx,
    channels: channels as ReadonlySet<string>,
    /** Returns the first failure of a statement, if any. */
    end() {
      over = true
      return failure
    },
  }
}
