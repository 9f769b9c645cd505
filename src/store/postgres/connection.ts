import type { Param } from '../db.ts'
import { limitTransactions, type PostgresLimits } from './limits.ts'
import { openTransport } from './transport.ts'
import { checkParams } from './types.ts'

const maxPrepared = 500

/**
 * One physical connection for life: statements go out in the order of the calls, without
 * waiting for one another's answers. It never reconnects, so that a transaction whose
 * connection broke cannot go on, outside of any transaction, over a new one.
 */
export type Connection = {
  run<Row>(sql: string, params?: readonly Param[]): Promise<Row[]>
  /** Resolves with the transaction's number, by which its outcome can be asked for later. */
  begin(): Promise<string>
  /** Resolves with what the server did: a commit after a failed statement is a rollback. */
  control(word: 'commit' | 'rollback'): Promise<string>
  /** Names the life of the server: a crash ends it, and numbers may then be given out again. */
  readonly life: Promise<string>
  /** A migration may take any time, and so may its peers that wait for it. */
  mayBeSilent(may: boolean): void
  isOpen(): boolean
  /** Disconnects at once: nobody knows what state it is in. */
  discard(error: unknown): void
  /** Whether the server keeps so many prepared statements for it that a new one is better. */
  isWorn(): boolean
  end(): Promise<void>
}

type ConnectionEvents = {
  onLost(connection: Connection, error: unknown): void
  onNotify?(channel: string): void
}

export function openConnection(
  url: string,
  limits: PostgresLimits,
  { onLost, onNotify }: ConnectionEvents,
): Connection {
  const transport = openTransport(url, limits, {
    onLost: (error) => onLost(connection, error),
    onNotify: (channel) => onNotify?.(channel),
  })
  // The library keeps one entry for ever per text object whose statement failed.
  const texts = new Map<string, readonly [string]>()

  async function startSession(): Promise<string> {
    // A client that fell silent in the middle of a pipeline is not idle in the eyes of the server.
    const limit = limitTransactions(limits.statementMs, 'session')
    try {
      const [, life] = await transport.sendAll(`${limit}; ${lifeOfServer}`)
      return String(life?.[0]?.life)
    } catch (error) {
      transport.lose(error)
      throw error
    }
  }

  const connection: Connection = {
    async run<Row>(sql: string, params: readonly Param[] = []) {
      checkParams(params)
      if (texts.size < maxPrepared && !texts.has(sql)) texts.set(sql, [sql])
      return [...(await transport.send(sql, params, texts.get(sql)))] as Row[]
    },
    async begin() {
      const [, numbered] = await transport.sendAll(
        `begin; select pg_current_xact_id()::text as xid`,
      )
      return String(numbered?.[0]?.xid)
    },
    control: transport.control,
    life: startSession(),
    mayBeSilent: transport.mayBeSilent,
    isOpen: transport.isOpen,
    discard: transport.lose,
    isWorn: () => texts.size >= maxPrepared,
    end: transport.end,
  }
  // Nobody may ask for it.
  connection.life.catch(() => {})
  return connection
}

/** Statistics are thrown away in a crash and only then, unless someone asks for it. */
const lifeOfServer = `select concat(pg_postmaster_start_time(), ' ', stats_reset) as life
  from pg_stat_bgwriter`
