// The step log: steps on SQLite. Rows of `steps` are clustered by run, so writing them with every
// commit would touch a page for each active run. Instead the steps of one batch are appended to
// `step_log` as a single row and moved to their own rows later, many at a time and most of them
// only once, after they have ended:
//
//   record ─▶ insert into step_log ─▶ settle ─▶ waiting ──100 ms──▶ moving ─▶ steps, log row deleted
//             (the batch's own commit)            └── only the latest state of each step ──┘
//
// Promises that a step whose commit was confirmed survives anything: it is in the log or in its
// row. Reading the steps of a run moves them first, so that it finds all that were committed. Log
// rows that a killed process left are moved at the next start, before anything else is recorded.
import type { TimedClock, Timers } from '#core/clock.ts'
import { coalesce } from '#core/coalesce.ts'
import type { Step } from '#core/step-states.ts'
import { type Db, GuardFailed, type Statement } from '../db.ts'
import {
  forgetSteps,
  oneByOne,
  putSteps,
  resultOfStep,
  type StepRecord,
  type Steps,
  stepHeadsOfRun,
  stepsInRows,
  stepsOfRun,
} from '../tables/steps.ts'

const moveAfterMs = 100
const retryMs = 1_000
/** When so many wait they are moved at once, to bound memory and the work of the next start. */
const maxWaiting = 10_000
/** Steps moved in one commit: few enough that nobody waits long behind it. */
const movedAtOnce = 50
const rowsReadAtOnce = 200

/** A row of the log. */
type LogRecord = { id: number; steps: readonly Step[]; settled: () => void }

/** Rows of the log, and the latest state of each step in them, by run and path. */
type Logged = { ids: number[]; steps: Map<string, Map<string, Step>> }

const nothingLogged = (): Logged => ({ ids: [], steps: new Map() })

type StepsOptions = { db: Db; clock: TimedClock; onError(error: unknown): void }

export const openSteps = async (options: StepsOptions): Promise<Steps> =>
  options.db.isShared ? stepsInRows(options.db) : openStepLog(options)

async function openStepLog({ db, clock, onError }: StepsOptions): Promise<Steps> {
  await moveLeftovers(db)
  // From the clock, so that no two starts use the same ids.
  let lastId = clock.nowMs() * 1_000
  /** Records handed over to be written, whose outcome is not known yet. */
  const unsettled = new Set<LogRecord>()
  const moves = openMoves(db, clock, onError)
  let closing: Promise<void> | undefined

  async function inRows(runIds: readonly string[]): Promise<void> {
    const runs = new Set(runIds)
    // A record may already be committed, and so visible to others, but not confirmed yet.
    for (const record of [...unsettled]) {
      const isOfThem = record.steps.some(({ run_id }) => runs.has(run_id))
      if (isOfThem && unsettled.has(record)) await settled(record)
    }
    await moves.moveStepsOf(runs)
  }
  async function ofRun(runId: string): Promise<Step[]> {
    await inRows([runId])
    return stepsOfRun(db, runId)
  }

  return {
    record(begun, ended) {
      const steps = [...begun, ...ended]
      if (steps.length === 0) return nothingRecorded
      const record = { id: ++lastId, steps, settled: () => {} }
      unsettled.add(record)
      return {
        statements: [logSteps(record)],
        settle(isStored) {
          unsettled.delete(record)
          if (isStored) moves.add(record)
          record.settled()
        },
      }
    },
    forget(steps) {
      moves.forget(steps)
      return forgetSteps(steps)
    },
    ofRun,
    ofRuns: (runIds) => oneByOne(runIds, ofRun),
    // A step that was listed is already in the table.
    resultOf: (step) => resultOfStep(db, step),
    async headsOf(runId) {
      await inRows([runId])
      return stepHeadsOfRun(db, runId)
    },
    inRows,
    close() {
      closing ??= moves.close()
      return closing
    },
  }
}

/** Steps that are in the log but not yet in their rows, and the moves that bring them there. */
function openMoves(db: Db, timers: Timers, onError: (error: unknown) => void) {
  let waiting = nothingLogged()
  let moving = nothingLogged()
  let count = 0

  const moves = coalesce(
    async () => {
      moving = waiting
      waiting = nothingLogged()
      count = 0
      try {
        await move(db, moving)
      } catch (error) {
        waiting = together(moving, waiting)
        throw error
      } finally {
        moving = nothingLogged()
      }
    },
    { afterMs: moveAfterMs, retryMs, onError, timers },
  )
  return {
    add(record: LogRecord) {
      addTo(waiting, record)
      const before = count
      count += record.steps.length
      if (before < maxWaiting && count >= maxWaiting) moves.run().catch(onError)
      else moves.schedule()
    },
    forget(steps: readonly Step[]) {
      for (const { run_id, path } of steps) {
        moving.steps.get(run_id)?.delete(path)
        waiting.steps.get(run_id)?.delete(path)
      }
    },
    async moveStepsOf(runs: ReadonlySet<string>) {
      const isOfThem = ({ steps }: Logged) => !runs.isDisjointFrom(steps)
      if (isOfThem(waiting) || isOfThem(moving)) await moves.run()
    },
    async close() {
      await moves.run().catch(onError)
      await moves.stop()
    },
  }
}

const nothingRecorded: StepRecord = { statements: [], settle() {} }

const settled = (record: LogRecord) =>
  new Promise<void>((resolve) => {
    const before = record.settled
    record.settled = () => {
      before()
      resolve()
    }
  })

const logSteps = ({ id, steps }: LogRecord): Statement => ({
  sql: `insert into step_log (id, entries) values ($1, $2)`,
  rows: [[id, JSON.stringify(steps.map(toEntry))]],
})

/** A tuple, which is short, because one is written with every call: what is null at its end is left out. */
type Entry = [
  ...[string, string, Step['kind'], Step['status'], number, number],
  ...Partial<[number | null, string | null, string | null, string | null, number | null]>,
  ...Partial<[string | null]>,
]

// Written out, because this is done for every call: spread arrays took twice as long.
function toEntry(s: Step): Entry {
  const { run_id, path, kind, status, attempts, started_at, task_id } = s
  if (s.status === 'STARTED')
    return task_id === null
      ? [run_id, path, kind, status, attempts, started_at]
      : [run_id, path, kind, status, attempts, started_at, null, task_id]
  const { ended_at, result } = s
  if (s.status === 'FAILED') {
    const error = JSON.stringify(s.error)
    return [run_id, path, kind, status, attempts, started_at, ended_at, task_id, result, error]
  }
  const { cost_micros: cost, reuse = null } = s
  // biome-ignore format: the columns in one line
  return [run_id, path, kind, status, attempts, started_at, ended_at, task_id, result, null, cost, reuse]
}

function toStep(entry: Entry): Step {
  const [run_id, path, kind, status, attempts, started_at, ...outcome] = entry
  const [ended_at = null, task_id = null, result = null, error = null, ...rest] = outcome
  const [cost_micros = null, reuse = null] = rest
  const begun = { run_id, path, kind, status, attempts, started_at }
  const ended = { ended_at, task_id, result, error: error && JSON.parse(error), cost_micros }
  return { ...begun, ...ended, reuse } as Step
}

function addTo(logged: Logged, { id, steps }: Pick<LogRecord, 'id' | 'steps'>) {
  logged.ids.push(id)
  for (const step of steps) {
    const run = logged.steps.get(step.run_id)
    if (run) run.set(step.path, step)
    else logged.steps.set(step.run_id, new Map([[step.path, step]]))
  }
}

function together(earlier: Logged, later: Logged): Logged {
  const steps = new Map(earlier.steps)
  for (const [runId, run] of later.steps) {
    steps.set(runId, new Map([...(steps.get(runId) ?? []), ...run]))
  }
  return { ids: [...earlier.ids, ...later.ids], steps }
}

/**
 * Moves steps in several commits; others write in between, and may forget steps that are still to
 * be moved. If the first log row is gone, another process has moved these steps. Those held here
 * may be stale, because the new owner of a run could have written since, so none is written.
 */
async function move(db: Db, { ids, steps }: Logged): Promise<void> {
  const isLogged: Statement = {
    sql: `select id from step_log where id = $1`,
    rows: ids.slice(0, 1).map((id) => [id]),
    isGuard: true,
  }
  const unlog: Statement = {
    sql: `delete from step_log where id = $1`,
    rows: ids.map((id) => [id]),
  }
  let runs: Map<string, Step>[] = []
  let count = 0
  const put = (...more: Statement[]) => {
    const rows = runs.flatMap((run) => [...run.values()])
    runs = []
    count = 0
    return db.writeAll(() => [isLogged, putSteps(db.dialect, rows), ...more])
  }
  try {
    for (const run of steps.values()) {
      runs.push(run)
      count += run.size
      if (count >= movedAtOnce) await put()
    }
    if (ids.length > 0) await put(unlog)
  } catch (error) {
    if (!(error instanceof GuardFailed)) throw error
  }
}

/** A crash here is harmless: what was not moved is still in the log. */
export async function moveLeftovers(db: Db): Promise<void> {
  for (;;) {
    const rows = await db.query<{ id: number; entries: string }>(
      `select id, entries from step_log order by id limit $1`,
      [rowsReadAtOnce],
    )
    if (rows.length === 0) return
    const logged = nothingLogged()
    for (const { id, entries } of rows)
      addTo(logged, { id, steps: JSON.parse(entries).map(toStep) })
    await move(db, logged)
  }
}
