// Stores submissions in batches: those of one tick, and those that came while the last batch was
// being written, share a transaction. Of several submissions with the same key, one makes the run
// and the others find it. A run and its key are one row under a unique index, so that this holds
// between processes too.
//
//   submit ─▶ batcher ─▶ batch ─▶ Runs.submit ─▶ every submission is answered
//                ▲         │
//                │         └─ slower than 200 ms: another process is undecided about one of its
//                │            keys. The batch goes on by itself, and the next one starts without
//                └─────────── waiting for it. Submissions to its lists (account and workflow) are
//                             set aside until it has been written, then added again.
import { createBatcher, type Take } from '#core/batcher.ts'
import type { TimedClock } from '#core/clock.ts'
import { within } from '#core/deadline.ts'
import type { PendingSubmission, SubmitRun, SubmittedRun } from '#core/run-submission.ts'
import type { HoldRunSlots, Runs } from '#store/engine-store.ts'
import { makeRuns } from './make-runs.ts'

type SubmitDeps = {
  runs: Pick<Runs, 'submit'>
  clock: TimedClock
  maxQueued: number
  queueTimeoutMs: number
  /** Slots of the worker in this process, if it has one. */
  holdSlots?: HoldRunSlots
}

// Twice what a fast client has in flight: a batch must not keep the writer from its other work.
const maxBatch = 500
// Some ten times what a batch takes on a busy machine.
const overtakenAfterMs = 200
// Each occupies a connection of the pool.
const maxHeldUp = 3

export function createRunSubmitter(deps: SubmitDeps): SubmitRun {
  const submissions = createBatcher(writeBatch, { maxItems: maxBatch, timers: deps.clock })
  /** Lists of overtaken batches that are not written yet, with the submissions set aside. */
  const heldUp = new Map<string, PendingSubmission[]>()
  let batchesHeldUp = 0
  /** Lists and keys whose first submission in this process is not answered yet. */
  const undecided = new Set<string>()

  async function writeBatch(
    takeNext: Take<PendingSubmission['item'], SubmittedRun>,
  ): Promise<void> {
    let batch: PendingSubmission[] | undefined
    // Taken when the transaction begins, so that later submissions of this tick are in it.
    const take = () => {
      batch ??= takeNext().filter((entry) => !isSetAside(entry))
      return batch
    }
    const stored = storeAll(deps, take).then(() => true)
    const isInTime = () => within(overtakenAfterMs, stored, () => false, deps.clock)
    if (!(await (batchesHeldUp === maxHeldUp ? stored : isInTime()))) goOnWithout(take(), stored)
  }

  function isSetAside(entry: PendingSubmission): boolean {
    const aside = heldUp.get(entry.item.list)
    aside?.push(entry)
    return aside !== undefined
  }

  /** One undecided key must not stop the submissions of everybody else. */
  function goOnWithout(batch: readonly PendingSubmission[], stored: Promise<unknown>) {
    const lists = new Set(batch.map(({ item }) => item.list))
    for (const list of lists) heldUp.set(list, [])
    batchesHeldUp++
    void stored.then(() => {
      batchesHeldUp--
      for (const list of lists) {
        const aside = heldUp.get(list) ?? []
        heldUp.delete(list)
        for (const { item, resolve, reject } of aside) submissions.add(item).then(resolve, reject)
      }
    })
  }

  return (submission) => {
    const list = `${submission.principal.accountId} ${submission.workflow.id}`
    const key = `${list} ${submission.key}`
    const submitted = submissions.add({ list, submission })
    if (undecided.has(key)) submission.onDuplicate?.()
    else {
      undecided.add(key)
      const decided = () => void undecided.delete(key)
      submitted.then(decided, decided)
    }
    return submitted
  }
}

/** Answers every submission of the batch. */
async function storeAll(deps: SubmitDeps, take: () => readonly PendingSubmission[]): Promise<void> {
  const { runs, clock, maxQueued, holdSlots } = deps
  try {
    const answers = await runs.submit({
      ...{ take, maxQueued, holdSlots, nowMs: clock.nowMs },
      make: (byKey, state) => makeRuns(deps, byKey, state),
    })
    for (const answer of answers) answer()
  } catch (error) {
    for (const entry of take()) entry.reject(error)
  }
}
