// The memory used by the values of executing runs in this process. A value counts from the time its
// node returns it until the last node that reads it has settled.
//
// There are two bounds. A node whose value takes its run past `perRun` fails. Once all runs together
// are past `inProcess`, a run waits before it starts another node, until others have ended or need
// less. Two exceptions prevent a standstill: a run that holds little continues, so that nobody
// waits for another account's large values; and a few of those that hold much continue, so that
// they do not wait for each other for ever. Even if these grow to their limit, all runs together
// hold no more than twice the bound.
import { getHeapStatistics } from 'node:v8'
import type { Timers } from '#core/clock.ts'
import { isRecord } from '#core/record.ts'
import { turn } from '#core/turns.ts'
import { RunLimitFailure } from '#graph/node/node-failure.ts'

export type RunMemory = {
  /** Whether runs that need much memory should wait before they begin. */
  isFull(): boolean
  /** For one run; its inputs count from its beginning to its end. */
  open(inputs: Readonly<Record<string, unknown>>): HeldValues
}

export type HeldValues = {
  /** Throws, and adds nothing, if the run may hold no more. */
  add(bytes: number): void
  /** For what the run has made already and keeps to its end: counts, but fails nothing. */
  keep(bytes: number): void
  remove(bytes: number): void
  /** Whether to wait; if so, `wake` is called once the run may try again. */
  mustWait(wake: () => void): boolean
  /** The run has ended here: what its last nodes still do is not counted. */
  close(): void
}

export type MemoryLimits = { perRun: number; inProcess: number; little: number }

const mebibyte = 2 ** 20

/** A part of V8's heap limit, because values are copied when they are stored or sent. */
export function limitsOfProcess(
  heapBytes: number = getHeapStatistics().heap_size_limit,
): MemoryLimits {
  const inProcess = heapBytes / 4
  return { perRun: Math.min(128 * mebibyte, inProcess / 2), inProcess, little: mebibyte / 16 }
}

export function createRunMemory({ perRun, inProcess, little }: MemoryLimits): RunMemory {
  let total = 0
  /** Runs that continue although too much is held. */
  const preferred = new Set<HeldValues>()
  const maxPreferred = Math.max(1, Math.floor(inProcess / perRun))
  const waiting = new Map<() => void, HeldValues>()

  function wakeIfRoom() {
    if (total <= inProcess) preferred.clear()
    if (preferred.size === maxPreferred) return
    // All are woken: those that find no room wait again.
    for (const wake of waiting.keys()) queueMicrotask(wake)
    waiting.clear()
  }

  function open(inputs: Readonly<Record<string, unknown>>): HeldValues {
    let own = memoryOfAll(inputs)
    total += own
    let isClosed = false
    const held: HeldValues = {
      add(bytes) {
        if (isClosed) return
        if (own + bytes > perRun) throw tooMuch(perRun)
        held.keep(bytes)
      },
      keep(bytes) {
        if (isClosed) return
        own += bytes
        total += bytes
      },
      remove(bytes) {
        if (isClosed) return
        own -= bytes
        total -= bytes
        if (waiting.size > 0) wakeIfRoom()
      },
      mustWait(wake) {
        if (isClosed || total <= inProcess || own <= little) return false
        if (preferred.size < maxPreferred) preferred.add(held)
        if (preferred.has(held)) return false
        waiting.set(wake, held)
        return true
      },
      close() {
        preferred.delete(held)
        held.remove(own)
        isClosed = true
        for (const [wake, waiter] of waiting) {
          if (waiter !== held) continue
          waiting.delete(wake)
          queueMicrotask(wake)
        }
      },
    }
    return held
  }
  return { isFull: () => total > inProcess, open }
}

const tooMuch = (bytes: number) =>
  new RunLimitFailure(
    'EXPRESSION_LIMIT',
    `The values of this run need more than ${Math.floor(bytes / mebibyte)} MiB of memory at once. Pass on smaller values, or split the workflow.`,
  )

/** Resolves when there is no need to wait any more. */
export async function untilRoom(held: HeldValues): Promise<void> {
  for (;;) {
    const { promise, resolve } = Promise.withResolvers<void>()
    if (!held.mustWait(resolve)) return
    await promise
  }
}

/** Work on a value of this size takes a noticeable time where many runs do it at the same moment. */
const largeBytes = 65_536

/** The same before work that waits for nothing: on a large value, or on one of many. */
export async function untilRoomAndTurn(
  held: HeldValues,
  timers: Timers,
  bytes = Infinity,
): Promise<void> {
  if (bytes > largeBytes) await turn(timers)
  await untilRoom(held)
}

// What V8 needs for each of these on a 64-bit machine, rounded up.
const bytesOf = { string: 24, char: 2, object: 56, member: 24, list: 32, item: 8, other: 16 }

/** Counting stops here: values may share members, so that a complete walk might never end. */
const mostBytes = 256 * mebibyte
/** Sizes are cached: values never change, and many nodes pass on their inputs. */
const known = new WeakMap<object, number>()
const worthKnowing = 4096

/** The sum over several named values, each of which is counted and cached separately. */
export function memoryOfAll(values: Readonly<Record<string, unknown>>): number {
  let bytes = 0
  for (const name of Object.keys(values)) bytes += memoryOf(values[name])
  return bytes
}

/** Roughly the bytes a value takes in memory: for many small objects far more than as JSON. */
export function memoryOf(value: unknown): number {
  if (typeof value === 'string') return bytesOf.string + bytesOf.char * value.length
  if (typeof value !== 'object' || value === null) return bytesOf.other
  const before = known.get(value)
  if (before !== undefined) return before
  let bytes = 0
  const stack: unknown[] = [value]
  while (stack.length > 0 && bytes <= mostBytes) {
    const item = stack.pop()
    if (typeof item === 'string') bytes += bytesOf.string + bytesOf.char * item.length
    else if (Array.isArray(item)) {
      bytes += bytesOf.list + bytesOf.item * item.length
      for (const element of item) stack.push(element)
    } else if (isRecord(item)) {
      bytes += bytesOf.object
      for (const key of Object.keys(item)) {
        bytes += bytesOf.member + key.length
        stack.push(item[key])
      }
    } else bytes += bytesOf.other
  }
  if (bytes > worthKnowing) known.set(value, bytes)
  return bytes
}
