// Stores submissions: those of one turn, and those that came while the last were being written,
// share a transaction. Of submissions with one key, one makes the run; the others find it. A run
// and its key are one row under a unique index, so that this holds between processes too.
import type { Spender } from '#core/generation.ts'
import type { KnownKey } from '#store/tables/runs.ts'
import {
  type RunOrder,
  type StoreParts,
  type Submission,
  storeSubmissions,
} from './store-submissions.ts'

export type Intake = {
  /** Once this resolves the run survives anything; `isNew` is false where the key had one. */
  submit(principal: Spender, order: RunOrder): Promise<{ run: KnownKey; isNew: boolean }>
}

const maxBatch = 500
const overtakenAfterMs = 200
// Each keeps a connection.
const maxHeldUp = 3

export function createRunIntake(parts: StoreParts): Intake {
  let queue: Submission[] = []
  let isWriting = false
  /** By list: written already, and waiting for a transaction of another process. */
  const heldUp = new Set<string>()
  let batchesHeldUp = 0
  const isFree = ({ list }: Submission) => !heldUp.has(list)

  function takeBatch(): Submission[] {
    const batch = queue.filter(isFree).slice(0, maxBatch)
    const taken = new Set(batch)
    queue = queue.filter((entry) => !taken.has(entry))
    return batch
  }

  async function write() {
    while (queue.some(isFree)) {
      let batch: Submission[] | undefined
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
  function goOnWithout(batch: readonly Submission[], stored: Promise<void>) {
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
    // After this turn's later submissions.
    setImmediate(write)
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
async function storeAll(parts: StoreParts, take: () => readonly Submission[]): Promise<void> {
  try {
    for (const answer of await storeSubmissions(parts, take)) answer()
  } catch (error) {
    for (const entry of take()) entry.reject(error)
  }
}
