// One batch of the run journal: its entries and their answers.
import { Interruption, LeaseLost, RunCancelled } from '#core/interruptions.ts'
import type { RunNodeError } from '#core/run-facts.ts'
import type { BegunStep, EndedStep } from '#core/step-states.ts'
import {
  type Claim,
  type FinishedRun,
  type NewWait,
  type OpenedWait,
  type RunEnd,
  type RunSleep,
  type RunSnapshot,
  type Runs,
  type RunsWritten,
  StoreUnavailable,
} from '#store/engine-store.ts'

/** The store refused what a run wrote, or a batch with that of others. */
export class NotWritten extends Interruption {
  override name = 'NotWritten'
  constructor(cause: unknown) {
    super('what the run had to write was refused', { cause })
  }
}

export type Entry<Content, Answer = void> = Content & {
  resolve(value: Answer): void
  reject(error: unknown): void
}

/** Entries that are written together, by kind. */
export type Batch = {
  /** Some run that ends or waits in this batch may have a webhook, whose delivery is stored with it. */
  hasWebhook: boolean
  begun: Entry<{ step: BegunStep }>[]
  ended: Entry<{ step: EndedStep }>[]
  errors: Entry<{ claim: Claim; nodeErrors: readonly RunNodeError[]; hasWaits: boolean }, boolean>[]
  shown: Entry<{ claim: Claim; snapshot: RunSnapshot }>[]
  finished: Entry<{ claim: Claim; end: RunEnd }, FinishedRun>[]
  opened: Entry<{ step: BegunStep; wait: NewWait }, OpenedWait>[]
  asleep: Entry<{ claim: Claim; sleep: RunSleep }, boolean>[]
}

export const newBatch = (hasWebhook: boolean): Batch => ({
  hasWebhook,
  begun: [],
  ended: [],
  errors: [],
  shown: [],
  finished: [],
  opened: [],
  asleep: [],
})

/** Nothing in the batch is at fault. */
const isForeseen = (error: unknown): error is Error =>
  error instanceof StoreUnavailable || error instanceof LeaseLost

const reasonOf = (error: unknown) => (isForeseen(error) ? error : new NotWritten(error))

const runIn = (entry: { step: BegunStep | EndedStep } | { claim: Claim }) =>
  'step' in entry ? entry.step.run_id : entry.claim.id

/** Two batches for one that was refused, each of half of its runs; none if it is not to be split. */
export function halvesOf(batch: Batch, error: unknown): Batch[] {
  const { hasWebhook, ...lists } = batch
  const runs = [...new Set(Object.values(lists).flatMap((entries) => entries.map(runIn)))]
  if (isForeseen(error) || runs.length < 2) return []
  const first = new Set(runs.slice(0, runs.length / 2))
  const half = (isIn: boolean): Batch => ({
    hasWebhook,
    begun: batch.begun.filter((entry) => first.has(runIn(entry)) === isIn),
    ended: batch.ended.filter((entry) => first.has(runIn(entry)) === isIn),
    errors: batch.errors.filter((entry) => first.has(runIn(entry)) === isIn),
    shown: batch.shown.filter((entry) => first.has(runIn(entry)) === isIn),
    finished: batch.finished.filter((entry) => first.has(runIn(entry)) === isIn),
    opened: batch.opened.filter((entry) => first.has(runIn(entry)) === isIn),
    asleep: batch.asleep.filter((entry) => first.has(runIn(entry)) === isIn),
  })
  return [half(true), half(false)]
}

/** The runs of which a batch has results. */
export const runsWithResults = ({ ended }: Batch): string[] => ended.map(({ step }) => step.run_id)

/**
 * Takes out and refuses what must not be stored after results of the same run were lost: an end, a
 * sleep, or a call that may be made from them.
 */
export function refuseAfter(lost: ReadonlyMap<string, unknown>, batch: Batch): void {
  if (lost.size === 0) return
  const refuse = <Refused extends Entry<object, never>>(
    entries: Refused[],
    runOf: (entry: Refused) => string,
  ) =>
    entries.filter((entry) => {
      const runId = runOf(entry)
      if (lost.has(runId)) entry.reject(reasonOf(lost.get(runId)))
      return !lost.has(runId)
    })
  batch.begun = refuse(batch.begun, ({ step }) => step.run_id)
  batch.opened = refuse(batch.opened, ({ step }) => step.run_id)
  batch.asleep = refuse(batch.asleep, ({ claim }) => claim.id)
  batch.finished = refuse(batch.finished, ({ claim }) => claim.id)
}

export function rejectBatch(batch: Batch, error: unknown): void {
  const { begun, ended, errors, shown, finished, opened, asleep } = batch
  const reason = reasonOf(error)
  const entries = [begun, ended, errors, shown, finished, opened, asleep].flat()
  for (const entry of entries) entry.reject(reason)
}

export async function answerBatch(
  { begun, ended, errors, shown, finished, opened, asleep }: Batch,
  written: RunsWritten,
  { runs, workerId }: { runs: Pick<Runs, 'forget'>; workerId: string },
) {
  const cancelled = new Set(written.toCancel.map((run) => run.id))
  const isStopped = ({ step }: { step: BegunStep }) => cancelled.has(step.run_id)
  const stopped = [...begun.filter(isStopped), ...opened.filter(isStopped)]
  // Their calls will not be made. If this write is lost they count as begun, which is safe.
  const unmade = stopped.map(({ step }) => step).filter((step) => step.attempts === 1)
  if (unmade.length > 0) await runs.forget(workerId, unmade)
  for (const entry of stopped) entry.reject(new RunCancelled())
  for (const entry of begun) entry.resolve()
  const waits = new Map(written.opened.map((wait) => [`${wait.run_id} ${wait.path}`, wait]))
  for (const entry of opened) {
    const wait = waits.get(`${entry.wait.run_id} ${entry.wait.path}`)
    if (wait) entry.resolve(wait)
    else entry.reject(new NotWritten(new Error('the wait was not stored')))
  }
  const sleeping = new Set(written.asleep.map((run) => run.id))
  for (const entry of asleep) entry.resolve(sleeping.has(entry.claim.id))
  for (const entry of ended) entry.resolve()
  for (const entry of shown) entry.resolve()
  const asFirst = new Set(written.failed.map((run) => run.id))
  for (const entry of errors) entry.resolve(asFirst.has(entry.claim.id))
  const ends = new Map(written.ended.map((run) => [run.id, run]))
  for (const entry of finished) {
    const run = ends.get(entry.claim.id)
    if (run) entry.resolve(run)
    // Only this run is lost; the others in the batch are still ours.
    else entry.reject(new LeaseLost(entry.claim.id))
  }
}
