// Words by which people group their workflows. They belong to no version.
import type { Reader, Tx } from '../db.ts'

/** The tags of each of these workflows, in alphabetical order; those without are left out. */
export async function tagsOf(
  db: Reader,
  accountId: string,
  workflowIds: readonly number[],
): Promise<Map<number, string[]>> {
  const rows = await db.query<{ workflow_id: number; tag: string }>(
    `select workflow_id, tag from workflow_tags
     where account_id = $1 and workflow_id ${db.dialect.inList('$2', 'bigint')} order by tag`,
    [accountId, db.dialect.list(workflowIds)],
  )
  const groups = Map.groupBy(rows, ({ workflow_id }) => Number(workflow_id))
  return new Map([...groups].map(([id, own]) => [id, own.map(({ tag }) => tag)]))
}

/** The most used first. */
export const listTags = (db: Reader, accountId: string, limit: number) =>
  db.query<{ tag: string; workflows: number }>(
    `select tag, count(*) as workflows from workflow_tags where account_id = $1
     group by tag order by count(*) desc, tag limit $2`,
    [accountId, limit],
  )

export async function changeTags(
  tx: Tx,
  accountId: string,
  workflowIds: readonly number[],
  { add, remove }: { add: readonly string[]; remove: readonly string[] },
): Promise<void> {
  const ids = tx.dialect.list(workflowIds)
  const inIds = tx.dialect.inList('$2', 'bigint')
  for (const tag of remove) {
    await tx.write(
      `delete from workflow_tags where account_id = $1 and workflow_id ${inIds} and tag = $3`,
      [accountId, ids, tag],
    )
  }
  for (const tag of add) {
    await tx.write(
      `insert into workflow_tags (account_id, tag, workflow_id)
       select account_id, cast($3 as text), id from workflows where account_id = $1 and id ${inIds}
       on conflict do nothing`,
      [accountId, ids, tag],
    )
  }
}
