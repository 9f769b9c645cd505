// Stores submissions in batches: those of one tick, and those that came while the last batch was
// being written, share a transaction. Of submissions with one key, one makes the run and the
// others find it. A run and its key are one row under a unique index, so that this holds between
// processes too.
//
//   submit ─▶ queue ─▶ batch ─▶ store-submissions ─▶ every submission is answered
//               ▲        │
//               │        └─ slower than 200 ms: another process is undecided about one of its keys.
//               │           The batch is left to itself, and the next one goes ahead without
//               └────────── submissions to the same lists (account and workflow).
import { within } from '#core/deadline.ts'
import type { RunSubmission, SubmitRun } from '#core/run-submission.ts'
import type { PendingSubmission } from './make-runs.ts'
import { type StoreDeps, storeSubmissions } from './store-submissions.ts'

// Twice what a fast client has under way: a batch must not keep the writer from its other work.
const maxBatch = 500
// Some ten times what a batch takes on a busy machine.
const overtakenAfterMs = 200
// Each keeps a connection of the pool.
const maxHeldUp = 3

export function createRunSubmitter(deps: StoreDeps): SubmitRun {
  let queue: PendingSubmission[] = []
  let isWriting = false
  /** Lists of batches that were overtaken and are not written yet. */
  const heldUp = new Set<string>()
  let batchesHeldUp = 0
  const isFree = ({ list }: PendingSubmission) => !heldUp.has(list)

  function takeBatch(): PendingSubmission[] {
    const batch = queue.filter(isFree).slice(0, maxBatch)
    const taken = new Set(batch)
    queue = queue.filter((entry) => !taken.has(entry))
    return batch
  }

  async function write() {
    while (queue.some(isFree)) {
      let batch: PendingSubmission[] | undefined
      // Taken when the transaction begins, so that later submissions of this tick are in it.
      const take = () => {
        batch ??= takeBatch()
        return batch
      }
      const stored = storeAll(deps, take)
      const isInTime =
        batchesHeldUp === maxHeldUp
          ? stored.then(() => true)
          : within(
              overtakenAfterMs,
              stored.then(() => true),
              () => false,
            )
      if (!(await isInTime)) goOnWithout(take(), stored)
    }
    isWriting = false
  }

  /** One undecided key must not stop the submissions of everybody else. */
  function goOnWithout(batch: readonly PendingSubmission[], stored: Promise<void>) {
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
    // After the later submissions of this tick.
    setImmediate(write)
  }

  return (submission: RunSubmission) =>
    new Promise((resolve, reject) => {
      const list = `${submission.principal.accountId} ${submission.workflow.id}`
      queue.push({ list, submission, resolve, reject })
      start()
    })
}

/** Answers all of them. */
async function storeAll(deps: StoreDeps, take: () => readonly PendingSubmission[]): Promise<void> {
  try {
    for (const answer of await storeSubmissions(deps, take)) answer()
  } catch (error) {
    for (const entry of take()) entry.reject(error)
  }
}
