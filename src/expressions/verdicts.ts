import { createBoundedMap } from '#core/bounded-map.ts'
import type { Reply } from './isolated-pool.ts'

/** What a process says of one expression or schema, and what looking at it cost. */
export type Judged<Verdict> = { verdict: Verdict; spentMs: number }

type Question = { key: string | null; ask(): Promise<Reply> }

// Processor time for everything in one graph: a hundred times what large ones need.
const totalLimitMs = 5_000
const together = `All of them together take more than ${totalLimitMs} ms of processor time.`
const maxRemembered = 2_000
const maxRememberedBytes = 4 * 1024 * 1024

/**
 * Verdicts on what users wrote, in order. One that depends on nothing but its text (`key`) is
 * remembered: a canvas asks again at every change, and a retried request goes on where the last
 * one stopped. After one overrun no further one is looked at: null.
 */
export function createVerdicts<Verdict extends object>(
  read: (value: unknown) => Judged<Verdict>,
  overrun: (reason: string) => Verdict,
) {
  const remembered = createBoundedMap<Verdict>({
    maxEntries: maxRemembered,
    maxBytes: maxRememberedBytes,
    bytesOf: (verdict, key) => 2 * (key.length + JSON.stringify(verdict).length),
  })
  return async (questions: readonly Question[]): Promise<(Verdict | null)[]> => {
    const verdicts: (Verdict | null)[] = []
    let leftMs = totalLimitMs
    let isOver = false
    for (const { key, ask } of questions) {
      const known = key === null ? undefined : remembered.get(key)
      if (known || isOver) {
        verdicts.push(known ?? null)
        continue
      }
      const reply = leftMs > 0 ? await ask() : { limit: together }
      if ('value' in reply) {
        const { verdict, spentMs } = read(reply.value)
        verdicts.push(verdict)
        leftMs -= spentMs
        if (key !== null) remembered.set(key, verdict)
      } else {
        verdicts.push(overrun('limit' in reply ? reply.limit : 'It cannot be checked.'))
        isOver = true
      }
    }
    return verdicts
  }
}
