import assert from 'node:assert/strict'
import { fileURLToPath } from 'node:url'
import { uuidV7 } from '#core/ids.ts'
import type { Db } from '#store/db.ts'
import { type NewTask, storeTasks } from '#store/tables/tasks.ts'

export const migrations = fileURLToPath(new URL('../../../src/store/migrations', import.meta.url))

export const newAccount = () => uuidV7(Date.now())

/** A stored task, as a submission leaves it. */
export function addTask(
  db: Db,
  accountId: string,
  change: Partial<NewTask> & { nowMs?: number } = {},
): Promise<string> {
  const { nowMs = 1_000, ...columns } = change
  return db.transaction(async (tx) => {
    const [stored] = await storeTasks(tx, [
      {
        account_id: accountId,
        key_id: null,
        kind: 'IMAGE',
        model: 'demo-image',
        prompt_preview: 'a task',
        search_text: 'a task',
        request: JSON.stringify({ prompt: 'a task' }),
        ignored: null,
        tag: null,
        source: 'DIRECT',
        run_id: null,
        node_id: null,
        credential_id: null,
        reserved_micros: 0,
        run_at: nowMs,
        deadline_at: nowMs + 3_600_000,
        must_end_by: null,
        reuse_key: null,
        ...columns,
      },
    ])
    assert.ok(stored)
    return stored.id
  })
}
