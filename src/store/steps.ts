import type { Reader, Tx } from './db.ts'
import { manyRows } from './many-rows.ts'

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

const columns = [
  'run_id',
  'path',
  'kind',
  'status',
  'attempts',
  'started_at',
  'ended_at',
  'task_id',
  'result',
  'error',
  'cost_micros',
] as const

const putStatement = manyRows(
  columns.length,
  (rows) => `insert into steps (${columns.join(', ')}) values ${rows}
    on conflict (run_id, path) do update set status = excluded.status,
      attempts = excluded.attempts, ended_at = excluded.ended_at, task_id = excluded.task_id,
      result = excluded.result, error = excluded.error, cost_micros = excluded.cost_micros`,
)

/** Many in few statements; no two of them may have the same place. */
export const putSteps = (tx: Tx, steps: readonly StepRow[]): Promise<void> =>
  putStatement(
    tx,
    steps.map((step) => columns.map((column) => step[column])),
  )

export const stepsOfRun = (db: Reader, runId: string) =>
  db.query<StepRow>(`select * from steps where run_id = $1 order by started_at, path`, [runId])
