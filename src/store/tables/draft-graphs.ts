// Graphs of drafts that were run, kept beside the versions of their workflow under numbers below 0:
// no list of versions shows them, and no save takes their number.
import type { Db } from '../db.ts'
import { lockAccount } from './accounts.ts'
import { graphs, insertVersion, type VersionAuthor } from './workflows.ts'

type DraftGraph = {
  accountId: string
  workflowId: number
  /** JSON, as the draft holds it. */
  data: string
  nodeCount: number
  connectionCount: number
  author: VersionAuthor
  nowMs: number
}

/** The seconds until then fit into the column for another sixty years. */
const numberedFromMs = Date.UTC(2026, 0, 1)

/**
 * The number under which a run pins the graph; undefined if the workflow is gone. Retention treats
 * it as superseded from the start, so that it goes with its runs.
 */
export const keepDraftGraph = (db: Db, draft: DraftGraph): Promise<number | undefined> =>
  db.transaction(async (tx) => {
    const { accountId, workflowId, data, nowMs } = draft
    // Numbers are given out one at a time.
    await lockAccount(tx, accountId)
    const [workflow] = await tx.query(
      `select id from workflows where account_id = $1 and id = $2 ${tx.dialect.keyShare}`,
      [accountId, workflowId],
    )
    if (!workflow) return undefined
    const [last] = await graphs.beside<{ version: number }>().query(
      tx,
      `select version, ${graphs.columns} from workflow_versions
       where workflow_id = $1 and version < 0 order by version limit 1`,
      [workflowId],
    )
    const isSame = last?.data.text === data
    const version = isSame ? last.version : below(last?.version ?? 0, nowMs)
    if (!isSame) {
      const { nodeCount: node_count, connectionCount: connection_count } = draft
      const row = { id: workflowId, data_version: version, node_count, connection_count }
      await insertVersion(tx, row, draft)
    }
    await tx.write(
      'update workflow_versions set superseded_at = $3 where workflow_id = $1 and version = $2',
      [workflowId, version, nowMs],
    )
    return version
  })

/** Never one that was used before, even if its graph is deleted: plans are cached by number. */
const below = (last: number, nowMs: number): number =>
  Math.min(last, -Math.floor((nowMs - numberedFromMs) / 1000)) - 1
