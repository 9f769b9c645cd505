import type { Param, Tx } from './db.ts'

/**
 * What the work of a transaction may use, and only while its turn lasts: a later statement
 * would run for somebody else. The first failure is kept, whatever the work does with it.
 */
export function openTxScope(run: Tx['query']) {
  const channels = new Set<string>()
  let over = false
  let failure: { error: unknown } | undefined

  async function guarded<Row>(sql: string, params?: readonly Param[]): Promise<Row[]> {
    if (over) throw new Error('this transaction is over')
    if (failure) throw failure.error
    try {
      return await run<Row>(sql, params)
    } catch (error) {
      failure ??= { error }
      throw error
    }
  }

  const tx: Tx = { query: guarded, write: guarded, notify: (channel) => void channels.add(channel) }
  return {
    tx,
    channels: channels as ReadonlySet<string>,
    /** Returns the first failure of a statement, if there was one. */
    end() {
      over = true
      return failure
    },
  }
}
