import { type Param, StoreUnavailable } from '../db.ts'
import type { ServerAddress } from './address.ts'
import type { PostgresLimits } from './limits.ts'
import { startOfBorrowed, startOfSession, startOfTransaction } from './session.ts'
import { openTransport } from './transport.ts'
import { checkParams } from './types.ts'

const maxPrepared = 500

/** By which the outcome of a transaction can be asked for later. */
export type Numbered = { xid: string; life: string }

/**
 * One physical connection for life: statements go out in the order of the calls, without
 * waiting for one another's answers. It never reconnects, so that a transaction whose
 * connection broke cannot go on, outside of any transaction, over a new one.
 */
export type Connection = {
  run<Row>(sql: string, params?: readonly Param[]): Promise<Row[]>
  /** One statement outside of any transaction of the caller. */
  read<Row>(sql: string, params?: readonly Param[]): Promise<Row[]>
  begin(): Promise<Numbered>
  /** Resolves with what the server did: a commit after a failed statement is a rollback. */
  control(word: 'commit' | 'rollback'): Promise<string>
  /** A migration may take any time, and so may its peers that wait for it. */
  mayBeSilent(may: boolean): void
  isOpen(): boolean
  /** Disconnects at once: nobody knows what state it is in. */
  discard(error: unknown): void
  /** Whether the server keeps so many prepared statements for it that a new one is better. */
  isWorn(): boolean
  end(): Promise<void>
}

export type ConnectionOptions = {
  address: ServerAddress
  limits: PostgresLimits
  /** A pooler gives it another connection to the server with every transaction. */
  isBorrowed: boolean
}

type ConnectionEvents = {
  onLost(connection: Connection, error: unknown): void
  onNotify?(channel: string): void
}

export function openConnection(
  { address, limits, isBorrowed }: ConnectionOptions,
  { onLost, onNotify }: ConnectionEvents,
): Connection {
  const transport = openTransport(address, limits, {
    onLost: (error) => onLost(connection, error),
    onNotify: (channel) => onNotify?.(channel),
  })
  // The library keeps one entry for ever per text object whose statement failed.
  const texts = new Map<string, readonly [string]>()

  async function run<Row>(sql: string, params: readonly Param[] = []) {
    checkParams(params)
    if (texts.size < maxPrepared && !texts.has(sql)) texts.set(sql, [sql])
    return [...(await transport.send(sql, params, texts.get(sql)))] as Row[]
  }

  const own = isBorrowed
    ? borrowedSession(transport, limits, run)
    : ownSession(transport, limits, address, run)
  const connection: Connection = {
    run,
    ...own,
    control: transport.control,
    mayBeSilent: transport.mayBeSilent,
    isOpen: transport.isOpen,
    discard: transport.lose,
    isWorn: () => texts.size >= maxPrepared,
    end: transport.end,
  }
  return connection
}

type Transport = ReturnType<typeof openTransport>
type Session = Pick<Connection, 'read' | 'begin'>

/** Set up once; everything runs under its settings. */
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
        throw new StoreUnavailable('the server is read-only, as a standby is')
      }
      return String(facts?.life)
    } catch (error) {
      transport.lose(error)
      throw error
    }
  }
  const life = start()
  // Nobody may ask for it.
  life.catch(() => {})
  return {
    read: run,
    async begin() {
      const [, numbered] = await transport.sendAll(startOfTransaction)
      return { xid: String(numbered?.[0]?.xid), life: await life }
    },
  }
}

/** Nothing outlives a transaction, so that even one statement is read in one. */
function borrowedSession(
  transport: Transport,
  limits: PostgresLimits,
  run: Connection['run'],
): Session {
  const start = startOfBorrowed(limits)
  return {
    async read<Row>(sql: string, params: readonly Param[] = []) {
      // Sent together. A statement that the library repeats after the end still reads the same.
      const [, rows] = await Promise.all([
        transport.sendAll(start.reading),
        run<Row>(sql, params),
        transport.control('commit'),
      ])
      return rows
    },
    async begin() {
      const numbered = (await transport.sendAll(start.transaction)).at(-1)?.[0]
      return { xid: String(numbered?.xid), life: String(numbered?.life) }
    },
  }
}
