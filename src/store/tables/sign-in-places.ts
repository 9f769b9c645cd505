import type { Reader, Writer } from '../db.ts'
import { integer, orNull, type Row, table, text, time } from '../table.ts'

const places = table({
  place: text(),
  is_first: integer,
  first_at: time,
  last_at: time,
  ip_address: text(),
  user_agent: orNull(text()),
}).all
export type SignInPlace = Row<typeof places>

export type Arrival = {
  userId: string
  /** What counts as one place, such as an address. */
  place: string
  ipAddress: string
  userAgent: string | null
  nowMs: number
}

/** A place that nobody came from for this long is forgotten, and would be new again. */
const keptMs = 90 * 24 * 3_600_000

/** Part of a sign-in. */
export async function arriveFrom(db: Writer, arrival: Arrival): Promise<void> {
  const { userId, place, ipAddress, userAgent, nowMs } = arrival
  await db.write('delete from sign_in_places where user_id = $1 and last_at < $2', [
    userId,
    nowMs - keptMs,
  ])
  await db.write(
    `insert into sign_in_places as p
       (user_id, place, is_first, first_at, last_at, ip_address, user_agent)
     select id, $2, case when exists (select 1 from sign_in_places where user_id = $1)
       then 0 else 1 end, $3, $3, $4, $5
     from users where id = $1
     on conflict (user_id, place) do update set last_at = excluded.last_at`,
    [userId, place, nowMs, ipAddress, userAgent],
  )
}

/** Places that the person first came from since then, although others were known. */
export const newPlaces = (db: Reader, userId: string, sinceMs: number): Promise<SignInPlace[]> =>
  places.query(
    db,
    `select ${places.columns} from sign_in_places
     where user_id = $1 and is_first = 0 and first_at >= $2 order by first_at desc limit 20`,
    [userId, sinceMs],
  )
