// Steps on SQLite. Every run has a place of its own in `steps`, so that each commit would write a
// page for each run at work. Here the steps of one moment are one row of a log, and get to their
// places a moment later: many at a time, and most of them once, when they have ended. Promises that
// a step whose commit was answered survives anything, and that whoever asks for it finds it.
import type { Clock } from '#core/clock.ts'
import { type Db, GuardFailed, type Statement } from '../db.ts'
import { soon } from '../soon.ts'
import {
  forgetSteps,
  putSteps,
  type StepRecord,
  type StepRow,
  type Steps,
  stepHeadsOfRun,
  stepsInRows,
  stepsOfRun,
} from '../tables/steps.ts'

const moveAfterMs = 100
/** No more wait than can be kept in memory, and read at the next start. */
const maxWaiting = 10_000
/** Moved in one commit, so that nobody waits long behind it. */
const movedAtOnce = 250
const rowsReadAtOnce = 200

/** A row of the log. */
type LogRecord = { id: number; steps: readonly StepRow[]; settled: () => void }

/** What rows of the log tell: of each step the last, by run and path. */
type Told = { ids: number[]; steps: Map<string, Map<string, StepRow>> }

const nothingTold = (): Told => ({ ids: [], steps: new Map() })

type StepsOptions = { db: Db; clock: Clock; onError(error: unknown): void }

export const openSteps = async (options: StepsOptions): Promise<Steps> =>
  options.db.kind === 'sqlite' ? openStepLog(options) : stepsInRows(options.db)

async function openStepLog({ db, clock, onError }: StepsOptions): Promise<Steps> {
  await moveLeftBehind(db)
  // No two openings use the same numbers.
  let lastId = clock.nowMs() * 1_000
  /** Handed over, and not answered yet. */
  const unsettled = new Set<LogRecord>()
  let waiting = nothingTold()
  let moving = nothingTold()
  let count = 0

  const moves = soon(
    async () => {
      moving = waiting
      waiting = nothingTold()
      count = 0
      try {
        await move(db, moving)
      } catch (error) {
        waiting = together(moving, waiting)
        throw error
      } finally {
        moving = nothingTold()
      }
    },
    { afterMs: moveAfterMs, onError },
  )
  function keep(record: LogRecord) {
    tell(waiting, record)
    const before = count
    count += record.steps.length
    if (before < maxWaiting && count >= maxWaiting) moves.now().catch(onError)
    else moves.ask()
  }

  let closing: Promise<void> | undefined
  const finish = async () => {
    await moves.now().catch(onError)
    await moves.stop()
  }

  async function allInTable(runId: string): Promise<void> {
    // It may have been committed, so that others see what came with it, and not answered yet.
    for (const record of unsettled) {
      if (record.steps.some(({ run_id }) => run_id === runId)) await settled(record)
    }
    if (waiting.steps.has(runId) || moving.steps.has(runId)) await moves.now()
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
          if (isStored) keep(record)
          record.settled()
        },
      }
    },
    forget(steps) {
      for (const { run_id, path } of steps) {
        moving.steps.get(run_id)?.delete(path)
        waiting.steps.get(run_id)?.delete(path)
      }
      return forgetSteps(steps)
    },
    async ofRun(runId) {
      await allInTable(runId)
      return stepsOfRun(db, runId)
    },
    async headsOf(runId) {
      await allInTable(runId)
      return stepHeadsOfRun(db, runId)
    },
    close() {
      closing ??= finish()
      return closing
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

/** A list, because it is written with every call. */
type Entry = [
  ...[string, string, StepRow['kind'], StepRow['status'], number, number],
  ...[number | null, string | null, string | null, string | null, number | null],
]

const toEntry = (s: StepRow): Entry => [
  s.run_id,
  s.path,
  s.kind,
  s.status,
  s.attempts,
  s.started_at,
  s.ended_at,
  s.task_id,
  s.result,
  s.error,
  s.cost_micros,
]

function toStep(entry: Entry): StepRow {
  const [run_id, path, kind, status, attempts, started_at, ...outcome] = entry
  const [ended_at, task_id, result, error, cost_micros] = outcome
  const begun = { run_id, path, kind, status, attempts, started_at }
  return { ...begun, ended_at, task_id, result, error, cost_micros }
}

function tell(told: Told, { id, steps }: Pick<LogRecord, 'id' | 'steps'>) {
  told.ids.push(id)
  for (const step of steps) {
    const run = told.steps.get(step.run_id)
    if (run) run.set(step.path, step)
    else told.steps.set(step.run_id, new Map([[step.path, step]]))
  }
}

function together(earlier: Told, later: Told): Told {
  const steps = new Map(earlier.steps)
  for (const [runId, run] of later.steps) {
    steps.set(runId, new Map([...(steps.get(runId) ?? []), ...run]))
  }
  return { ids: [...earlier.ids, ...later.ids], steps }
}

/**
 * What has left the log was moved by somebody else, and may be older by now than what he wrote.
 * Others write between the parts, and may make some of it unnecessary.
 */
async function move(db: Db, { ids, steps }: Told): Promise<void> {
  const isLogged: Statement = {
    sql: `select id from step_log where id = $1`,
    rows: ids.slice(0, 1).map((id) => [id]),
    isGuard: true,
  }
  const unlog: Statement = {
    sql: `delete from step_log where id = $1`,
    rows: ids.map((id) => [id]),
  }
  let part: Map<string, StepRow>[] = []
  let count = 0
  const put = (...more: Statement[]) => {
    const rows = part.flatMap((run) => [...run.values()])
    part = []
    count = 0
    return db.writeAll(() => [isLogged, putSteps(db.kind, rows), ...more])
  }
  try {
    for (const run of steps.values()) {
      part.push(run)
      count += run.size
      if (count >= movedAtOnce) await put()
    }
    if (ids.length > 0) await put(unlog)
  } catch (error) {
    if (!(error instanceof GuardFailed)) throw error
  }
}

/** Dying here is harmless: what was not moved is still in the log. */
async function moveLeftBehind(db: Db): Promise<void> {
  for (;;) {
    const rows = await db.query<{ id: number; entries: string }>(
      `select id, entries from step_log order by id limit $1`,
      [rowsReadAtOnce],
    )
    if (rows.length === 0) return
    const told = nothingTold()
    for (const { id, entries } of rows) tell(told, { id, steps: JSON.parse(entries).map(toStep) })
    await move(db, told)
  }
}
