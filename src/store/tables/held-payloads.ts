// What an unfinished run refers to. Payloads and media are deleted by their age, so a run that
// sleeps for long makes theirs count from now.
import type { Db, Reader } from '../db.ts'

/** Everything stored about a run in which a reference or an address of media may be. */
export async function textsOfRun(db: Reader, runId: string): Promise<string[]> {
  const rows = await db.query<{ held: string | null }>(
    `select inputs as held from runs where id = $1 union all select kept from runs where id = $1
     union all select result from steps where run_id = $1
     union all select value from waits where run_id = $1
     union all select answer from waits where run_id = $1`,
    [runId],
  )
  return rows.flatMap(({ held }) => (held === null ? [] : [held]))
}

export type Held = { payloads: readonly string[]; media: readonly string[] }

/** What was stored or renewed a moment ago need not be again, however often its run sleeps. */
const recentMs = 3_600_000

export async function renewHeld(
  db: Db,
  accountId: string,
  { payloads, media }: Held,
  nowMs: number,
): Promise<void> {
  const renew = (table: 'payloads' | 'media', ids: readonly string[]) => ({
    sql: `update ${table} set created_at = $1
      where account_id = $2 and id ${db.dialect.inList('$3', 'uuid')} and created_at < $4`,
    rows: ids.length === 0 ? [] : [[nowMs, accountId, db.dialect.list(ids), nowMs - recentMs]],
  })
  await db.writeAll(() => [renew('payloads', payloads), renew('media', media)])
}
