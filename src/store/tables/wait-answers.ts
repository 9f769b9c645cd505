// What people and machines outside do with the waits of runs: find them, read them, answer them.
import { type Lateness, latenessOf } from '#core/wait-answers.ts'
import type { Db, Param, Reader, Tx } from '../db.ts'
import type { Row, Stored } from '../table.ts'
import { type AuditEntry, insertAuditEntry } from './audit-entries.ts'
import { runTable } from './runs.ts'
import { answerWait, findWait, type WaitRow, wakeRun, wholeWait } from './waits.ts'

const ofRun = runTable.select('workflow_id', 'workflow_name', 'cost_micros', 'spender', 'metadata')

/** A wait with what is shown of its run, and whether it could be answered when it was read. */
export type KnownWait = WaitRow & Row<typeof ofRun> & { run_goes_on: number; read_at: number }

async function readJoined(db: Reader, rest: string, params: readonly Param[]) {
  const rows = await db.query<Stored<WaitRow> & Stored<Row<typeof ofRun>>>(
    `select ${wholeWait.of('w')}, ${ofRun.of('r')}, ${db.dialect.nowMs} as read_at,
       case when r.completed_at is null and r.cancel_requested_at is null
         and r.node_errors is null then 1 else 0 end as run_goes_on
     from waits w join runs r on r.account_id = w.account_id and r.id = w.run_id ${rest}`,
    params,
  )
  // Each half is decoded in place by its own table.
  wholeWait.read(rows)
  ofRun.read(rows)
  return rows as unknown as KnownWait[]
}

const ofAccount = `where w.account_id = $1 and w.kind <> 'BATCH'`

/** Undefined if the account has no such wait of this run. */
export async function readWait(db: Reader, accountId: string, runId: string, waitId: string) {
  const [known] = await readJoined(db, `${ofAccount} and w.run_id = $2 and w.id = $3`, [
    accountId,
    runId,
    waitId,
  ])
  return known
}

/** For whoever holds a token of it, which proves more than an account would. */
export async function readWaitById(db: Reader, waitId: string): Promise<KnownWait | undefined> {
  const [known] = await readJoined(db, `where w.id = $1 and w.kind <> 'BATCH'`, [waitId])
  return known
}

/** Open waits for an answer, oldest first, after the wait `after`. */
export const readOpenWaits = (
  db: Reader,
  accountId: string,
  { after, limit }: { after: string | null; limit: number },
): Promise<KnownWait[]> =>
  readJoined(
    db,
    `${ofAccount} and w.status = 'OPEN' and w.kind <> 'DELAY' and w.id > $2
     order by w.id limit $3`,
    [accountId, after ?? '00000000-0000-0000-0000-000000000000', limit],
  )

/** Of these addresses (in lower case), those of people who can sign in to the account. */
export async function presentMembers(
  db: Reader,
  accountId: string,
  emails: readonly string[],
): Promise<Set<string>> {
  if (emails.length === 0) return new Set()
  const rows = await db.query<{ email: string }>(
    `select lower(email) as email from users
     where account_id = $1 and lower(email) ${db.dialect.inList('$2', 'text')}
       and removed_at is null and disabled_at is null`,
    [accountId, db.dialect.list([...new Set(emails)])],
  )
  return new Set(rows.map(({ email }) => email))
}

/** What people call an answerer: an address, the name of a key. */
export async function namesOf(
  db: Reader,
  accountId: string,
  ids: readonly string[],
): Promise<Map<string, string>> {
  if (ids.length === 0) return new Map()
  const among = db.dialect.inList('$2', 'uuid')
  const rows = await db.query<{ id: string; name: string | null }>(
    `select id, coalesce(email, former_email, name) as name from users
     where account_id = $1 and id ${among}
     union all
     select id, name from api_keys where account_id = $1 and id ${among}`,
    [accountId, db.dialect.list(ids)],
  )
  return new Map(rows.flatMap(({ id, name }) => (name === null ? [] : [[id, name] as const])))
}

export type GivenAnswer = {
  accountId: string
  runId: string
  waitId: string
  /** JSON of the answer, or a reference to it. */
  held: string
  by: string
  from: string | null
  audit: AuditEntry
}

/** Stored, or too late: then `wait` says what came first. Undefined if there is no such wait. */
export type Outcome = { wait: WaitRow; late: Lateness | null } | undefined

/** Rolls the transaction back, so that an answer that lost wakes nobody. */
class TooLate extends Error {
  readonly outcome: Outcome
  constructor(outcome: Outcome) {
    super('the wait takes no answer')
    this.outcome = outcome
  }
}

/** Of any number of answers at once, the first to lock the run's row is stored and wakes it. */
export async function storeAnswer(db: Db, given: GivenAnswer): Promise<Outcome> {
  try {
    return await db.transaction((tx) => answerInside(tx, given))
  } catch (error) {
    if (error instanceof TooLate) return error.outcome
    throw error
  }
}

async function answerInside(tx: Tx, given: GivenAnswer): Promise<Outcome> {
  const { accountId, runId, waitId } = given
  const woken = await wakeRun(tx, accountId, runId)
  const wait = await findWait(tx, accountId, runId, waitId)
  if (!wait) throw new TooLate(undefined)
  const nowMs = await databaseNowMs(tx)
  const late = latenessOf(wait, { goesOn: woken?.canBeAnswered ?? false, nowMs })
  if (late !== null) throw new TooLate({ wait, late })
  const { held, by, from } = given
  await answerWait(tx, wait, { held, by, from, nowMs })
  await insertAuditEntry(tx, given.audit)
  const answered = { answer: held, answered_by: by, answered_from: from, answered_at: nowMs }
  return { wait: { ...wait, ...answered, status: 'ANSWERED' }, late: null }
}

/** The clock that times are measured by; those of processes may disagree. */
async function databaseNowMs(tx: Tx): Promise<number> {
  const [row] = await tx.query<{ now_ms: number }>(`select ${tx.dialect.nowMs} as now_ms`)
  return Number(row?.now_ms ?? 0)
}
