// Lets calls start under spend limits, in the order they came. What fits a limit is stored at once;
// what fits only once calls in flight are settled waits for that, and is refused only when it
// cannot fit any more. Never lets two calls share the last cent: one transaction, which holds the
// account's lock, judges and stores.
//
//   admit ─▶ queue of the account ─▶ one transaction for all that fit ─▶ stored
//                ▲    ▲                │
//                │    └── still waits ─┤
//    a settlement in any process       └─▶ refused: does not fit what is spent

import { boundsOfSpender, lowerLimit, type SpendBound } from '#core/budgets.ts'
import type { TimedClock } from '#core/clock.ts'
import { type Coalesced, coalesce } from '#core/coalesce.ts'
import { Failure } from '#core/errors.ts'
import type { Spender } from '#core/generation.ts'
import { Interruption, Stopping } from '#core/interruptions.ts'
import type { StopSignal } from '#core/stop.ts'
import {
  type Intent,
  IntentFailed,
  type Judged,
  type Ledger,
  type LimitsNow,
} from '#store/engine-store.ts'
import { limitReached } from './spend-limit.ts'

export type Admission = {
  spender: Spender
  /** The most it can cost; null if no price is known. */
  neededMicros: number | null
  /** Ends the wait. */
  until: StopSignal
  /** No longer than this, if it is set. */
  withinMs?: number | undefined
  /** There is no room yet. May be called several times. */
  noRoomYet?: (() => void) | undefined
  /** A run that leaves is interrupted, and continues later; a caller is told to try again. */
  isOfRun: boolean
  /** Stored in the transaction that found room for it. */
  intent: Intent
}

/** The tasks that were stored, if the intent has some. */
type Admitted = Judged['tasks']

export type SpendQueue = {
  admit(admission: Admission): Promise<Admitted>
  /** Ends every wait: the process stops, and what waits has not been started. */
  stopWaiting(): void
  close(): Promise<void>
}

type Entry = Admission & {
  resolve(tasks: Admitted): void
  reject(error: unknown): void
  /** Its fate is being stored, so it cannot leave. */
  isBeingJudged: boolean
  /** It leaves unless it has just been admitted. */
  isLate: boolean
}

type Queue = { entries: Entry[]; rounds: Coalesced }

/** For what is freed without a notice: a task that waited too long, a notice that was lost. */
const lookAgainMs = 1_000

export type SpendQueueOptions = {
  /** The operator's monthly limit of every account. */
  serverLimitMicros?: number | null
  /** Something was or will be spent of these. */
  onSpending?(accountId: string, bounds: readonly SpendBound[]): void
  onRefused?(bound: SpendBound): void
}

export function createSpendQueue(
  ledger: Ledger,
  clock: TimedClock,
  options: SpendQueueOptions = {},
): SpendQueue {
  const queues = new Map<string, Queue>()
  let listening: Promise<() => Promise<void>> | undefined
  let isStopped = false

  function queueOf(accountId: string): Queue {
    const known = queues.get(accountId)
    if (known) return known
    const round = () => runRound(accountId, queue)
    const rounds = coalesce(round, { afterMs: lookAgainMs, timers: clock })
    const queue: Queue = { entries: [], rounds }
    queues.set(accountId, queue)
    return queue
  }

  /** Before anything is judged: a settlement right after that must be noticed. */
  async function listen(): Promise<void> {
    listening ??= ledger.onFreed(() => {
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
      isDone = await judgeAll(ledger, queue, entries, {
        ...options,
        accountId,
        nowMs: clock.nowMs(),
      })
      for (const entry of entries) entry.isBeingJudged = false
      for (const entry of entries) if (entry.isLate || isStopped) leave(queue, entry)
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
      const admitted = enqueue(queue, admission, { isLeaving: isStopped, clock })
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

function enqueue(
  queue: Queue,
  admission: Admission,
  { isLeaving, clock }: { isLeaving: boolean; clock: TimedClock },
): Promise<Admitted> {
  const { promise, resolve, reject } = Promise.withResolvers<Admitted>()
  const { until, withinMs } = admission
  const entry: Entry = { ...admission, isBeingJudged: false, isLate: false, resolve, reject }
  const onAbort = () => leave(queue, entry)
  const callOff = withinMs === undefined ? undefined : clock.after(withinMs, onAbort)
  queue.entries.push(entry)
  if (until.aborted || isLeaving) onAbort()
  else until.addEventListener('abort', onAbort)
  return promise.finally(() => {
    callOff?.()
    until.removeEventListener('abort', onAbort)
  })
}

/** False if one of them failed, and the others must be judged again. */
async function judgeAll(
  ledger: Ledger,
  queue: Queue,
  entries: readonly Entry[],
  { accountId, nowMs, ...options }: SpendQueueOptions & { accountId: string; nowMs: number },
): Promise<boolean> {
  const { serverLimitMicros = null } = options
  const bounds = new Map<string, SpendBound>()
  try {
    const judged = await ledger.storeWithin(accountId, {
      intents: entries.map(({ intent }) => intent),
      keyIds: limitedKeys(entries),
      requests: (limits) =>
        entries.map(({ spender, neededMicros }) => {
          const { spending } = limits ?? {}
          const terms = { nowMs, spending, serverLimitMicros }
          const own = boundsOfSpender(underLimits(spender, limits, serverLimitMicros), terms)
          for (const bound of own) bounds.set(bound.id, bound)
          return { neededMicros, bounds: own }
        }),
      nowMs,
    })
    options.onSpending?.(accountId, [...bounds.values()])
    for (const [index, entry] of entries.entries()) {
      const verdict = judged[index]?.verdict
      if (verdict?.is === 'refused') options.onRefused?.(verdict.bound)
      end(queue, entry, judged[index])
    }
    return true
  } catch (error) {
    const isOne = error instanceof IntentFailed
    const failed = isOne ? entries.filter(({ intent }) => intent === error.intent) : entries
    for (const entry of failed) remove(queue, entry).reject(isOne ? error.cause : error)
    return false
  }
}

const limitedKeys = (entries: readonly Entry[]): string[] => [
  ...new Set(
    entries.flatMap(({ spender: { keyId, limits } }) =>
      keyId !== null && limits.spendPerMonthMicros !== undefined ? [keyId] : [],
    ),
  ),
]

/** The older monthly limits, as they are now. */
function underLimits(
  spender: Spender,
  now: LimitsNow | null,
  serverLimitMicros: number | null,
): Spender {
  if (!now) return spender
  return {
    ...spender,
    accountSpendPerMonthMicros: lowerLimit(now.spendLimitMicros, serverLimitMicros),
    limits: now.keys.get(spender.keyId ?? '') ?? spender.limits,
  }
}

function end(queue: Queue, entry: Entry, judged: Judged | undefined): void {
  if (judged?.verdict.is === 'fits') remove(queue, entry).resolve(judged.tasks)
  if (judged?.verdict.is === 'waits') entry.noRoomYet?.()
  if (judged?.verdict.is === 'refused') {
    remove(queue, entry).reject(limitReached(judged.verdict, entry.neededMicros))
  }
}

function remove(queue: Queue, entry: Entry): Entry {
  const index = queue.entries.indexOf(entry)
  if (index !== -1) queue.entries.splice(index, 1)
  return entry
}

function leave(queue: Queue, entry: Entry): void {
  entry.isLate = true
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
