import type { Db } from '../db.ts'

// Retention deletes runs by their end; of those that do not sleep, none ends so long after its beginning.
const runsStayMs = 7 * 24 * 3_600_000

/**
 * Deletes graphs that stopped being among the newest of their workflow, or whose workflow was
 * deleted, long before `beforeMs`, and that no run and no trigger needs any more. Only a retry can
 * be younger than that, and only a run that slept can end so much later: these are looked for.
 * Returns how many were deleted.
 */
export async function deleteOldVersions(db: Db, beforeMs: number, limit: number): Promise<number> {
  const rows = await db.write(
    `delete from workflow_versions where (workflow_id, version) in (
       select v.workflow_id, v.version from workflow_versions v
       where v.superseded_at < $1
         and not exists (select 1 from runs r where r.retry_of is not null
           and r.workflow_id = v.workflow_id and r.data_version = v.version)
         and not exists (select 1 from triggers t where t.workflow_id = v.workflow_id
           and t.deleted_at is null and t.version = cast(v.version as text))
         and not exists (select 1 from runs r where r.retry_of is not null and r.called is not null
           and r.called like '%[' || v.workflow_id || ',' || v.version || ']%')
         and not exists (select 1 from runs r where r.slept_epoch > 0
           and r.workflow_id = v.workflow_id and r.data_version = v.version)
         and not exists (select 1 from runs r where r.slept_epoch > 0 and r.called is not null
           and r.called like '%[' || v.workflow_id || ',' || v.version || ']%')
       order by v.superseded_at limit $2)
     returning version`,
    [beforeMs - runsStayMs, limit],
  )
  return rows.length
}
