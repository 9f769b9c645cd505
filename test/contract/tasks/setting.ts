import { fileURLToPath } from 'node:url'
import { sequencedUuid, uuidV7 } from '#core/ids.ts'
import type { Db } from '#store/db.ts'
import { nextInList } from '#store/tables/sequences.ts'
import { insertTask, type NewTask } from '#store/tables/tasks.ts'

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
    const { seq, createdAtMs } = await nextInList(tx, accountId, 'tasks', nowMs)
    const id = sequencedUuid(createdAtMs, seq)
    await insertTask(tx, {
      id,
      account_id: accountId,
      seq,
      key_id: null,
      kind: 'IMAGE',
      model: 'demo-image',
      prompt_preview: `task ${seq}`,
      search_text: `task ${seq}`,
      request: JSON.stringify({ prompt: `task ${seq}` }),
      ignored: null,
      source: 'DIRECT',
      run_id: null,
      node_id: null,
      credential_id: null,
      created_at: createdAtMs,
      reserved_micros: 0,
      run_at: nowMs,
      deadline_at: nowMs + 3_600_000,
      ...columns,
    })
    return id
  })
}
