// Brings the keys of an account's finished calls up to date. Runs that sleep or wait make no calls,
// so a look costs nothing for them: what may have ended since the last one is a call of a run that
//
//   was made since then                            its identifier is after `upto` of the mark
//   was being executed then                        it is in `awake` of the mark
//   is being executed now                          a worker owns it
//   was woken or begun, and rests again            it is in the index `runs_rested`
//
// One that was claimed and released in between is looked at once it is claimed again.
import { firstUuidAt } from '#core/ids.ts'
import type { Db, Reader, Writer } from '../db.ts'
import { json, type Row, table, time, uuid } from '../table.ts'
import { copyKeys } from './reusable-calls.ts'
import type { Steps } from './steps.ts'

const marks = table({
  account_id: uuid,
  upto: uuid,
  awake: json<readonly string[]>(),
  looked_at: time,
})
type Mark = Omit<Row<typeof marks.all>, 'account_id'>

/**
 * `rest` is null while a run is being executed, or was released then. Otherwise it differs each time
 * that it comes to rest. A run that has not begun, or was only woken, rests.
 */
type Watched = { id: string; rest: number | null }
const watched = `id, case when completed_at is not null then -1
  when wake_at is not null or epoch = slept_epoch then slept_epoch end as rest`

const runsAtOnce = 200
/** Clocks differ, and a run may be committed so long after the time that it names. */
const lagMs = 60_000
/** Between marks, the same runs are asked for again. That is cheaper than a write for each look. */
const markAfterMs = 5_000
const first = '00000000-0000-0000-0000-000000000000'

/** Runs that were copied by this process, as they had come to rest: they have not changed since. */
export type Copied = Map<string, number>

export async function catchUp(
  { db, steps }: { db: Db; steps: Pick<Steps, 'inRows'> },
  accountId: string,
  { nowMs, copied }: { nowMs: number; copied: Copied },
): Promise<void> {
  const [mark] = await marks.all.query(
    db,
    `select ${marks.all.columns} from reuse_marks where account_id = $1`,
    [accountId],
  )
  const settled = firstUuidAt(nowMs - lagMs)
  /** Runs after this one are asked for again by the next look. */
  const recent = firstUuidAt(nowMs - lagMs - markAfterMs)
  const awake = new Set<string>()
  const resting: Copied = new Map()
  async function copy(runs: readonly Watched[]) {
    const changed = runs.filter(({ id, rest }) => rest === null || copied.get(id) !== rest)
    const ids = changed.map(({ id }) => id)
    // How the runs are was read before: what they had ended by then is copied now.
    await steps.inRows(ids)
    await copyKeys(db, accountId, ids)
  }
  const older = mark ? await changedSince(db, accountId, mark) : []
  for (let at = 0; at < older.length; at += runsAtOnce) await copy(older.slice(at, at + runsAtOnce))
  for (const { id, rest } of older) {
    if (rest === null) awake.add(id)
    else resting.set(id, rest)
  }
  let upto = mark?.upto ?? first
  for (let after = upto, isMore = true; isMore; ) {
    const runs = await db.query<Watched>(
      `select ${watched} from runs where account_id = $1 and id > $2 order by id limit $3`,
      [accountId, after, runsAtOnce],
    )
    await copy(runs)
    for (const { id, rest } of runs) {
      after = id
      if (rest !== null && id >= recent) resting.set(id, rest)
      if (id >= settled) continue
      upto = id
      if (rest === null) awake.add(id)
    }
    isMore = runs.length === runsAtOnce
  }
  copied.clear()
  for (const [id, rest] of resting) copied.set(id, rest)
  if (mark && nowMs - mark.looked_at < markAfterMs) return
  await setMark(db, accountId, { upto, awake: [...awake], looked_at: nowMs })
}

/** Runs up to the mark that may have ended calls since. */
async function changedSince(db: Reader, accountId: string, mark: Mark): Promise<Watched[]> {
  const { inList, list } = db.dialect
  const listed = await db.query<Watched>(
    `select ${watched} from runs where id ${inList('$1', 'uuid')}`,
    [list(mark.awake)],
  )
  const owned = await ownedRuns(db, accountId)
  // Asked for afterwards: a run that came to rest in between is found here.
  const rested = await db.query<Watched>(
    `select ${watched} from runs
     where account_id = $1 and coalesce(completed_at, slept_at) >= $2
       and (slept_at is not null or started_at - created_at > 30000)`,
    [accountId, mark.looked_at - lagMs],
  )
  const runs = new Map([...listed, ...owned, ...rested].map((run) => [run.id, run]))
  return [...runs.values()].filter(({ id }) => id <= mark.upto)
}

/** A query for each worker: in a join, either database may read all runs of the account instead. */
async function ownedRuns(db: Reader, accountId: string): Promise<Watched[]> {
  const workers = await db.query<{ id: string }>('select id from workers')
  const runs = workers.map(({ id }) =>
    db.query<Watched>(`select ${watched} from runs where owner = $1 and account_id = $2`, [
      id,
      accountId,
    ]),
  )
  return (await Promise.all(runs)).flat()
}

const setMark = (db: Writer, accountId: string, { upto, awake, looked_at }: Mark) =>
  db.write(
    `insert into reuse_marks (account_id, upto, awake, looked_at) values ($1, $2, $3, $4)
     on conflict (account_id) do update set upto = excluded.upto, awake = excluded.awake,
       looked_at = excluded.looked_at`,
    [accountId, upto, JSON.stringify(awake), looked_at],
  )
