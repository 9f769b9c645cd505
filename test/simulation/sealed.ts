// While schedules are executed, nothing may depend on the machine: chance comes from the seed, and
// whoever asks for the real time or sets a real timer is told so by an error.
import crypto from 'node:crypto'
import { syncBuiltinESMExports } from 'node:module'
import { uuidV7 } from '#core/ids.ts'
import type { Random } from './random.ts'

export type Seal = Disposable & { use(random: Random): void }

/** A tick of the real event loop, which a schedule itself never needs. */
export const realTick = (() => {
  const { setImmediate } = globalThis
  return () => new Promise<void>((resolve) => void setImmediate(resolve))
})()

export function sealWorld(): Seal {
  let current: Random | undefined
  let fills = 0
  const random = () => {
    if (!current) throw new Error('chance before a schedule has begun')
    return current
  }
  const fill = <T extends ArrayBufferView>(view: T): T => {
    fills++
    random().fill(new Uint8Array(view.buffer, view.byteOffset, view.byteLength))
    return view
  }
  const bytes = (size: number) => fill(Buffer.alloc(size))
  const restore = [
    replace(crypto, { randomFillSync: fill, randomBytes: bytes, randomUUID: () => uuid(bytes) }),
    // Errors are part of every schedule, and their stacks cost more than all else about them.
    replace(Error, { stackTraceLimit: 0 }),
    replace(Math, { random: () => random().next() }),
    replace(Date, { now: refused('Date.now') }),
    replace(performance, { now: refused('performance.now') }),
    replace(AbortSignal, { timeout: refused('AbortSignal.timeout') }),
    replace(globalThis, {
      setTimeout: refused('setTimeout'),
      setInterval: refused('setInterval'),
      setImmediate: refused('setImmediate'),
    }),
  ]
  syncBuiltinESMExports()
  return {
    use(next) {
      current = next
      // Ids are cut from bytes drawn in bulk: what is left of another schedule's is used up here.
      for (const before = fills; fills === before; ) uuidV7(0)
    },
    [Symbol.dispose]() {
      for (const undo of restore) undo()
      syncBuiltinESMExports()
    },
  }
}

const refused = (what: string) => () => {
  throw new Error(`${what} was used: it is not simulated`)
}

const uuid = (bytes: (size: number) => Buffer) =>
  bytes(16)
    .toString('hex')
    .replace(/^(.{8})(.{4}).(.{3}).(.{3})(.{12})$/, '$1-$2-4$3-8$4-$5')

function replace(target: object, values: Record<string, unknown>): () => void {
  const names = Object.keys(values)
  const before = names.map((name) => [name, Object.getOwnPropertyDescriptor(target, name)] as const)
  for (const name of names) {
    const value = values[name]
    Object.defineProperty(target, name, { value, writable: true, configurable: true })
  }
  return () => {
    for (const [name, descriptor] of before) {
      if (descriptor) Object.defineProperty(target, name, descriptor)
      else delete (target as Record<string, unknown>)[name]
    }
  }
}
