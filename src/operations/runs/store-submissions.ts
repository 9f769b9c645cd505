// Makes runs of submissions, those of one moment together. Promises that of submissions with one
// key one makes the run and the others find it, that numbers and times of a list only grow, and
// that no account has more waiting than it may.
import type { Clock } from '#core/clock.ts'
import { Failure } from '#core/errors.ts'
import type { Spender } from '#core/generation.ts'
import { sequencedUuid } from '#core/ids.ts'
import {
  type Db,
  GuardFailed,
  type Reader,
  type Statement,
  type Tx,
  UniqueViolation,
} from '#store/db.ts'
import { insertRuns, lockQueue, type NewRun, type OfferedPlaces } from '#store/tables/new-runs.ts'
import { leaseOf } from '#store/tables/run-work.ts'
import {
  countQueuedRuns,
  findRunsById,
  findRunsByKey,
  type KnownKey,
  runList,
} from '#store/tables/runs.ts'
import { continueList, lastOfList, returnNumbers, takeNumbers } from '#store/tables/sequences.ts'
import { putSteps, type StepRow } from '#store/tables/steps.ts'

export type RunOrder = Omit<
  NewRun,
  'id' | 'account_id' | 'seq' | 'spender' | 'created_at' | 'run_at' | 'deadline_at'
> & {
  /** Outcomes of another run to begin with. */
  steps?: readonly StepRow[]
}

export type Submission = {
  /** Account and workflow. */
  list: string
  principal: Spender
  order: RunOrder
  resolve(outcome: { run: KnownKey; isNew: boolean }): void
  reject(error: unknown): void
}
export type StoreParts = {
  db: Db
  clock: Clock
  maxQueued: number
  queueTimeoutMs: number
  /** Asked where nothing of the account waits; at most `wanted`. */
  offerPlaces?(accountId: string, wanted: number): OfferedPlaces | null
}
type Answer = () => void

/** Whether keys are looked up first. */
type Try = StoreParts & { look: boolean }

const maxAttempts = 4

/** Nearly every key is new, so that the first try looks none up. */
export async function storeSubmissions(
  parts: StoreParts,
  take: () => readonly Submission[],
): Promise<Answer[]> {
  const store = parts.db.isShared ? storeAmongOthers : storeAlone
  for (let attempt = 1; ; attempt++) {
    try {
      return await store({ ...parts, look: attempt > 1 }, take)
    } catch (error) {
      // A key has its run already, perhaps since a moment ago: the next try finds it.
      const isLate = error instanceof UniqueViolation || error instanceof GuardFailed
      if (!isLate || attempt === maxAttempts) throw error
    }
  }
}

/** Submissions of one account to one workflow. */
type Group = {
  accountId: string
  workflowId: number
  byKey: ReadonlyMap<string, readonly Submission[]>
}

function groupsOf(batch: readonly Submission[]): Group[] {
  const groups = [...Map.groupBy(batch, ({ list }) => list)]
  // In one order everywhere, so that two processes never wait for each other's lists.
  return groups
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .flatMap(([, group]) => {
      const [head] = group
      if (!head) return []
      const byKey = Map.groupBy(group, ({ order }) => order.idempotency_key)
      const { accountId } = head.principal
      return [{ accountId, workflowId: head.order.workflow_id, byKey }]
    })
}

/**
 * The one process on its database looks first, and writes all at once: the writer need not wait
 * for it. Should a list have grown meanwhile nothing is written. Runs for which its worker has a
 * place need not be claimed: they are stored as begun.
 */
async function storeAlone(parts: Try, take: () => readonly Submission[]): Promise<Answer[]> {
  const offers: OfferedPlaces[] = []
  try {
    return await storeWithPlaces(parts, take, offers)
  } catch (error) {
    for (const offer of offers) offer.giveBack()
    throw error
  }
}

async function storeWithPlaces(
  parts: Try,
  take: () => readonly Submission[],
  offers: OfferedPlaces[],
): Promise<Answer[]> {
  const { db, clock } = parts
  const statements: Statement[] = []
  const answers: Answer[] = []
  /** Of accounts that submit to several workflows at once. */
  const queued = new Map<string, number>()
  let isAnyQueued = false
  for (const group of groupsOf(take())) {
    const { accountId, workflowId } = group
    const list = runList(workflowId)
    const before = await lastOfList(db, accountId, list)
    const waiting =
      (await countQueuedRuns(db, accountId, parts.maxQueued)) + (queued.get(accountId) ?? 0)
    const room = Math.max(0, parts.maxQueued - waiting)
    const known = await knownRuns(db, parts, group, room)
    const createdAtMs = Math.max(before.createdAtMs, clock.nowMs())
    const made = makeRuns(parts, group, { known, room, firstSeq: before.seq + 1, createdAtMs })
    answers.push(...made.answers)
    const count = made.rows.length
    if (count === 0) continue
    const isFirstTry = !parts.look
    const offer = isFirstTry && waiting === 0 ? parts.offerPlaces?.(accountId, count) : null
    if (offer) {
      offers.push(offer)
      answers.push(() => offer.begin(made.rows.slice(0, offer.count)))
    }
    const left = count - (offer?.count ?? 0)
    isAnyQueued ||= left > 0
    queued.set(accountId, (queued.get(accountId) ?? 0) + left)
    statements.push(
      continueList(accountId, list, { after: before.seq, seq: before.seq + count, createdAtMs }),
      insertRuns(db.dialect, made.rows, offer ?? undefined),
      putSteps(db.dialect, made.steps),
    )
  }
  if (statements.length === 0) return answers
  // Only a worker that has its lease can be given runs.
  const leases = offers.slice(0, 1).map(({ taken }) => leaseOf(db.dialect, taken.owner))
  const options = isAnyQueued ? { notify: 'runs' } : undefined
  await db.writeAll(() => [...leases, ...statements], options)
  return answers
}

async function storeAmongOthers(parts: Try, take: () => readonly Submission[]): Promise<Answer[]> {
  const store = async (tx: Tx) => {
    const stored: StoredGroup[] = []
    for (const group of groupsOf(take())) stored.push(await storeGroup(tx, parts, group))
    tx.notify('runs')
    return stored
  }
  const stored = await parts.db.transaction(store, {
    // All or none: the last of them stands for the others.
    async wasMade(db, groups) {
      const last = groups.flatMap(({ rows }) => rows).at(-1)
      return !last || (await findRunsById(db, [last.id])).length === 1
    },
  })
  return stored.flatMap(({ answers }) => answers)
}

type StoredGroup = { rows: readonly NewRun[]; answers: Answer[] }

async function storeGroup(tx: Tx, parts: Try, group: Group): Promise<StoredGroup> {
  const { accountId, workflowId, byKey } = group
  const { dialect } = tx
  const list = runList(workflowId)
  // Sent together, done in this order: both locks come first, so that what is found then stays
  // true.
  const [, taken, waiting] = await Promise.all([
    tx.run(lockQueue(accountId, parts.maxQueued)),
    takeNumbers(tx, accountId, list, { count: byKey.size, nowMs: parts.clock.nowMs() }),
    countQueuedRuns(tx, accountId, parts.maxQueued),
  ])
  const room = Math.max(0, parts.maxQueued - waiting)
  const known = await knownRuns(tx, parts, group, room)
  const firstSeq = taken.lastSeq - byKey.size + 1
  const { createdAtMs } = taken
  const { rows, steps, answers } = makeRuns(parts, group, { known, room, firstSeq, createdAtMs })
  const unused = byKey.size - rows.length
  if (unused > 0) await returnNumbers(tx, accountId, list, unused)
  await Promise.all([tx.run(insertRuns(dialect, rows)), tx.run(putSteps(dialect, steps))])
  return { rows, answers }
}

const knownRuns = async (
  db: Reader,
  parts: Try,
  { accountId, workflowId, byKey }: Group,
  room: number,
): Promise<KnownKey[]> =>
  parts.look || byKey.size > room
    ? findRunsByKey(db, { accountId, workflowId, keys: [...byKey.keys()] })
    : []

/** The runs there is room for, of keys that have none. */
function makeRuns(
  parts: StoreParts,
  { byKey }: Group,
  found: { known: readonly KnownKey[]; room: number; firstSeq: number; createdAtMs: number },
) {
  const runs = new Map(found.known.map((run) => [run.idempotency_key, run]))
  const fresh = [...byKey].filter(([key]) => !runs.has(key))
  const made = new Set<Submission>()
  const rows = fresh.slice(0, found.room).flatMap(([key, [entry]], i) => {
    if (!entry) return []
    const { firstSeq, createdAtMs } = found
    const row = toRow(parts, entry, { seq: firstSeq + i, createdAtMs })
    made.add(entry)
    runs.set(key, { ...row, status: 'QUEUED', completed_at: null })
    return [row]
  })
  const answers = [...byKey.values()]
    .flat()
    .map((entry) => answerOf(entry, runs, made.has(entry), parts.maxQueued))
  return { rows, steps: copiedSteps([...made], runs), answers }
}

function toRow(
  { clock, queueTimeoutMs }: StoreParts,
  { principal, order }: Submission,
  { seq, createdAtMs }: { seq: number; createdAtMs: number },
): NewRun {
  const { accountId, keyId, limits, accountSpendPerMonthMicros } = principal
  const { steps: _, ...rest } = order
  // created_at never goes back along a list; a clock that was ahead once must not delay work.
  const nowMs = clock.nowMs()
  return {
    ...rest,
    id: sequencedUuid(createdAtMs, seq),
    account_id: accountId,
    seq,
    spender: JSON.stringify({ keyId, limits, accountSpendPerMonthMicros }),
    created_at: createdAtMs,
    run_at: nowMs,
    deadline_at: nowMs + queueTimeoutMs,
  }
}

const copiedSteps = (made: readonly Submission[], runs: ReadonlyMap<string, KnownKey>): StepRow[] =>
  made.flatMap(({ order }) =>
    (order.steps ?? []).map((step) => ({
      ...step,
      run_id: runs.get(order.idempotency_key)?.id ?? '',
    })),
  )

function answerOf(
  { order, resolve, reject }: Submission,
  runs: ReadonlyMap<string, KnownKey>,
  isNew: boolean,
  maxQueued: number,
): Answer {
  const run = runs.get(order.idempotency_key)
  if (!run) {
    const message = `At most ${maxQueued} runs of an account may wait.`
    return () => reject(new Failure('QUOTA_EXCEEDED', { message, retryAfterSeconds: 15 }))
  }
  if (run.fingerprint !== order.fingerprint) return () => reject(keyReused(run))
  return () => resolve({ run, isNew })
}

export const keyReused = (run: KnownKey) =>
  new Failure('IDEMPOTENCY_KEY_REUSED', { details: { runId: run.id } })
