// Stars and deletions of tasks, which only people give. The engine does not read them.
import type { TaskRequest } from '#core/generation.ts'
import type { Db, Reader, Tx } from '../db.ts'
import { type MediaRecord, removeMedia } from './media.ts'

export type TaskMarks = { starred: boolean; deleted: boolean }

export async function marksAmong(
  db: Reader,
  accountId: string,
  ids: readonly string[],
): Promise<Map<string, TaskMarks>> {
  if (ids.length === 0) return new Map()
  const rows = await db.query<{
    id: string
    starred_at: number | null
    deleted_at: number | null
  }>(
    `select id, starred_at, deleted_at from tasks
     where account_id = $1 and id ${db.dialect.inList('$2', 'uuid')}`,
    [accountId, db.dialect.list(ids)],
  )
  return new Map(
    rows.map(({ id, starred_at, deleted_at }) => [
      id,
      { starred: starred_at !== null, deleted: deleted_at !== null },
    ]),
  )
}

/** Returns how many there are of them. A star that was given before keeps its time. */
export async function starTasks(
  db: Db,
  accountId: string,
  ids: readonly string[],
  nowMs: number | null,
): Promise<number> {
  const rows = await db.write(
    `update tasks set starred_at =
       case when cast($3 as bigint) is null then null else coalesce(starred_at, $3) end
     where account_id = $1 and id ${db.dialect.inList('$2', 'uuid')} and deleted_at is null
     returning id`,
    [accountId, db.dialect.list(ids), nowMs],
  )
  return rows.length
}

type Doomed = { id: string; request: string; media: string | null }

/**
 * Deletes the prompts and media of ended tasks, and hides them. A task whose run goes on is left
 * alone, because the run may read it again. Returns the identifiers of those that were deleted.
 */
export async function deleteTasks(
  tx: Tx,
  accountId: string,
  ids: readonly string[],
  nowMs: number,
): Promise<string[]> {
  const { inList, list } = tx.dialect
  const doomed = await tx.query<Doomed>(
    `select id, request, media from tasks
     where account_id = $1 and id ${inList('$2', 'uuid')} and deleted_at is null
       and completed_at is not null
       and not exists (select 1 from runs r where r.id = tasks.run_id and r.completed_at is null)
     order by id`,
    [accountId, list(ids)],
  )
  for (const { id, request } of doomed) {
    await tx.write(
      `update tasks set deleted_at = $3, starred_at = null, prompt_preview = '', search_text = '',
         request = $4, media = case when media is null then null else '[]' end
       where account_id = $1 and id = $2`,
      [accountId, id, nowMs, withoutPrompt(request)],
    )
  }
  const media = doomed.flatMap((task) => JSON.parse(task.media ?? '[]') as MediaRecord[])
  await removeMedia(
    tx,
    accountId,
    media.map(({ id }) => id),
  )
  return doomed.map(({ id }) => id)
}

function withoutPrompt(request: string): string {
  const { image: _, ...rest } = JSON.parse(request) as TaskRequest
  return JSON.stringify({ ...rest, prompt: '' })
}

/** How many of an account's tasks in this span of numbers are hidden. */
export async function countDeleted(
  db: Reader,
  accountId: string,
  { oldest, newest }: { oldest: number; newest: number },
): Promise<number> {
  const [row] = await db.query<{ n: number }>(
    `select count(*) as n from tasks
     where account_id = $1 and seq between $2 and $3 and deleted_at is not null`,
    [accountId, oldest, newest],
  )
  return Number(row?.n ?? 0)
}
