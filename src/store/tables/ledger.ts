import type { Via } from '#core/route.ts'
import type { Param, Reader, Statement, Tx, Writer } from '../db.ts'
import { type SpendDay, upsertDays } from './day-sums.ts'
import { upsertScopeDays } from './scope-days.ts'
import type { Ended, Outcome, Settled, Settlement, Units } from './settlement.ts'
import { upsertQuarters, upsertTaggedQuarters } from './usage-quarters.ts'

export type Attempt = {
  attempt: string
  accountId: string
  keyId: string | null
  taskId: string | null
  runId: string | null
  nodeId: string | null
  operation: 'chat' | 'embedding' | 'speech' | 'transcription' | 'image' | 'video'
  provider: string
  /** The name of the account's credential whose key is billed; otherwise it is the server's key. */
  credential?: string | undefined
  model: string
  unitPrice: string | null
  reservedMicros: number
  createdAtMs: number
  tag?: string | undefined
  via?: Via | undefined
  /** The process that makes it, as its lease names it. */
  holder?: string | null
}

/** What is known about an attempt before the call. Both statements that add one begin with it. */
const intentColumns = `attempt, account_id, key_id, task_id, run_id, node_id, operation, provider,
  credential, model, unit_price, reserved_micros, created_at, tag, via`

const intentCells = (a: Attempt): Param[] => [
  a.attempt,
  a.accountId,
  a.keyId,
  a.taskId,
  a.runId,
  a.nodeId,
  a.operation,
  a.provider,
  a.credential ?? null,
  a.model,
  a.unitPrice,
  a.reservedMicros,
  a.createdAtMs,
  a.tag ?? null,
  a.via ? JSON.stringify(a.via) : null,
]

export const openAttempt = (db: Writer, attempt: Attempt) =>
  db.write(
    `insert into ledger (${intentColumns}, holder, outcome, stored_at)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, 'PENDING',
       ${db.dialect.nowMs})`,
    [...intentCells(attempt), attempt.holder ?? null],
  )

/** Notified when a reservation has ended, for those who wait for room under a spend limit. */
export const spendFreed = 'spend'

/** For an attempt whose process died: it may have been billed, so it counts as spent. */
export const outcomeLost = (
  a: Pick<Attempt, 'attempt' | 'unitPrice' | 'reservedMicros'>,
  nowMs: number,
): Settlement => ({
  attempt: a.attempt,
  outcome: 'UNKNOWN',
  units: {},
  costMicros: a.unitPrice === null ? null : a.reservedMicros,
  nowMs,
  remark: 'LOST',
})

const settlePending = (tx: Tx, s: Settlement) =>
  tx.write<Settled>(
    `update ledger set outcome = $2, units = $3, cost_micros = $4, settled_at = $5, remark = $6,
       unit_price = coalesce($7, unit_price), via = coalesce($8, via),
       workflow_id = (select r.workflow_id from runs r where r.id = ledger.run_id)
     where attempt = $1 and outcome = 'PENDING'
     returning account_id, key_id, model, workflow_id, credential, tag`,
    [
      ...[s.attempt, s.outcome, JSON.stringify(s.units), s.costMicros, s.nowMs],
      ...[s.remark ?? null, s.unitPrice ?? null, s.via ?? null],
    ],
  )

/**
 * Settles attempts and adds them to the sums. An attempt is settled once; repeats do nothing. The
 * process that made the call knows best: if another settled it as LOST, that is reversed first.
 */
export async function settleAttempts(tx: Tx, settlements: readonly Settlement[]) {
  const rows = await Promise.all(settlements.map((s) => settlePending(tx, s)))
  const ended: Ended[] = []
  for (const [index, settlement] of settlements.entries()) {
    const settled = rows[index]?.[0]
    if (settled) ended.push({ settled, settlement })
    else ended.push(...(await correct(tx, settlement)))
  }
  for (const statement of sumsOf(ended)) await tx.run(statement)
}

type Lost = { run_id: string | null; cost_micros: number | null; settled_at: number }

async function correct(tx: Tx, settlement: Settlement): Promise<Ended[]> {
  if (settlement.remark === 'LOST') return []
  const { attempt } = settlement
  const [lost] = await tx.write<Settled & Lost>(
    `update ledger set outcome = 'PENDING', remark = null where attempt = $1 and remark = 'LOST'
     returning account_id, key_id, model, workflow_id, credential, tag, run_id, cost_micros,
       settled_at`,
    [attempt],
  )
  const [settled] = lost ? await settlePending(tx, settlement) : []
  if (!lost || !settled) return []
  // If the run has ended, it was charged the guess: this makes its cost be added up again.
  if (lost.run_id) await tx.write('update runs set in_flight = 1 where id = $1', [lost.run_id])
  const { cost_micros: costMicros, settled_at: nowMs } = lost
  const guess: Settlement = { attempt, outcome: 'UNKNOWN', units: {}, costMicros, nowMs }
  return [
    { settled: lost, settlement: guess, times: -1 },
    { settled, settlement },
  ]
}

/**
 * What a person says a call did cost whose outcome nobody knows. It counts for the time at which it
 * was settled first, so that no sum of another month changes. False if it is settled by now.
 */
export async function settleUnknown(
  tx: Tx,
  accountId: string,
  { attempt, costMicros }: { attempt: string; costMicros: number },
): Promise<boolean> {
  const [before] = await tx.query<{ cost_micros: number | null; units: string | null }>(
    `select cost_micros, units from ledger where account_id = $1 and attempt = $2`,
    [accountId, attempt],
  )
  const [row] = await tx.write<Settled & Lost & { task_id: string | null }>(
    `update ledger set cost_micros = $3, remark = 'SETTLED'
     where account_id = $1 and attempt = $2 and outcome = 'UNKNOWN'
       and coalesce(remark, '') <> 'SETTLED'
     returning account_id, key_id, model, workflow_id, credential, tag, run_id, task_id,
       cost_micros, settled_at`,
    [accountId, attempt, costMicros],
  )
  if (!row || !before) return false
  const units: Units = before.units === null ? {} : JSON.parse(before.units)
  const same = { attempt, outcome: 'UNKNOWN' as const, units, nowMs: row.settled_at }
  const guess = { ...same, costMicros: before.cost_micros }
  const reversed = { settled: row, settlement: guess, times: -1 as const }
  const ended: Ended[] = [reversed, { settled: row, settlement: { ...same, costMicros } }]
  for (const statement of sumsOf(ended)) await tx.run(statement)
  // Makes the cost of an ended run be added up again.
  if (row.run_id) {
    const again = 'update runs set in_flight = 1 where id = $1 and account_id = $2'
    await tx.write(again, [row.run_id, accountId])
  }
  if (row.task_id) {
    const cost = 'update tasks set cost_micros = $3 where id = $1 and account_id = $2'
    await tx.write(cost, [row.task_id, accountId, costMicros])
  }
  tx.notify(spendFreed)
  return true
}

/** Most chats have neither a tag nor a workflow, and write no more than they must. */
function sumsOf(ended: readonly Ended[]): Statement[] {
  const statements = [upsertDays(ended), upsertQuarters(ended)]
  const tagged = upsertTaggedQuarters(ended)
  if (tagged) statements.push(tagged)
  const scoped = upsertScopeDays(ended)
  if (scoped) statements.push(scoped)
  return statements
}

/** An attempt without a PENDING row: a chat or other call outside runs, with the server's key. */
export type SettledChat = { intent: Attempt; settlement: Settlement }

/** Adds settled attempts, also to the sums. UniqueViolation if one is already in the ledger. */
export function addSettled(chats: readonly SettledChat[]): Statement[] {
  const ended = chats.map(
    ({ intent: { accountId: account_id, keyId: key_id, model, tag }, settlement }) => ({
      settled: { account_id, key_id, model, workflow_id: null, credential: null, tag },
      settlement,
    }),
  )
  return [insertSettled(chats), ...sumsOf(ended)]
}

// Returning a row would cost as much as writing it.
const insertSettled = (chats: readonly SettledChat[]): Statement => ({
  sql: `insert into ledger (${intentColumns}, outcome, units, cost_micros, settled_at, remark)
   values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19,
     $20)`,
  rows: chats.map(({ intent, settlement: s }) => {
    const cells = intentCells(intent)
    cells.push(s.outcome, JSON.stringify(s.units), s.costMicros, s.nowMs, s.remark ?? null)
    return cells
  }),
})

/** Null if there is no such attempt. */
export async function outcomeOf(db: Reader, attempt: string): Promise<Outcome | null> {
  const [row] = await db.query<{ outcome: Outcome }>(
    'select outcome from ledger where attempt = $1',
    [attempt],
  )
  return row?.outcome ?? null
}

/** Which of these attempts the ledger has. */
export async function knownAttempts(
  db: Reader,
  attempts: readonly string[],
): Promise<ReadonlySet<string>> {
  const known = new Set<string>()
  for (const attempt of attempts) {
    const [row] = await db.query('select 1 as one from ledger where attempt = $1', [attempt])
    if (row) known.add(attempt)
  }
  return known
}

export const spendDays = (db: Reader, accountId: string, fromDay: string, toDay: string) =>
  db.query<SpendDay>(
    `select * from spend_days where account_id = $1 and day between $2 and $3
     order by day desc, model, key_id`,
    [accountId, fromDay, toDay],
  )

export type DaySpend = { day: string; key_id: string; cost_micros: number }

/** What each key, or nobody's key (''), spent on each day since `fromDay`. */
export const spendByDay = (db: Reader, accountId: string, fromDay: string) =>
  db.query<DaySpend>(
    `select day, key_id, cast(sum(cost_micros) as bigint) as cost_micros from spend_days
     where account_id = $1 and day >= $2 group by day, key_id order by day, key_id`,
    [accountId, fromDay],
  )

/** The models that the account called since `fromDay`. */
export const modelsUsed = (db: Reader, accountId: string, fromDay: string) =>
  db
    .query<{ model: string }>(
      `select model from spend_days where account_id = $1 and day >= $2 group by model`,
      [accountId, fromDay],
    )
    .then((rows) => rows.map(({ model }) => model))

export type AbandonedAttempt = {
  attempt: string
  unit_price: string | null
  reserved_micros: number
}

export const abandoned = (a: AbandonedAttempt, nowMs: number): Settlement =>
  outcomeLost(
    { attempt: a.attempt, unitPrice: a.unit_price, reservedMicros: a.reserved_micros },
    nowMs,
  )

/** Attempts of processes whose lease has ended. A task is continued by its next owner. */
export const attemptsWithoutHolder = (db: Reader, limit: number) =>
  db.query<AbandonedAttempt & { now_ms: number }>(
    `select attempt, unit_price, reserved_micros, ${db.dialect.nowMs} as now_ms from ledger
     where outcome = 'PENDING' and task_id is null and holder is not null
       and holder not in (select id from workers) limit $1`,
    [limit],
  )

/**
 * Chats and other calls without a task, stored so long ago that nobody will settle them any more:
 * their process died. What is in a vendor's batch waits for that.
 */
export const abandonedChats = (db: Reader, afterMs: number, limit: number) =>
  db.query<AbandonedAttempt>(
    `select attempt, unit_price, reserved_micros from ledger
     where outcome = 'PENDING' and task_id is null
       and coalesce(stored_at, created_at) < (select ${db.dialect.nowMs}) - $1
       and not exists (select 1 from economy_calls e where e.id = ledger.attempt) limit $2`,
    [afterMs, limit],
  )
