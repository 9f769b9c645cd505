// Lets calls start under spend limits, in the order they came. What fits a limit is stored at once;
// what fits only once calls in flight are settled waits for that, and is refused only when it
// cannot fit any more. Never lets two calls share the last cent: one transaction, which holds the
// account's lock, judges and stores.
//
//   admit ─▶ queue of the account ─▶ one transaction for all that fit ─▶ stored
//                ▲    ▲                │
//                │    └── still waits ─┤
//    a settlement in any process       └─▶ refused: does not fit what is spent

import type { TimedClock } from '#core/clock.ts'
import { type Coalesced, coalesce } from '#core/coalesce.ts'
import { Failure } from '#core/errors.ts'
import type { Spender } from '#core/generation.ts'
import { Interruption, Stopping } from '#core/interruptions.ts'
import { judgeInOrder, type SpendVerdict } from '#core/spend-admission.ts'
import type { StopSignal } from '#core/stop.ts'
import { type Db, type Reader, StoreUnavailable, type Tx } from '#store/db.ts'
import type { ChatLog } from '#store/journals/chat-log.ts'
import { spendFreed } from '#store/tables/ledger.ts'
import { lockAccountSpend } from '#store/tables/sequences.ts'
import { boundsOfSpender, limitReached, usesOf } from './spend-limit.ts'

export type Admission<T> = {
  spender: Spender
  /** The most it can cost; null if no price is known. */
  neededMicros: number | null
  /** Ends the wait. */
  until: StopSignal
  /** A run that leaves is interrupted, and continues later; a caller is told to try again. */
  isOfRun: boolean
  /** Stores the reservation, in the transaction that found room for it. */
  store(tx: Tx, nowMs: number): Promise<T>
  /** As in the options of a transaction. */
  isStored(db: Reader, value: T): Promise<boolean>
}

export type SpendQueue = {
  admit<T>(admission: Admission<T>): Promise<T>
  /** Ends every wait: the process stops, and what waits has not been started. */
  stopWaiting(): void
  close(): Promise<void>
}

type Entry = Admission<unknown> & {
  resolve(value: unknown): void
  reject(error: unknown): void
  /** Its fate is being stored, so it cannot leave. */
  isBeingJudged: boolean
}

type Queue = { entries: Entry[]; rounds: Coalesced }

/** For what is freed without a notice: a task that waited too long, a notice that was lost. */
const lookAgainMs = 1_000

type Deps = { db: Db; clock: TimedClock; chats: Pick<ChatLog, 'flush'> }

export function createSpendQueue(deps: Deps): SpendQueue {
  const queues = new Map<string, Queue>()
  let listening: Promise<() => Promise<void>> | undefined
  let isStopped = false

  function queueOf(accountId: string): Queue {
    const known = queues.get(accountId)
    if (known) return known
    const round = () => runRound(accountId, queue)
    const rounds = coalesce(round, { afterMs: lookAgainMs, timers: deps.clock })
    const queue: Queue = { entries: [], rounds }
    queues.set(accountId, queue)
    return queue
  }

  /** Before anything is judged: a settlement right after that must be noticed. */
  async function listen(): Promise<void> {
    listening ??= deps.db.listen(spendFreed, () => {
      for (const { rounds } of queues.values()) void rounds.run()
    })
    await listening.catch(() => {
      listening = undefined
    })
  }

  /** Never rejects: every failure is one of an entry. */
  async function runRound(accountId: string, queue: Queue): Promise<void> {
    await listen()
    for (let isDone = false; !isDone && queue.entries.length > 0; ) {
      const entries = [...queue.entries]
      for (const entry of entries) entry.isBeingJudged = true
      isDone = await judgeAll(deps, accountId, queue, entries)
      for (const entry of entries) entry.isBeingJudged = false
      for (const entry of entries) if (entry.until.aborted || isStopped) leave(queue, entry)
    }
    if (queue.entries.length > 0) queue.rounds.schedule()
    else if (queues.get(accountId) === queue) queues.delete(accountId)
  }

  function stopWaiting() {
    isStopped = true
    for (const queue of queues.values()) {
      for (const entry of [...queue.entries]) leave(queue, entry)
    }
  }

  return {
    admit: (admission) => {
      const queue = queueOf(admission.spender.accountId)
      const admitted = enqueue(queue, admission, { isLeaving: isStopped })
      void queue.rounds.run()
      return admitted
    },
    stopWaiting,
    async close() {
      stopWaiting()
      for (const { rounds } of queues.values()) await rounds.stop()
      await (await listening)?.()
    },
  }
}

function enqueue<T>(
  queue: Queue,
  admission: Admission<T>,
  { isLeaving }: { isLeaving: boolean },
): Promise<T> {
  const { promise, resolve, reject } = Promise.withResolvers<T>()
  const { until } = admission
  const entry: Entry = {
    ...(admission as Admission<unknown>),
    isBeingJudged: false,
    resolve: (value) => resolve(value as T),
    reject,
  }
  const onAbort = () => leave(queue, entry)
  queue.entries.push(entry)
  if (until.aborted || isLeaving) onAbort()
  else until.addEventListener('abort', onAbort)
  return promise.finally(() => until.removeEventListener('abort', onAbort))
}

/** False if one of them failed, and the others must be judged again. */
async function judgeAll(
  { db, clock, chats }: Deps,
  accountId: string,
  queue: Queue,
  entries: readonly Entry[],
): Promise<boolean> {
  let storing: Entry | undefined
  const store = async (tx: Tx): Promise<Judged[]> => {
    storing = undefined
    const nowMs = clock.nowMs()
    await lockAccountSpend(tx, accountId)
    const verdicts = await judge(tx, accountId, { entries, nowMs })
    const judged: Judged[] = []
    for (const [index, entry] of entries.entries()) {
      const verdict = verdicts[index] ?? { is: 'waits' }
      storing = verdict.is === 'fits' ? entry : undefined
      judged.push({ entry, verdict, value: await storing?.store(tx, nowMs) })
    }
    storing = undefined
    return judged
  }
  try {
    await chats.flush(accountId)
    const judged = await db.transaction(store, { isStored: areStored })
    for (const one of judged) end(queue, one)
    return true
  } catch (error) {
    const failed = storing && !(error instanceof StoreUnavailable) ? [storing] : entries
    for (const entry of failed) remove(queue, entry).reject(error)
    return false
  }
}

type Judged = { entry: Entry; verdict: SpendVerdict; value: unknown }

async function judge(
  tx: Tx,
  accountId: string,
  { entries, nowMs }: { entries: readonly Entry[]; nowMs: number },
): Promise<SpendVerdict[]> {
  const requests = entries.map(({ spender, neededMicros }) => ({
    neededMicros,
    bounds: boundsOfSpender(spender),
  }))
  const bounds = requests.flatMap((request) => request.bounds)
  return judgeInOrder(requests, await usesOf(tx, accountId, { bounds, nowMs }))
}

/** They were stored together, so that one of them tells for all. */
async function areStored(db: Reader, judged: readonly Judged[]): Promise<boolean> {
  const stored = judged.find(({ verdict }) => verdict.is === 'fits')
  return stored === undefined || stored.entry.isStored(db, stored.value)
}

function end(queue: Queue, { entry, verdict, value }: Judged): void {
  if (verdict.is === 'fits') remove(queue, entry).resolve(value)
  if (verdict.is === 'refused') {
    remove(queue, entry).reject(limitReached(verdict, entry.neededMicros))
  }
}

function remove(queue: Queue, entry: Entry): Entry {
  const index = queue.entries.indexOf(entry)
  if (index !== -1) queue.entries.splice(index, 1)
  return entry
}

function leave(queue: Queue, entry: Entry): void {
  if (entry.isBeingJudged) return
  const { reason } = entry.until
  const interruption = reason instanceof Interruption ? reason : new Stopping()
  remove(queue, entry).reject(entry.isOfRun ? interruption : notInTime())
}

const notInTime = () =>
  new Failure('SERVICE_UNAVAILABLE', {
    message:
      'Calls in flight hold what is left of the spend limit, and did not end in time. Nothing was started.',
  })
