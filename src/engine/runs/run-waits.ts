// What one run waits for while a worker executes it. Whoever closes a wait raises `wakes` of the run;
// the worker then reads the waits again. It remembers the `wakes` that it read before them, and may
// let the run sleep only if that is still the number: nothing that happened in between is missed.
import type { Timers } from '#core/clock.ts'
import type { WaitAnswer } from '#core/wait-facts.ts'
import type { WaitEnd } from '#graph/node/wait-request.ts'
import type { OpenedWait, RunWait } from '#store/engine-store.ts'

/** A person can hardly look at more, and each is a row. */
const maxOpen = 100

type Waiter = { wait: OpenedWait; dueMs: number; resolve(row: RunWait): void }

/** `expiresAtMs`: of a wait, by the database's clock; null for a call that is made again. */
type Due = { leftMs: number; expiresAtMs: number | null }

export type RunWaits = {
  /** As read before the waits. */
  wakes: number
  /** Something is being written that ends this execution: nothing goes on here meanwhile. */
  isFallingAsleep: boolean
  count(): number
  /** The wait that an earlier execution opened. */
  find(path: string): RunWait | undefined
  /** Resolves when one more may be opened. */
  room(): Promise<void> | undefined
  /** After a wait that had room. */
  leave(): void
  /** Resolves when the wait is closed. */
  closed(wait: OpenedWait): Promise<RunWait>
  /** Nobody waits for it here any more. */
  drop(wait: OpenedWait): void
  /** A call is made again after so long. Returns what ends that. */
  pause(ms: number): () => void
  /** What is due first; null if there is nothing. */
  nearest(): Due | null
  /** Continues what waited for those that are closed. */
  update(rows: readonly RunWait[]): void
}

export function createRunWaits(
  timers: Pick<Timers, 'monotonicMs'>,
  { wakes, rows }: { wakes: number; rows: readonly RunWait[] },
): RunWaits {
  const known = new Map(rows.map((row) => [row.path, row]))
  const open = new Map<string, Waiter>()
  /** Closed before anybody waited for them. */
  const early = new Map<string, RunWait>()
  const pauses = new Set<{ dueMs: number }>()
  const queue: (() => void)[] = []
  let taken = rows.filter(({ status, kind }) => status === 'OPEN' && kind !== 'BATCH').length
  const waits: RunWaits = {
    wakes,
    isFallingAsleep: false,
    count: () => open.size,
    find: (path) => known.get(path),
    room() {
      if (taken < maxOpen) {
        taken++
        return
      }
      return new Promise((resolve) => queue.push(resolve))
    },
    leave() {
      const next = queue.shift()
      if (next) next()
      else taken--
    },
    closed: (wait) =>
      new Promise((resolve) => {
        const row = early.get(wait.id)
        if (row) return resolve(row)
        open.set(wait.id, { wait, dueMs: timers.monotonicMs() + wait.left_ms, resolve })
      }),
    drop: (wait) => void open.delete(wait.id),
    pause(ms) {
      const pause = { dueMs: timers.monotonicMs() + ms }
      pauses.add(pause)
      return () => void pauses.delete(pause)
    },
    nearest() {
      let first: { wait?: OpenedWait; dueMs: number } | undefined
      for (const waiter of open.values()) if (!first || waiter.dueMs < first.dueMs) first = waiter
      for (const pause of pauses) if (!first || pause.dueMs < first.dueMs) first = pause
      if (!first) return null
      const { wait, dueMs } = first
      return { leftMs: dueMs - timers.monotonicMs(), expiresAtMs: wait?.expires_at ?? null }
    },
    update(read) {
      for (const row of read) {
        if (row.status === 'OPEN') continue
        const waiter = open.get(row.id)
        if (!waiter) early.set(row.id, row)
        open.delete(row.id)
        waiter?.resolve(row)
      }
    },
  }
  return waits
}

/** How a closed wait ended; null if it was cancelled. */
export function endOf(row: RunWait, answer: unknown): WaitEnd | null {
  switch (row.status) {
    case 'PASSED':
    case 'EXPIRED':
      return { status: row.status, atMs: row.expires_at }
    case 'ANSWERED': {
      const atMs = row.answered_at ?? row.expires_at
      return { status: 'ANSWERED', atMs, answer: answer as WaitAnswer }
    }
    case 'OPEN':
    case 'CANCELLED':
      return null
    default:
      return row.status satisfies never
  }
}
