// Finds out what became of a transaction whose COMMIT was sent and never answered. The server
// keeps the outcome of every transaction with an id, so another connection can ask for it.
//
// One trap: after a crash the server may reuse the id of a transaction that had written nothing to
// disk. "aborted" is then still true of the first one, but "committed" may be about the second: it
// counts only if the server has not crashed since the transaction began.
import { delay } from '#core/clock.ts'
import { within } from '#core/deadline.ts'
import { StoreUnavailable } from '../db.ts'
import type { Connection, TransactionId } from './connection.ts'
import type { Pool } from './pool.ts'
import { serverIncarnation } from './session.ts'

export type LostCommit = TransactionId & { untilMs: number }

/** `id reused`: the server has crashed since, and some transaction with this id committed. */
export type Outcome = 'committed' | 'aborted' | 'id reused' | 'unknown'

const pauseMs = 100

export async function askOutcome(pool: Pool, lost: LostCommit): Promise<Outcome> {
  while (performance.now() < lost.untilMs) {
    const leftMs = Math.max(0, lost.untilMs - performance.now())
    const asked = pool.use((connection) => outcomeBy(connection, lost)).catch(whileAway)
    const seen = await within(leftMs, asked, () => 'in progress' as const)
    if (seen !== 'in progress') return seen
    await delay(pauseMs)
  }
  return 'unknown'
}

type OutcomeRow = { status: Outcome | 'in progress' | null; incarnation: string }

async function outcomeBy(connection: Connection, { xid, incarnation }: LostCommit) {
  try {
    const [row] = await connection.read<OutcomeRow>(
      `select pg_xact_status(($1::text)::xid8) as status, ${serverIncarnation} as incarnation`,
      [xid],
    )
    if (row?.status !== 'committed') return row?.status ?? 'unknown'
    return row.incarnation === incarnation ? 'committed' : 'id reused'
  } catch (error) {
    if (error instanceof StoreUnavailable) throw error
    // The id lies in the server's future: it has no trace of the transaction.
    return 'aborted'
  }
}

/** While the database is unreachable the outcome stays open, and is asked for again. */
function whileAway(error: unknown): 'in progress' {
  if (error instanceof StoreUnavailable) return 'in progress'
  throw error
}
