import type { Db, Reader, Tx } from './db.ts'
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
export const putSteps = (tx: Tx, db: Pick<Db, 'kind'>, steps: readonly StepRow[]): Promise<void> =>
  putStatement(
    tx,
    db,
    steps.map((step) => columns.map((column) => step[column])),
  )

const begun = ['run_id', 'path', 'kind', 'status', 'attempts', 'started_at'] as const

const beginStatement = manyRows(
  begun.length,
  (rows) => `insert into steps (${begun.join(', ')}) values ${rows}
    on conflict (run_id, path) do update set status = excluded.status,
      attempts = excluded.attempts`,
)

/** Before their calls are made. */
export const beginSteps = (
  tx: Tx,
  db: Pick<Db, 'kind'>,
  steps: readonly StepRow[],
): Promise<void> =>
  beginStatement(
    tx,
    db,
    steps.map((step) => begun.map((column) => step[column])),
  )

/** After their calls; they have been begun. */
export async function endSteps(
  tx: Tx,
  db: Pick<Db, 'kind'>,
  steps: readonly StepRow[],
): Promise<void> {
  // Many rows in one statement are an insert; one by one, an update is cheaper.
  if (db.kind === 'postgres') return putSteps(tx, db, steps)
  await Promise.all(
    steps.map((step) =>
      tx.write(
        `update steps set status = $3, ended_at = $4, task_id = $5, result = $6, error = $7,
           cost_micros = $8 where run_id = $1 and path = $2`,
        [
          step.run_id,
          step.path,
          step.status,
          step.ended_at,
          step.task_id,
          step.result,
          step.error,
          step.cost_micros,
        ],
      ),
    ),
  )
}

export const stepsOfRun = (db: Reader, runId: string) =>
  db.query<StepRow>(`select * from steps where run_id = $1 order by started_at, path`, [runId])
