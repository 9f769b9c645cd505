import type { NodeError } from '#core/run-facts.ts'
import type { BegunStep, EndedStep, Step, StepKind } from '#core/step-states.ts'
import type { Db, Reader, Statement } from '../db.ts'
import type { Dialect } from '../dialect.ts'
import { manyRows } from '../many-rows.ts'
import { bigint, integer, json, orNull, type Row, table, text, time, uuid } from '../table.ts'

const stepTable = table({
  run_id: uuid,
  path: text(),
  kind: text<StepKind>(),
  status: text<Step['status']>(),
  attempts: integer,
  started_at: time,
  ended_at: orNull(time),
  task_id: orNull(uuid),
  result: orNull(text()),
  error: orNull(json<NodeError>()),
  cost_micros: orNull(bigint),
  reuse: orNull(text()),
})
const whole = stepTable.all.states<Step & { reuse: string | null }>()
const heads = stepTable.without('result')

/** A step without its result. */
export type StepHead = Omit<Row<typeof heads>, 'reuse'> & { reuse?: string | null }

/** A step as the database stores it. */
export type StepCells = Record<keyof Step | 'reuse', string | number | null>
export function encodeStep(step: Step): StepCells {
  const cells = stepTable.encode<keyof StepCells>(step as Step & { reuse: string | null })
  cells.reuse ??= null
  return cells
}

export type StepRecord = {
  /** To be handed to the database at once. */
  statements: readonly Statement[]
  /** To be called once it is known whether they were committed. */
  settle(isStored: boolean): void
}

export type Steps = {
  /** Records calls that are about to be made, and calls that have ended. */
  record(begun: readonly BegunStep[], ended: readonly EndedStep[]): StepRecord
  /** Undoes calls that were begun but not made. If this write is lost, they count as begun. */
  forget(steps: readonly Step[]): Statement
  /** Long results are left out: those of thousands of steps could amount to gigabytes. */
  ofRun(runId: string): Promise<Step[]>
  /** The same of several runs. */
  ofRuns(runIds: readonly string[]): Promise<ReadonlyMap<string, Step[]>>
  /** One result that `ofRun` left out. */
  resultOf(step: Pick<Step, 'run_id' | 'path'>): Promise<string>
  /** Without results, which together may be long. */
  headsOf(runId: string): Promise<StepHead[]>
  /** Resolves once all that was committed about the calls of these runs before is in their rows. */
  inRows(runIds: readonly string[]): Promise<void>
  close(): Promise<void>
}

const begun = stepTable.types('run_id', 'path', 'kind', 'status', 'attempts', 'started_at')
const ended = stepTable.types(
  ...(['run_id', 'path', 'status', 'ended_at', 'task_id', 'result', 'error'] as const),
  ...(['cost_micros', 'reuse'] as const),
)
const all = { ...begun, ...ended } as const

const putStatement = manyRows<StepCells>(all, ({ insert, of }) => {
  const columns = Object.keys(all)
  return `insert into steps (${columns.join(', ')}) ${insert(columns.map(of))}
    on conflict (run_id, path) do update set status = excluded.status,
      attempts = excluded.attempts, ended_at = excluded.ended_at, task_id = excluded.task_id,
      result = excluded.result, error = excluded.error, cost_micros = excluded.cost_micros,
      reuse = excluded.reuse`
})

/** Whole steps; no two of them may have the same path. */
export const putSteps = (dialect: Dialect, steps: readonly Step[]): Statement =>
  putStatement(dialect, steps.map(encodeStep))

/** Before their calls are made; no two of them may have the same path. */
const beginSteps = manyRows<Pick<StepCells, keyof typeof begun>>(begun, ({ insert, of }) => {
  const columns = Object.keys(begun)
  return `insert into steps (${columns.join(', ')}) ${insert(columns.map(of))}
    on conflict (run_id, path) do update set status = excluded.status,
      attempts = excluded.attempts`
})

/** After their calls; the steps have been begun. */
const endSteps = manyRows<Pick<StepCells, keyof typeof ended>>(
  ended,
  ({ of, from }) => `update steps set status = ${of('status')}, ended_at = ${of('ended_at')},
      task_id = ${of('task_id')}, result = ${of('result')}, error = ${of('error')},
      cost_micros = ${of('cost_micros')}, reuse = ${of('reuse')} ${from}
    where steps.run_id = ${of('run_id')} and steps.path = ${of('path')}`,
)

export const forgetSteps = (steps: readonly Step[]): Statement => ({
  sql: `delete from steps where run_id = $1 and path = $2`,
  rows: steps.map(({ run_id, path }) => [run_id, path]),
})

const maxListedBytes = 1024

const listed = `select ${heads.columns},
  case when octet_length(result) <= ${maxListedBytes} then result end as result from steps`

export const stepsOfRun = (db: Reader, runId: string) =>
  whole.query(db, `${listed} where run_id = $1 order by started_at, path`, [runId])

/** If several runs have more, they are read one by one, so that one of them at a time is large. */
const maxTogether = 10_000

async function stepsOfRuns(
  db: Reader,
  runIds: readonly string[],
): Promise<ReadonlyMap<string, Step[]>> {
  const [first] = runIds
  if (first !== undefined && runIds.length === 1) {
    return new Map([[first, await stepsOfRun(db, first)]])
  }
  const { inList, list } = db.dialect
  const steps = await whole.query(
    db,
    `${listed} where run_id ${inList('$1', 'uuid')} order by run_id, started_at, path limit $2`,
    [list(runIds), maxTogether + 1],
  )
  if (steps.length <= maxTogether) return Map.groupBy(steps, ({ run_id }) => run_id)
  return oneByOne(runIds, (runId) => stepsOfRun(db, runId))
}

export async function oneByOne(
  runIds: readonly string[],
  read: (runId: string) => Promise<Step[]>,
): Promise<ReadonlyMap<string, Step[]>> {
  const steps = new Map<string, Step[]>()
  for (const runId of runIds) steps.set(runId, await read(runId))
  return steps
}

export async function resultOfStep(
  db: Reader,
  { run_id, path }: Pick<Step, 'run_id' | 'path'>,
): Promise<string> {
  const [row] = await db.query<{ result: string | null }>(
    'select result from steps where run_id = $1 and path = $2',
    [run_id, path],
  )
  if (typeof row?.result !== 'string')
    throw new Error(`step ${path} of run ${run_id} has no result`)
  return row.result
}

export const stepHeadsOfRun = (db: Reader, runId: string) =>
  heads.query(
    db,
    `select ${heads.columns} from steps where run_id = $1 order by started_at, path`,
    [runId],
  )

/** Writes every step to its row at once; for any number of processes. */
export const stepsInRows = (db: Db): Steps => ({
  record: (begun, ended) => ({
    statements: [
      beginSteps(db.dialect, begun.map(encodeStep)),
      endSteps(db.dialect, ended.map(encodeStep)),
    ],
    settle() {},
  }),
  forget: forgetSteps,
  ofRun: (runId) => stepsOfRun(db, runId),
  ofRuns: (runIds) => stepsOfRuns(db, runIds),
  resultOf: (step) => resultOfStep(db, step),
  headsOf: (runId) => stepHeadsOfRun(db, runId),
  inRows: async () => {},
  close: async () => {},
})
