// The end of workflows, and of what ends together with them. Runs and their graphs stay.
import type { Db, Tx } from '../db.ts'
import { deleteTriggersOf } from './triggers.ts'

type Deleted = {
  accountId: string
  id: number
  /** Null: whatever version it has. */
  ifVersion: number | null
  nowMs: number
}

/** False if it is gone, or no longer has the version asked for. */
export const deleteWorkflow = (
  db: Db,
  { accountId, id, ifVersion, nowMs }: Deleted,
): Promise<boolean> =>
  db.transaction(async (tx) => {
    const rows = await tx.write<{ id: number }>(
      `delete from workflows
       where id = $1 and account_id = $2 and version = coalesce($3, version) returning id`,
      [id, accountId, ifVersion],
    )
    await leaveNothing(tx, accountId, rows, nowMs)
    return rows.length > 0
  })

/** Deletes those that exist, and returns them. */
export async function deleteWorkflows(
  tx: Tx,
  accountId: string,
  ids: readonly number[],
  nowMs: number,
): Promise<{ id: number; name: string }[]> {
  const rows = await tx.write<{ id: number; name: string }>(
    `delete from workflows where account_id = $1 and id ${tx.dialect.inList('$2', 'bigint')}
     returning id, name`,
    [accountId, tx.dialect.list(ids)],
  )
  await leaveNothing(tx, accountId, rows, nowMs)
  return rows
}

/** What ends together with workflows. */
async function leaveNothing(
  tx: Tx,
  accountId: string,
  gone: readonly { id: number }[],
  nowMs: number,
): Promise<void> {
  if (gone.length === 0) return
  const workflowIds = gone.map(({ id }) => id)
  const ids = tx.dialect.list(workflowIds)
  await tx.write(
    `update workflow_versions set superseded_at = $2
     where workflow_id ${tx.dialect.inList('$1', 'bigint')} and superseded_at is null`,
    [ids, nowMs],
  )
  await tx.write(
    `delete from workflow_tags
     where account_id = $1 and workflow_id ${tx.dialect.inList('$2', 'bigint')}`,
    [accountId, ids],
  )
  await deleteTriggersOf(tx, { accountId, workflowIds, nowMs })
}

/** Those that exist; none of them is deleted until the transaction ends. */
export const holdWorkflows = (
  tx: Tx,
  accountId: string,
  ids: readonly number[],
): Promise<{ id: number }[]> =>
  tx.query(
    `select id from workflows where account_id = $1 and id ${tx.dialect.inList('$2', 'bigint')}
     ${tx.dialect.keyShare}`,
    [accountId, tx.dialect.list(ids)],
  )
