// Stores what runs write while they execute: the writes of all runs in one tick share a
// transaction, which checks the lease first. A step is on disk before its call is made, and the
// writes of a run are stored in order: if results are lost, its end is not stored behind them. Never
// writes under a lost lease.
//
//   begin, end, open, sleep, finish, … ─▶ queue of batches ─▶ one transaction per batch ─▶ answers
//                                               ▲
//                                               └─ grows while a batch is being written
import { delay, type Timers } from '#core/clock.ts'
import type { RunNodeError } from '#core/run-facts.ts'
import type { BegunStep, EndedStep, Step } from '#core/step-states.ts'
import {
  type Claim,
  CommitUnknown,
  type FinishedRun,
  type NewWait,
  type OpenedWait,
  type RunEnd,
  type RunSleep,
  type RunSnapshot,
  type Runs,
  StoreUnavailable,
} from '#store/engine-store.ts'
import {
  answerBatch,
  type Batch,
  type Entry,
  halvesOf,
  newBatch,
  refuseAfter,
  rejectBatch,
  runsWithResults,
} from './journal-batch.ts'

export type RunJournal = {
  /** Before a call. Rejects with RunCancelled if a request to stop was stored first. */
  begin(step: BegunStep): Promise<void>
  /** Undoes `begin` of a call that was not made, or is to be made again. If this write is lost, it counts as begun. */
  forget(step: Step): Promise<unknown>
  /** After a call. */
  end(step: EndedStep): Promise<void>
  /** The beginning of a wait: resolves once somebody else can close it. */
  open(step: BegunStep, wait: NewWait, options: { hasWebhook: boolean }): Promise<OpenedWait>
  /** True if it is released and sleeps; false if something has happened meanwhile. */
  sleep(claim: Claim, sleep: RunSleep): Promise<boolean>
  /** True if it was stored before any request to stop. */
  nodeErrors(
    claim: Claim,
    nodeErrors: readonly RunNodeError[],
    options: { hasWaits: boolean },
  ): Promise<boolean>
  show(claim: Claim, snapshot: RunSnapshot): Promise<void>
  finish(claim: Claim, end: RunEnd, options: { hasWebhook: boolean }): Promise<FinishedRun>
}

type JournalOptions = {
  runs: Runs
  workerId: string
  clock: Timers
  /** Aborts when nothing more may be written: the lease is lost, or the process stops. */
  until: AbortSignal
}

/** How often an unavailable database is tried again: runs wait, and lose nothing by it. */
const awayPauseMs = 500

/**
 * The writes of one run keep their order. SQLite executes batches in the order they are sent, so two
 * may be in flight, and a batch of 250 keeps its event loop busy for some milliseconds. PostgreSQL
 * keeps no order between connections, so there is one at a time; it takes 1,000 rows in one
 * statement. A second queue for half of the runs was not worth its processor time (decision 56).
 */
const limitsOn = ({ keepsOrder }: Runs) =>
  keepsOrder ? { atOnce: 2, maxBatch: 250 } : { atOnce: 1, maxBatch: 1_000 }

export function createRunJournal(options: JournalOptions): RunJournal {
  const { runs, workerId } = options
  const add = createQueue(options)
  return {
    begin: (step) => add((batch) => batch.begun, { step }),
    forget: (step) => runs.forget(workerId, [step]).catch(() => {}),
    end: (step) => add((batch) => batch.ended, { step }),
    open: (step, wait, { hasWebhook }) => add((batch) => batch.opened, { step, wait }, hasWebhook),
    sleep: (claim, sleep) => add((batch) => batch.asleep, { claim, sleep }),
    nodeErrors: (claim, nodeErrors, { hasWaits }) =>
      add((batch) => batch.errors, { claim, nodeErrors, hasWaits }),
    show: (claim, snapshot) => add((batch) => batch.shown, { claim, snapshot }),
    finish: (claim, end, { hasWebhook }) =>
      add((batch) => batch.finished, { claim, end }, hasWebhook),
  }
}

/**
 * Adds an entry to one of the lists of the batch that is being filled. The batcher of core does not
 * fit here: whether a batch needs a transaction for its webhooks must be known before it is taken,
 * so batches are closed when entries are added, not when they are taken.
 */
type Add = <Content, Answer>(
  listIn: (batch: Batch) => Entry<Content, Answer>[],
  content: Content,
  hasWebhook?: boolean,
) => Promise<Answer>

function createQueue(options: JournalOptions): Add {
  const { keepsOrder } = options.runs
  const { atOnce, maxBatch } = limitsOn(options.runs)
  const waiting: Batch[] = []
  /** Entries of the newest batch. */
  let count = 0
  let isScheduled = false
  let writing = 0
  /** Batches already handed to the writer but not yet started. */
  let handedOver = 0
  /** Runs of which results were not stored, and why, until everything behind these is refused. */
  const lost = new Map<string, unknown>()

  function batchToFill(hasWebhook: boolean): Batch {
    const last = waiting.at(-1)
    if (last && count++ < maxBatch && (last.hasWebhook || !hasWebhook)) return last
    count = 1
    const batch = newBatch(hasWebhook)
    waiting.push(batch)
    return batch
  }

  function startWriting() {
    isScheduled = false
    while (writing < atOnce && waiting.length > handedOver) void writeNext()
  }

  async function writeNext() {
    writing++
    const hasWebhook = waiting[handedOver++]?.hasWebhook ?? false
    let batch: Batch | undefined
    // Taken when the transaction begins, so that later entries of this tick are in it.
    const take = () => {
      if (batch) return batch
      handedOver--
      batch = waiting.shift() ?? newBatch(false)
      refuseAfter(lost, batch)
      return batch
    }
    const onFailed = (error: unknown, failed: Batch) => {
      for (const runId of runsWithResults(failed)) lost.set(runId, error)
    }
    await writeAndAnswer(options, take, { hasWebhook, onFailed })
    for (const other of waiting) refuseAfter(lost, other)
    for (const runId of runsWithResults(take())) lost.delete(runId)
    writing--
    startWriting()
  }

  return (listIn, content, hasWebhook = false) =>
    new Promise((resolve, reject) => {
      listIn(batchToFill(hasWebhook)).push({ ...content, resolve, reject })
      if (writing === atOnce || isScheduled) return
      // SQLite begins a transaction after this tick by itself.
      if (keepsOrder) return startWriting()
      isScheduled = true
      options.clock.nextTick(startWriting)
    })
}

type Writing = { hasWebhook: boolean; onFailed(error: unknown, failed: Batch): void }

/**
 * Never rejects: every entry is answered. Where batches wait for one another, one that is refused is
 * written again in halves, so that a run whose writes are refused takes no other with it. SQLite,
 * which may have executed the next one, has no text or number that it refuses.
 */
async function writeAndAnswer(
  options: JournalOptions,
  take: () => Batch,
  { hasWebhook, onFailed }: Writing,
): Promise<void> {
  const { runs, workerId } = options
  const told = (error: unknown) => onFailed(error, take())
  const write = () => runs.write(workerId, take, { hasWebhook, onFailed: told })
  try {
    // Retried only where batches wait for one another, so that no later one overtakes it.
    const written = await (runs.keepsOrder ? write() : whileAway(write, options))
    await answerBatch(take(), written, options)
  } catch (error) {
    const halves = runs.keepsOrder ? [] : halvesOf(take(), error)
    for (const half of halves) await writeAndAnswer(options, () => half, { hasWebhook, onFailed })
    if (halves.length > 0) return
    told(error)
    rejectBatch(take(), error)
  }
}

/**
 * Retries if the database was unavailable and certainly wrote nothing. The results of calls are
 * known only here; without them the run would fail, because its calls may have been made.
 */
async function whileAway<T>(write: () => Promise<T>, { clock, until }: JournalOptions): Promise<T> {
  for (;;) {
    try {
      return await write()
    } catch (error) {
      const isAway = error instanceof StoreUnavailable && !(error instanceof CommitUnknown)
      if (!isAway) throw error
      await delay(awayPauseMs, until, clock).catch(() => {
        throw error
      })
    }
  }
}
