import type { TimedDelay } from '#core/delayed-call.ts'
import type { SubmittedTask, TaskRequest } from '#core/generation.ts'
import { sequencedUuid } from '#core/ids.ts'
import type { NodeError } from '#core/run-facts.ts'
import type { TaskEnd } from '#core/task-states.ts'
import type { Db, Param, Reader, Tx } from '../db.ts'
import {
  bigint,
  integer,
  json,
  lazyJson,
  orNull,
  type Row,
  table,
  text,
  time,
  uuid,
} from '../table.ts'
import { type Claim, type ClaimRules, updateClaimed } from './claims.ts'
import type { MediaRecord } from './media.ts'
import {
  deleteOldEnds,
  type Listed,
  type ListPage,
  listBounds,
  pageRange,
  takeNumbers,
} from './sequences.ts'

export type TaskKind = 'IMAGE' | 'VIDEO'
export type TaskStatus = 'QUEUED' | 'RUNNING' | 'COMPLETED' | 'FAILED' | 'CANCELLED'
/** SUBMITTING: the call may have left this machine. SUBMITTED: the provider's job is known. */
export type TaskStage = 'READY' | 'SUBMITTING' | 'SUBMITTED'

export const taskTable = table({
  id: uuid,
  account_id: uuid,
  seq: bigint,
  key_id: orNull(uuid),
  kind: text<TaskKind>(),
  status: text<TaskStatus>(),
  model: text(),
  prompt_preview: text(),
  /** The beginning of the prompt as `toSearchText` normalises it. */
  search_text: text(),
  request: lazyJson<TaskRequest>(),
  source: text<'DIRECT' | 'WORKFLOW'>(),
  run_id: orNull(uuid),
  node_id: orNull(text()),
  /** The account's provider key that it uses; null: the server's key. */
  credential_id: orNull(uuid),
  /** The server's key that its job was submitted with, if the server had several. */
  deployment: orNull(text()),
  tag: orNull(text()),
  created_at: time,
  started_at: orNull(time),
  completed_at: orNull(time),
  media: orNull(json<readonly MediaRecord[]>()),
  error: orNull(json<NodeError>()),
  /** The names of parameters that were given but not used. */
  ignored: orNull(json<readonly string[]>()),
  cost_micros: orNull(bigint),
  reserved_micros: bigint,
  stage: text<TaskStage>(),
  served_by: orNull(text()),
  /** Only the provider's adapter knows the shape. */
  job_ref: orNull(json<unknown>()),
  attempts: integer,
  submitted_at: orNull(time),
  owner: orNull(text()),
  epoch: bigint,
  /** How often it was released by a worker that could not continue it. */
  releases: integer,
  run_at: time,
  deadline_at: time,
  must_end_by: orNull(time),
  /** Under which its answer may be reused. */
  reuse_key: orNull(text()),
  /** Why it was put off until `run_at`. */
  delayed: orNull(json<TimedDelay>()),
})
const whole = taskTable.all
export type TaskRow = Row<typeof whole>

/** Without the request, which may be megabytes long. */
export const listedTask = taskTable.without('request', 'search_text')
export type ListedTask = Row<typeof listedTask>

/** What runs that wait for a task receive. */
export type EndedTask = Omit<ListedTask, keyof TaskEnd<MediaRecord>> & TaskEnd<MediaRecord>
export const endedTask = listedTask.states<EndedTask>()

/** What is needed to ask its provider to cancel it. */
export const sentTask = taskTable.select(
  ...([
    'id',
    'account_id',
    'credential_id',
    'deployment',
    'served_by',
    'model',
    'job_ref',
  ] as const),
)
export type SentTask = Row<typeof sentTask>

const ordered = [
  ...([
    'account_id',
    'key_id',
    'kind',
    'model',
    'prompt_preview',
    'search_text',
    'source',
  ] as const),
  ...(['run_id', 'node_id', 'credential_id', 'tag', 'reserved_micros', 'run_at'] as const),
  ...(['deadline_at', 'must_end_by', 'reuse_key', 'request', 'ignored'] as const),
] as const

/** `request` and `ignored` are JSON text; `run_at` is the time of its submission. */
export type NewTask = Omit<Pick<TaskRow, (typeof ordered)[number]>, 'request' | 'ignored'> & {
  request: string
  ignored: string | null
}

/**
 * Each gets the next number of its account's list, where created_at never decreases, so that it may
 * be ahead of the clock. The times that schedule work are not.
 */
export async function storeTasks(tx: Tx, tasks: readonly NewTask[]): Promise<SubmittedTask[]> {
  const stored: SubmittedTask[] = []
  for (const task of tasks) {
    const { lastSeq: seq, createdAtMs } = await takeNumbers(tx, task.account_id, 'tasks', {
      nowMs: task.run_at,
    })
    const id = sequencedUuid(createdAtMs, seq)
    await insertTask(tx, { ...task, id, seq, created_at: createdAtMs })
    tx.notify('tasks')
    stored.push({ id, createdAtMs })
  }
  return stored
}

function insertTask(tx: Tx, task: NewTask & Pick<TaskRow, 'id' | 'seq' | 'created_at'>) {
  const given = ['id', 'seq', 'created_at', ...ordered] as const
  return tx.write(
    `insert into tasks (${given.join(', ')}, status, stage, attempts, epoch)
     values (${given.map((_, at) => `$${at + 1}`).join(', ')}, 'QUEUED', 'READY', 0, 0)`,
    given.map((name) => task[name]),
  )
}

export async function findTask(db: Reader, accountId: string, id: string) {
  const [row] = await whole.query(
    db,
    `select ${whole.columns} from tasks where account_id = $1 and id = $2`,
    [accountId, id],
  )
  return row
}

/** A page is a range of numbers, so the last page costs no more than the first. */
export async function listTasks(
  db: Reader,
  accountId: string,
  page: ListPage,
): Promise<Listed<ListedTask>> {
  const bounds = await listBounds(db, accountId, 'tasks')
  const { newest, oldest, ...position } = pageRange(bounds, page)
  if (newest < oldest) return { rows: [], ...position }
  const rows = await listedTask.query(
    db,
    `select ${listedTask.columns} from tasks where account_id = $1 and seq between $2 and $3 order by seq desc`,
    [accountId, oldest, newest],
  )
  return { rows, ...position }
}

/**
 * The time limit of the work starts with the first claim, unless its run has a deadline. `run_at`
 * does not delay a first claim: the clock that stored it may have been ahead of this one. A `run_at`
 * beyond any time limit is ignored for the same reason. Times: now, then the deadlines of images
 * and of videos that begin now.
 */
export const taskClaims: ClaimRules<TaskRow> = {
  table: 'tasks',
  queue: 'account_id',
  waits: `owner is null and completed_at is null`,
  isDue: `started_at is null or run_at <= $4 or run_at > coalesce(must_end_by, $6)`,
  order: 'run_at',
  set: `status = 'RUNNING',
    deadline_at = case when started_at is not null then deadline_at
      when must_end_by is not null then must_end_by when kind = 'IMAGE' then $5 else $6 end,
    started_at = coalesce(started_at, $4)`,
  selection: whole,
  hasSharedLimit: true,
}

/** Sets columns of an owned task; throws LeaseLost if another worker has claimed it. */
const updateTask = (tx: Tx, claim: Claim, set: string, params: Param[]) =>
  updateClaimed(tx, 'tasks', claim, { set, params })

export const markSubmitting = (
  tx: Tx,
  claim: Claim,
  {
    servedBy,
    deployment = null,
    nowMs,
  }: { servedBy: string; deployment?: string | null | undefined; nowMs: number },
) =>
  updateTask(
    tx,
    claim,
    `stage = 'SUBMITTING', attempts = attempts + 1, served_by = $4, submitted_at = $5,
     deployment = $6`,
    [servedBy, nowMs, deployment],
  )

export const markSubmitted = (tx: Tx, claim: Claim, jobRef: string) =>
  updateTask(tx, claim, `stage = 'SUBMITTED', job_ref = $4`, [jobRef])

/** The provider certainly did not accept it. */
export const markUnsubmitted = (tx: Tx, claim: Claim) =>
  updateTask(tx, claim, `stage = 'READY', submitted_at = null`, [])

/** Releases an unsubmitted task, to be claimed again at `runAtMs`. */
export const releaseUntil = (
  tx: Tx,
  claim: Claim,
  { runAtMs, delayed = null }: { runAtMs: number; delayed?: TimedDelay | null },
) =>
  updateTask(tx, claim, `run_at = $4, delayed = $5, owner = null`, [
    runAtMs,
    delayed && JSON.stringify(delayed),
  ])

/** `media` and `error` are JSON text. */
export type TaskEnding = {
  status: 'COMPLETED' | 'FAILED' | 'CANCELLED'
  media: string | null
  error: string | null
  costMicros: number | null
  nowMs: number
}

export const finishTask = (tx: Tx, claim: Claim, end: TaskEnding) => {
  // Runs wait for their tasks.
  tx.notify('task-ended')
  return updateTask(
    tx,
    claim,
    `status = $4, media = $5, error = $6, cost_micros = $7, completed_at = $8,
     reserved_micros = 0, owner = null`,
    [end.status, end.media, end.error, end.costMicros, end.nowMs],
  )
}

/**
 * Deletes ended tasks from the old end of each account's list, so that the remaining numbers have
 * no gaps. Returns how many were deleted.
 */
export async function deleteOldTasks(db: Db, beforeMs: number, limit: number): Promise<number> {
  const ids = await db.transaction((tx) => deleteOldEnds(tx, 'tasks', { beforeMs, limit }))
  return ids.length
}
