import type { Snapshot } from '../table-rows.ts'
import { readAddress } from './address.ts'
import { postgresDialect } from './dialect.ts'
import { limitTransactions, postgresLimits } from './limits.ts'
import { openTransport } from './transport.ts'

const connectWithinMs = 15_000

// No time limits, neither ours nor any configured for the role: tables may be of any size.
const begin = [
  'begin isolation level repeatable read, read only',
  'set local statement_timeout = 0',
  'set local idle_in_transaction_session_timeout = 0',
  limitTransactions(0, 'transaction'),
].join('; ')

/** A snapshot of the database, read over a connection of its own. */
export async function openPostgresSnapshot(url: string): Promise<Snapshot> {
  const transport = openTransport(readAddress(url), postgresLimits(connectWithinMs), {
    onLost() {},
    onNotify() {},
  })
  try {
    await transport.sendAll(begin)
  } catch (error) {
    await transport.end()
    throw error
  }
  transport.silenceLimit.suspend()
  return {
    dialect: postgresDialect,
    query: async <Row>(sql: string, params = []) =>
      [...(await transport.send(sql, params))] as unknown as Row[],
    [Symbol.asyncDispose]: () => transport.end(),
  }
}
