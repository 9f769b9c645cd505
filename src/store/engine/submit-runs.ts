// Turns a batch of submissions into runs. Promises that of several submissions with the same key
// one makes the run and the others find it, that numbers and times of a list never decrease, and
// that no account has more runs waiting than it may.
import type { PendingSubmission } from '#core/run-submission.ts'
import type { DoneStep } from '#core/step-states.ts'
import {
  type Db,
  GuardFailed,
  type Reader,
  type Statement,
  type Tx,
  UniqueViolation,
} from '../db.ts'
import {
  contestedKeys,
  type FirstClaim,
  insertRuns,
  lockQueue,
  type NewRun,
} from '../tables/new-runs.ts'
import {
  countQueuedRuns,
  findRunsById,
  findRunsByKey,
  type KnownKey,
  runList,
} from '../tables/runs.ts'
import { continueList, lastOfList, returnNumbers, takeNumbers } from '../tables/sequences.ts'
import { putSteps } from '../tables/steps.ts'
import { leaseGuard } from '../tables/workers.ts'

/** The state of a list, account and workflow, when runs are made for it. */
export type ListState = {
  known: readonly KnownKey[]
  /** How many more runs of the account may wait. */
  room: number
  firstSeq: number
  createdAtMs: number
}

/** Answers one submission, once its run is stored. */
export type Answer = () => void
export type MadeRuns = { rows: NewRun[]; steps: DoneStep[]; answers: Answer[] }

/** Slots of a worker for runs that are about to be stored as claimed by it. */
export type HeldRunSlots = {
  count: number
  claim: FirstClaim
  /** To be called once they are stored. */
  begin(runs: readonly NewRun[]): void
  /** To be called if they are not stored, or if that is unknown. */
  cancel(): void
}

/** Only for a database that one process has to itself: runs of other processes are not counted. */
export type HoldRunSlots = (accountId: string, wanted: number) => HeldRunSlots | null

export type RunSubmissions = {
  /** Called when the transaction begins, so that late submissions are included. */
  take(): readonly PendingSubmission[]
  /** Makes the runs for submissions to one list, grouped by idempotency key. */
  make(byKey: ReadonlyMap<string, readonly PendingSubmission[]>, list: ListState): MadeRuns
  /** Runs of one account that may wait. */
  maxQueued: number
  nowMs(): number
  holdSlots?: HoldRunSlots | undefined
}

/** Whether keys are looked up first. */
type Attempt = RunSubmissions & { db: Db; isLooking: boolean }

const maxAttempts = 4

/**
 * Most keys are new. The first attempt inserts without looking them up and relies on the unique
 * index; only a conflict costs a read.
 */
export async function submitRuns(db: Db, submissions: RunSubmissions): Promise<Answer[]> {
  const store = db.isShared ? storeAmongOthers : storeAlone
  for (let attempt = 1; ; attempt++) {
    try {
      return await store({ ...submissions, db, isLooking: attempt > 1 })
    } catch (error) {
      // A key or a number was used in the meantime: the next attempt will see it.
      const isLate = error instanceof UniqueViolation || error instanceof GuardFailed
      if (!isLate || attempt === maxAttempts) throw error
    }
  }
}

/** Submissions of one account to one workflow. */
type Group = {
  accountId: string
  workflowId: number
  byKey: ReadonlyMap<string, readonly PendingSubmission[]>
}

function groupsOf(batch: readonly PendingSubmission[]): Group[] {
  const groups = [...Map.groupBy(batch, ({ item }) => item.list)]
  // In the same order everywhere, so that two processes never wait for each other's lists.
  return groups
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .flatMap(([, group]) => {
      const [head] = group
      if (!head) return []
      const { principal, workflow } = head.item.submission
      const byKey = Map.groupBy(group, ({ item }) => item.submission.key)
      return [{ accountId: principal.accountId, workflowId: workflow.id, byKey }]
    })
}

/**
 * A process that has the database to itself reads first and then writes everything at once, so
 * that the writer need not wait for it. If a list has grown meanwhile, nothing is written. Runs for
 * which its worker has a slot are stored as already claimed, which saves a commit (decision 23).
 */
async function storeAlone(deps: Attempt): Promise<Answer[]> {
  const holds: HeldRunSlots[] = []
  try {
    return await storeHolding(deps, groupsOf(deps.take()), holds)
  } catch (error) {
    for (const held of holds) held.cancel()
    throw error
  }
}

async function storeHolding(
  deps: Attempt,
  groups: readonly Group[],
  holds: HeldRunSlots[],
): Promise<Answer[]> {
  const { db } = deps
  const statements: Statement[] = []
  const answers: Answer[] = []
  /** Runs queued so far by this batch, by account: it may submit to several workflows at once. */
  const queued = new Map<string, number>()
  for (const group of groups) {
    const { accountId } = group
    const queuedHere = queued.get(accountId) ?? 0
    const made = await makeAlone(deps, group, queuedHere)
    answers.push(...made.answers)
    if (made.rows.length === 0) continue
    // Only if no run of the account waits: no run may begin before an older one.
    const mayHold = !deps.isLooking && made.waiting === 0
    const held = mayHold ? deps.holdSlots?.(accountId, made.rows.length) : null
    const claimed = held ? made.rows.slice(0, held.count) : []
    if (held) {
      holds.push(held)
      answers.push(() => held.begin(claimed))
    }
    queued.set(accountId, queuedHere + made.rows.length - claimed.length)
    statements.push(
      made.continuation,
      insertRuns(db.dialect, made.rows, held ?? undefined),
      putSteps(db.dialect, made.steps),
    )
  }
  if (statements.length === 0) {
    // Nothing of ours is written, so the runs that were found may not be on disk yet.
    await db.synced()
    return answers
  }
  // Only a worker that still has its lease may be given runs.
  const leases = holds.slice(0, 1).map(({ claim }) => leaseGuard(db.dialect, claim.owner))
  const isAnyQueued = queued.values().some((count) => count > 0)
  await db.writeAll(() => [...leases, ...statements], isAnyQueued ? { notify: 'runs' } : undefined)
  return answers
}

async function makeAlone(
  deps: Attempt,
  group: Group,
  queuedHere: number,
): Promise<MadeRuns & { waiting: number; continuation: Statement }> {
  const { db, maxQueued } = deps
  const { accountId, workflowId, byKey } = group
  const list = runList(workflowId)
  const last = await lastOfList(db, accountId, list)
  const { any, unbegun } = await countQueuedRuns(db, accountId, maxQueued)
  const waiting = any + queuedHere
  const room = Math.max(0, maxQueued - unbegun - queuedHere)
  const known = await knownRuns(db, deps, group, room)
  const createdAtMs = Math.max(last.createdAtMs, deps.nowMs())
  const made = deps.make(byKey, { known, room, firstSeq: last.seq + 1, createdAtMs })
  const seq = last.seq + made.rows.length
  const continuation = continueList(accountId, list, { after: last.seq, seq, createdAtMs })
  return { ...made, waiting, continuation }
}

async function storeAmongOthers(deps: Attempt): Promise<Answer[]> {
  const store = async (tx: Tx) => {
    const stored: MadeRuns[] = []
    for (const group of groupsOf(deps.take())) stored.push(await storeGroup(tx, deps, group))
    tx.notify('runs')
    return stored
  }
  const stored = await deps.db.transaction(store, {
    // All runs are committed or none, so it is enough to look for the last one.
    async isStored(db, groups) {
      const last = groups.flatMap(({ rows }) => rows).at(-1)
      return !last || (await findRunsById(db, [last.id])).length === 1
    },
  })
  return stored.flatMap(({ answers }) => answers)
}

async function storeGroup(tx: Tx, deps: Attempt, group: Group): Promise<MadeRuns> {
  const { accountId, workflowId, byKey } = group
  const { dialect } = tx
  const list = runList(workflowId)
  // Awaited by itself, because what follows may wait for the other process.
  const keys = [...byKey.keys()]
  for (const { key } of await tx.run(contestedKeys(dialect, `${accountId} ${list}`, keys))) {
    for (const { item } of byKey.get(key) ?? []) item.submission.onDuplicate?.()
  }
  // Sent together and executed in this order: both locks come first, so that what is read after
  // them stays true.
  const [, taken, { unbegun }] = await Promise.all([
    tx.run(lockQueue(accountId, deps.maxQueued)),
    takeNumbers(tx, accountId, list, { count: byKey.size, nowMs: deps.nowMs() }),
    countQueuedRuns(tx, accountId, deps.maxQueued),
  ])
  const room = Math.max(0, deps.maxQueued - unbegun)
  const known = await knownRuns(tx, deps, group, room)
  const firstSeq = taken.lastSeq - byKey.size + 1
  const { createdAtMs } = taken
  const made = deps.make(byKey, { known, room, firstSeq, createdAtMs })
  const unused = byKey.size - made.rows.length
  if (unused > 0) await returnNumbers(tx, accountId, list, unused)
  await Promise.all([tx.run(insertRuns(dialect, made.rows)), tx.run(putSteps(dialect, made.steps))])
  return made
}

const knownRuns = async (
  db: Reader,
  deps: Attempt,
  { accountId, workflowId, byKey }: Group,
  room: number,
): Promise<KnownKey[]> =>
  deps.isLooking || byKey.size > room
    ? findRunsByKey(db, { accountId, workflowId, keys: [...byKey.keys()] })
    : []
