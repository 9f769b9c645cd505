// Stores submissions: those of one turn, and those that came while the last were being written,
// share a transaction. Of submissions with one key, one makes the run; the others find it. A run
// and its key are one row under a unique index, so that this holds between processes too.
import type { Clock } from '#core/clock.ts'
import { Failure } from '#core/errors.ts'
import type { Spender } from '#core/generation.ts'
import { sequencedUuid } from '#core/ids.ts'
import { type Db, type Tx, UniqueViolation } from '#store/db.ts'
import {
  countQueuedRuns,
  findRunsByKey,
  insertRuns,
  type KnownKey,
  type NewRun,
  runList,
} from '#store/runs.ts'
import { returnNumbers, takeNumbers } from '#store/sequences.ts'
import { putSteps, type StepRow } from '#store/steps.ts'

export type RunOrder = Omit<
  NewRun,
  'id' | 'account_id' | 'seq' | 'spender' | 'created_at' | 'deadline_at'
> & {
  /** Outcomes of another run to begin with. */
  steps?: readonly StepRow[]
}

export type Intake = {
  /** Once this resolves the run survives anything; `isNew` is false where the key had one. */
  submit(principal: Spender, order: RunOrder): Promise<{ run: KnownKey; isNew: boolean }>
}

type Entry = {
  /** Account and workflow. */
  list: string
  principal: Spender
  order: RunOrder
  resolve(outcome: { run: KnownKey; isNew: boolean }): void
  reject(error: unknown): void
}
type Answer = () => void
type Parts = { db: Db; clock: Clock; maxQueued: number; queueTimeoutMs: number }

/** Whether keys are looked up first. */
type Try = Parts & { look: boolean }

const maxBatch = 500
const maxAttempts = 4
const overtakenAfterMs = 200
// Each keeps a connection.
const maxHeldUp = 3

export function createRunIntake(parts: Parts): Intake {
  let queue: Entry[] = []
  let isWriting = false
  /** By list: written already, and waiting for a transaction of another process. */
  const heldUp = new Set<string>()
  let batchesHeldUp = 0
  const isFree = ({ list }: Entry) => !heldUp.has(list)

  function takeBatch(): Entry[] {
    const batch = queue.filter(isFree).slice(0, maxBatch)
    const taken = new Set(batch)
    queue = queue.filter((entry) => !taken.has(entry))
    return batch
  }

  async function write() {
    while (queue.some(isFree)) {
      let batch: Entry[] | undefined
      // Taken when the transaction begins, so that this turn's later submissions are in it.
      const take = () => {
        batch ??= takeBatch()
        return batch
      }
      const stored = storeAll(parts, take)
      if (batchesHeldUp === maxHeldUp || (await endsWithin(stored, overtakenAfterMs))) await stored
      else goOnWithout(take(), stored)
    }
    isWriting = false
  }

  /** One undecided key must not stop the submissions of everybody else. */
  function goOnWithout(batch: readonly Entry[], stored: Promise<void>) {
    for (const { list } of batch) heldUp.add(list)
    batchesHeldUp++
    void stored.then(() => {
      for (const { list } of batch) heldUp.delete(list)
      batchesHeldUp--
      start()
    })
  }

  function start() {
    if (isWriting) return
    isWriting = true
    // SQLite begins a transaction after this turn by itself.
    if (parts.db.kind === 'sqlite') void write()
    else setImmediate(write)
  }

  return {
    submit: (principal, order) =>
      new Promise((resolve, reject) => {
        const list = `${principal.accountId} ${order.workflow_id}`
        queue.push({ list, principal, order, resolve, reject })
        start()
      }),
  }
}

async function endsWithin(work: Promise<void>, ms: number): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<boolean>((resolve) => {
    timer = setTimeout(resolve, ms, false)
  })
  const isEnded = await Promise.race([work.then(() => true), late])
  clearTimeout(timer)
  return isEnded
}

/** Answers all of them. */
async function storeAll(parts: Parts, take: () => readonly Entry[]): Promise<void> {
  try {
    for (const answer of await tryToStore(parts, take)) answer()
  } catch (error) {
    for (const entry of take()) entry.reject(error)
  }
}

/** Nearly every key is new, so that the first try looks none up. */
async function tryToStore(parts: Parts, take: () => readonly Entry[]): Promise<Answer[]> {
  for (let attempt = 1; ; attempt++) {
    const look = attempt > 1
    try {
      return await parts.db.transaction((tx) => storeBatch(tx, { ...parts, look }, take()))
    } catch (error) {
      // A key has its run already, perhaps since a moment ago: the next try finds it.
      if (!(error instanceof UniqueViolation) || attempt === maxAttempts) throw error
    }
  }
}

async function storeBatch(tx: Tx, parts: Try, batch: readonly Entry[]): Promise<Answer[]> {
  const groups = Map.groupBy(batch, ({ list }) => list)
  const answers: Answer[] = []
  // In one order everywhere, so that two processes never wait for each other's lists.
  for (const name of [...groups.keys()].sort()) {
    answers.push(...(await storeGroup(tx, parts, groups.get(name) ?? [])))
  }
  tx.notify('runs')
  return answers
}

/** Submissions of one account to one workflow. */
async function storeGroup(tx: Tx, parts: Try, group: readonly Entry[]): Promise<Answer[]> {
  const [head] = group
  if (!head) return []
  const { accountId } = head.principal
  const workflowId = head.order.workflow_id
  const list = runList(workflowId)
  const byKey = Map.groupBy(group, ({ order }) => order.idempotency_key)
  // Sent together, done in this order: the row of the numbers is locked first, so that what is
  // found then stays true.
  const [taken, waiting] = await Promise.all([
    takeNumbers(tx, accountId, list, { count: byKey.size, nowMs: parts.clock.nowMs() }),
    countQueuedRuns(tx, accountId, parts.maxQueued),
  ])
  const room = Math.max(0, parts.maxQueued - waiting)
  const known =
    parts.look || byKey.size > room
      ? await findRunsByKey(tx, parts.db.kind, { accountId, workflowId, keys: [...byKey.keys()] })
      : []
  const runs = new Map(known.map((run) => [run.idempotency_key, run]))
  const fresh = [...byKey].filter(([key]) => !runs.has(key))
  const accepted = fresh.slice(0, room)
  const unused = byKey.size - accepted.length
  if (unused > 0) await returnNumbers(tx, accountId, list, unused)
  const firstSeq = taken.lastSeq - byKey.size + 1
  const made = new Set<Entry>()
  const rows = accepted.flatMap(([key, [entry]], i) => {
    if (!entry) return []
    const row = toRow(parts, entry, { seq: firstSeq + i, createdAtMs: taken.createdAtMs })
    made.add(entry)
    runs.set(key, { ...row, status: 'QUEUED', completed_at: null })
    return [row]
  })
  await Promise.all([
    tx.run(insertRuns(parts.db.kind, rows)),
    tx.run(putSteps(parts.db.kind, copiedSteps([...made], runs))),
  ])
  return group.map((entry) => answerOf(entry, runs, made.has(entry), parts.maxQueued))
}

function toRow(
  { queueTimeoutMs }: Parts,
  { principal, order }: Entry,
  { seq, createdAtMs }: { seq: number; createdAtMs: number },
): NewRun {
  const { accountId, keyId, limits, accountSpendPerMonthMicros } = principal
  const { steps: _, ...rest } = order
  return {
    ...rest,
    id: sequencedUuid(createdAtMs, seq),
    account_id: accountId,
    seq,
    spender: JSON.stringify({ keyId, limits, accountSpendPerMonthMicros }),
    created_at: createdAtMs,
    deadline_at: createdAtMs + queueTimeoutMs,
  }
}

const copiedSteps = (made: readonly Entry[], runs: ReadonlyMap<string, KnownKey>): StepRow[] =>
  made.flatMap(({ order }) =>
    (order.steps ?? []).map((step) => ({
      ...step,
      run_id: runs.get(order.idempotency_key)?.id ?? '',
    })),
  )

function answerOf(
  { order, resolve, reject }: Entry,
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
