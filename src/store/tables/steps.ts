import type { Db, Reader, Statement } from '../db.ts'
import { manyRows } from '../many-rows.ts'

export type StepKind = 'TEXT' | 'MEDIA' | 'HTTP' | 'IMPORT'
/** STARTED: the call may have left this machine. */
export type StepStatus = 'STARTED' | 'DONE' | 'FAILED'

/** One call outside, by its place in the run: node, item, called workflow, number of the call. */
export type StepRow = {
  run_id: string
  path: string
  kind: StepKind
  status: StepStatus
  attempts: number
  started_at: number
  ended_at: number | null
  task_id: string | null
  result: string | null
  error: string | null
  cost_micros: number | null
}

/** A step as far as it tells how it went. */
export type StepHead = Omit<StepRow, 'result'>

export type StepRecord = {
  /** To be handed over at once. */
  statements: readonly Statement[]
  /** To be called when they were committed, or were not. */
  settle(isStored: boolean): void
}

export type Steps = {
  /** Calls that are about to be made, and calls that have ended. */
  record(begun: readonly StepRow[], ended: readonly StepRow[]): StepRecord
  /** What takes back calls that were begun and then not made. Lost, they count as begun. */
  forget(begun: readonly StepRow[]): Statement
  ofRun(runId: string): Promise<StepRow[]>
  /** Without their results, which are long together. */
  headsOf(runId: string): Promise<StepHead[]>
  close(): Promise<void>
}

const begun = {
  run_id: 'uuid',
  path: 'text',
  kind: 'text',
  status: 'text',
  attempts: 'integer',
  started_at: 'bigint',
} as const
const ended = {
  run_id: 'uuid',
  path: 'text',
  status: 'text',
  ended_at: 'bigint',
  task_id: 'uuid',
  result: 'text',
  error: 'text',
  cost_micros: 'bigint',
} as const
const whole = { ...begun, ...ended } as const

/** Whole steps; no two of them may have the same place. */
export const putSteps = manyRows<StepRow>(whole, ({ insert, of }) => {
  const columns = Object.keys(whole)
  return `insert into steps (${columns.join(', ')}) ${insert(columns.map(of))}
    on conflict (run_id, path) do update set status = excluded.status,
      attempts = excluded.attempts, ended_at = excluded.ended_at, task_id = excluded.task_id,
      result = excluded.result, error = excluded.error, cost_micros = excluded.cost_micros`
})

/** Before their calls are made; no two of them may have the same place. */
const beginSteps = manyRows<Pick<StepRow, keyof typeof begun>>(begun, ({ insert, of }) => {
  const columns = Object.keys(begun)
  return `insert into steps (${columns.join(', ')}) ${insert(columns.map(of))}
    on conflict (run_id, path) do update set status = excluded.status,
      attempts = excluded.attempts`
})

/** After their calls; they have been begun. */
const endSteps = manyRows<Pick<StepRow, keyof typeof ended>>(
  ended,
  ({ of, from }) => `update steps set status = ${of('status')}, ended_at = ${of('ended_at')},
      task_id = ${of('task_id')}, result = ${of('result')}, error = ${of('error')},
      cost_micros = ${of('cost_micros')} ${from}
    where steps.run_id = ${of('run_id')} and steps.path = ${of('path')}`,
)

export const forgetSteps = (steps: readonly StepRow[]): Statement => ({
  sql: `delete from steps where run_id = $1 and path = $2`,
  rows: steps.map(({ run_id, path }) => [run_id, path]),
})

export const stepsOfRun = (db: Reader, runId: string) =>
  db.query<StepRow>(`select * from steps where run_id = $1 order by started_at, path`, [runId])

export const stepHeadsOfRun = (db: Reader, runId: string) =>
  db.query<StepHead>(
    `select run_id, path, kind, status, attempts, started_at, ended_at, task_id, error, cost_micros
     from steps where run_id = $1 order by started_at, path`,
    [runId],
  )

/** Every step in its row at once, for any number of processes. */
export const stepsInRows = (db: Db): Steps => ({
  record: (begun, ended) => ({
    statements: [beginSteps(db.dialect, begun), endSteps(db.dialect, ended)],
    settle() {},
  }),
  forget: forgetSteps,
  ofRun: (runId) => stepsOfRun(db, runId),
  headsOf: (runId) => stepHeadsOfRun(db, runId),
  close: async () => {},
})
