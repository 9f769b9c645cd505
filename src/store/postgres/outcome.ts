// What became of a transaction whose COMMIT was sent and never answered. The server keeps the
// outcome of every numbered transaction, so that it can be asked for over another connection.
//
// One trap: a server that crashed may give a number out again whose first owner had written
// nothing to disk. "aborted" is then still true of the first owner, "committed" need not be:
// it counts only where the server lives the same life as when the transaction began.
import { delay } from '#core/clock.ts'
import { within } from '#core/deadline.ts'
import { StoreUnavailable } from '../db.ts'
import type { Connection, Numbered } from './connection.ts'
import type { Pool } from './pool.ts'
import { lifeOfServer } from './session.ts'

export type LostCommit = Numbered & { untilMs: number }

/** `numbered again`: the server crashed since, and some transaction of this number committed. */
export type Outcome = 'committed' | 'aborted' | 'numbered again' | 'unknown'

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

/** Also "in progress" while nobody answers: it is asked again. */
async function outcomeBy(connection: Connection, { xid, life }: LostCommit) {
  try {
    const [row] = await connection.read<{ status: Outcome | 'in progress' | null; life: string }>(
      `select pg_xact_status(($1::text)::xid8) as status, ${lifeOfServer} as life`,
      [xid],
    )
    if (row?.status !== 'committed') return row?.status ?? 'unknown'
    return row.life === life ? 'committed' : 'numbered again'
  } catch (error) {
    if (error instanceof StoreUnavailable) throw error
    // A number of the future: the server has no trace of it.
    return 'aborted'
  }
}

function whileAway(error: unknown): 'in progress' {
  if (error instanceof StoreUnavailable) return 'in progress'
  throw error
}
