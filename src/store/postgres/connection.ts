import { type Param, StoreUnavailable } from '../db.ts'
import type { ServerAddress } from './address.ts'
import type { PostgresLimits } from './limits.ts'
import { startOfPooled, startOfSession, startOfTransaction } from './session.ts'
import { openTransport } from './transport.ts'
import { storableParams } from './types.ts'

const maxPrepared = 500

/** Identifies a transaction, so that its outcome can be asked for later. */
export type TransactionId = { xid: string; incarnation: string }

/**
 * One physical connection. Statements are sent in the order of the calls, without waiting for the
 * answers to earlier ones. It never reconnects: the rest of a transaction whose connection broke
 * would otherwise run over a new one, outside any transaction.
 */
export type Connection = {
  run<Row>(sql: string, params?: readonly Param[]): Promise<Row[]>
  /** One statement, outside any transaction of the caller. */
  read<Row>(sql: string, params?: readonly Param[]): Promise<Row[]>
  begin(): Promise<TransactionId>
  /** Resolves with what the server did: a commit after a failed statement is a rollback. */
  control(word: 'commit' | 'rollback'): Promise<string>
  /** Suspended for migrations, and for processes that wait for one: they may take any time. */
  readonly silenceLimit: { suspend(): void; resume(): void }
  isOpen(): boolean
  /** Disconnects at once, because the state of the connection is unknown. */
  discard(error: unknown): void
  /** True once it has too many prepared statements on the server. */
  shouldBeReplaced(): boolean
  end(): Promise<void>
}

export type ConnectionOptions = {
  address: ServerAddress
  limits: PostgresLimits
  /** Whether it leads to a pooler that may use another server connection for every transaction. */
  usesTransactionPooling: boolean
}

type ConnectionEvents = {
  onLost(connection: Connection, error: unknown): void
  onNotify?(channel: string): void
}

export function openConnection(
  { address, limits, usesTransactionPooling }: ConnectionOptions,
  { onLost, onNotify }: ConnectionEvents,
): Connection {
  const transport = openTransport(address, limits, {
    onLost: (error) => onLost(connection, error),
    onNotify: (channel) => onNotify?.(channel),
  })
  // One object per text: the library keeps an entry for ever per object whose statement failed.
  const texts = new Map<string, readonly [string]>()

  async function run<Row>(sql: string, params: readonly Param[] = []) {
    const storable = storableParams(params)
    if (texts.size < maxPrepared && !texts.has(sql)) texts.set(sql, [sql])
    return [...(await transport.send(sql, storable, texts.get(sql)))] as Row[]
  }

  const session = usesTransactionPooling
    ? pooledSession(transport, limits, run)
    : ownSession(transport, limits, address, run)
  const connection: Connection = {
    run,
    ...session,
    control: transport.control,
    silenceLimit: transport.silenceLimit,
    isOpen: transport.isOpen,
    discard: transport.lose,
    shouldBeReplaced: () => texts.size >= maxPrepared,
    end: transport.end,
  }
  return connection
}

type Transport = ReturnType<typeof openTransport>
type Session = Pick<Connection, 'read' | 'begin'>

/** A session of our own, set up once: everything runs under its settings. */
function ownSession(
  transport: Transport,
  limits: PostgresLimits,
  address: ServerAddress,
  run: Connection['run'],
): Session {
  async function start(): Promise<string> {
    try {
      const facts = (await transport.sendAll(startOfSession(limits))).at(-1)?.[0]
      if (facts?.is_read_only === 'on') {
        address.firstHost += 1
        throw new StoreUnavailable('the server is read-only (a standby?)')
      }
      return String(facts?.incarnation)
    } catch (error) {
      transport.lose(error)
      throw error
    }
  }
  const incarnation = start()
  // Perhaps nobody awaits it; its failure must not become an unhandled rejection.
  incarnation.catch(() => {})
  return {
    read: run,
    async begin() {
      const [, rows] = await transport.sendAll(startOfTransaction)
      return { xid: String(rows?.[0]?.xid), incarnation: await incarnation }
    },
  }
}

/** A pooler in transaction mode keeps no setting longer, so even a single read is a transaction. */
function pooledSession(
  transport: Transport,
  limits: PostgresLimits,
  run: Connection['run'],
): Session {
  const start = startOfPooled(limits)
  return {
    async read<Row>(sql: string, params: readonly Param[] = []) {
      // Sent together. If the library repeats the statement after the commit, it is only a read.
      const [, rows] = await Promise.all([
        transport.sendAll(start.reading),
        run<Row>(sql, params),
        transport.control('commit'),
      ])
      return rows
    },
    async begin() {
      const id = (await transport.sendAll(start.transaction)).at(-1)?.[0]
      return { xid: String(id?.xid), incarnation: String(id?.incarnation) }
    },
  }
}
