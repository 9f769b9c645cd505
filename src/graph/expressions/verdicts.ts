import { createBoundedMap } from '#core/bounded-map.ts'
import type { Reply } from '#isolation/isolated-pool.ts'

/** The verdict on one expression or schema, and the processor time it took. */
export type Judged<Verdict> = { verdict: Verdict; spentMs: number }

type Question = { key: string | null; ask(): Promise<Reply> }

// Processor time for everything in one graph: a hundred times what a large one needs.
const totalLimitMs = 5_000
const together = `All of them together take more than ${totalLimitMs} ms of processor time.`
const maxRemembered = 2_000
const maxRememberedBytes = 4 * 1024 * 1024

/**
 * Checks what users wrote, in order. A verdict that depends only on the text (`key`) is cached: the
 * canvas checks again after every change, and a retried request continues where the last one
 * stopped. After an overrun the rest is not checked, and its verdicts are null.
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
