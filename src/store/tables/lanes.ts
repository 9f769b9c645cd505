import { type LaneState, newLane } from '#core/lane.ts'
import type { Db, Writer } from '../db.ts'

/** Reads the state, lets it be changed and writes it, while everybody else waits. */
export const changeLane = <T>(
  db: Db,
  key: string,
  change: (state: LaneState, nowMs: number) => T,
): Promise<T> =>
  db.transaction(async (tx) => {
    const [row] = await tx.write<{ state: string; changed_at: number | string }>(
      `insert into lanes (key, state, changed_at) values ($1, '', ${db.dialect.nowMs})
       on conflict (key) do update set changed_at = excluded.changed_at
       returning state, changed_at`,
      [key],
    )
    const state = row?.state ? (JSON.parse(row.state) as LaneState) : newLane()
    const changed = change(state, Number(row?.changed_at))
    await tx.write(`update lanes set state = $2 where key = $1`, [key, JSON.stringify(state)])
    return changed
  })

/** Nobody has used them for so long that their limits have filled up again. */
export async function deleteOldLanes(db: Writer, beforeMs: number): Promise<void> {
  await db.write(`delete from lanes where changed_at < $1`, [beforeMs])
}
