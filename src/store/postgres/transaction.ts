// One transaction on one connection: its statements are sent without waiting for earlier answers,
// and it is over only when its outcome is known.
import { CommitUnknown, type Param, type Statement, StoreUnavailable, type Tx } from '../db.ts'
import { openTxScope } from '../tx-scope.ts'
import type { Connection } from './connection.ts'
import { postgresDialect } from './dialect.ts'
import { isConflict } from './errors.ts'
import { limitTransactions } from './limits.ts'
import type { LostCommit, Outcome } from './outcome.ts'

const maxAttempts = 5

export async function repeatConflicts<T>(attempt: () => Promise<T>): Promise<T> {
  for (let left = maxAttempts - 1; ; left--) {
    try {
      return await attempt()
    } catch (error) {
      if (left === 0 || !isConflict(error)) throw error
    }
  }
}

/** How to find the outcome of a transaction whose COMMIT was not answered. */
export type Ending = { outcomeMs: number; outcomeOf(lost: LostCommit): Promise<Outcome> }

type Running<T> = {
  isStored?: ((value: T) => Promise<boolean>) | undefined
  mayTakeLong?: true | undefined
}

/**
 * COMMIT is never sent along with the statements: the library repeats a statement whose prepared
 * plan is outdated, and would then do so after the commit.
 */
export async function runTransaction<T>(
  connection: Connection,
  work: (tx: Tx) => Promise<T>,
  ending: Ending,
  { isStored, mayTakeLong }: Running<T> = {},
) {
  const statements: Promise<unknown>[] = []
  // Statements after the first that fails also fail, but say only that the transaction is aborted.
  let first: { error: unknown } | undefined
  const send = async <Row>(sql: string, params: readonly Param[]) => {
    try {
      return await connection.run<Row>(sql, params)
    } catch (error) {
      first ??= { error }
      throw first.error
    }
  }
  const scope = openTxScope(postgresDialect, async <Row>({ sql, rows }: Statement<Row>) => {
    const runs = rows.map((params) => send<Row>(sql, params))
    statements.push(...runs)
    return (await Promise.all(runs)).flat()
  })
  const untilMs = performance.now() + ending.outcomeMs
  // Not awaited: the first statement is sent along with it, and also fails if it fails.
  const begun = connection.begin()
  begun.catch(() => {})
  let value: T
  try {
    if (mayTakeLong) liftLimits(connection)
    value = await work(scope.tx)
    await Promise.allSettled(statements)
    const failure = scope.end() ?? first
    if (failure) throw failure.error
  } catch (error) {
    scope.end()
    await Promise.allSettled(statements)
    // A connection that cannot be rolled back must not be used by anyone else.
    await connection.control('rollback').catch((cause) => connection.discard(cause))
    // `work` may have wrapped a conflict, which must be recognised to be tried again.
    throw isConflict(first?.error) ? first?.error : error
  } finally {
    connection.silenceLimit.resume()
  }
  const lost = { ...(await begun), untilMs }
  await commit(connection, ending, lost, isStored && (() => isStored(value)))
  return { value, channels: scope.channels }
}

function liftLimits(connection: Connection) {
  connection.silenceLimit.suspend()
  const lifted = ['set local statement_timeout = 0', limitTransactions(0, 'transaction')]
  for (const sql of lifted) connection.run(sql).catch(() => {})
}

/** Resolves once the transaction has committed, even if only another connection can tell. */
async function commit(
  connection: Connection,
  { outcomeOf }: Ending,
  lost: LostCommit,
  isStored: (() => Promise<boolean>) | undefined,
): Promise<void> {
  let failure: StoreUnavailable
  try {
    const ended = await connection.control('commit')
    if (ended !== 'COMMIT') throw new Error('the transaction was rolled back')
    return
  } catch (error) {
    if (!(error instanceof StoreUnavailable)) throw error
    failure = error
  }
  connection.discard(failure)
  const outcome = await outcomeOf(lost)
  if (outcome === 'committed') return
  if (outcome === 'aborted') throw failure
  if (outcome === 'id reused' && isStored) {
    const found = await isStored().catch(() => undefined)
    if (found === true) return
    if (found === false) throw failure
  }
  throw new CommitUnknown('the answer to a commit was lost', failure)
}
