import { randomUUID } from 'node:crypto'
import { uuidV7 } from '#core/ids.ts'
import type { Db } from '#store/db.ts'
import { type Attempt, openAttempt, settleAttempts } from '#store/tables/ledger.ts'
import type { Settlement } from '#store/tables/settlement.ts'

export type Entry = Partial<Omit<Attempt, 'accountId'>> &
  Partial<Pick<Settlement, 'outcome' | 'units' | 'costMicros'>> & { settledAtMs?: number | null }

/** A call as the engine records it; without `settledAtMs` it is still under way. */
export async function addCall(db: Db, accountId: string, entry: Entry = {}): Promise<string> {
  const { outcome = 'SUCCEEDED', units = {}, costMicros = 0, settledAtMs = null, ...rest } = entry
  const attempt = rest.attempt ?? randomUUID()
  await openAttempt(db, {
    keyId: null,
    taskId: null,
    runId: null,
    nodeId: null,
    operation: 'chat',
    provider: 'p',
    model: 'm',
    unitPrice: null,
    reservedMicros: 0,
    createdAtMs: settledAtMs ?? 0,
    ...rest,
    accountId,
    attempt,
  })
  if (settledAtMs !== null) {
    await db.transaction((tx) =>
      settleAttempts(tx, [{ attempt, outcome, units, costMicros, nowMs: settledAtMs }]),
    )
  }
  return attempt
}

/** As much of a run as the ledger looks at. */
export async function addRun(
  db: Db,
  accountId: string,
  workflowId: number,
  columns: Record<string, string | number | null> = {},
): Promise<string> {
  const row: Record<string, string | number | null> = {
    id: uuidV7(0),
    account_id: accountId,
    workflow_id: workflowId,
    seq: Math.floor(Math.random() * 2 ** 40),
    spender: '{}',
    workflow_name: 'w',
    workflow_version: 1,
    data_version: 1,
    node_count: 1,
    status: 'COMPLETED',
    inputs: '{}',
    metadata: '{}',
    idempotency_key: randomUUID(),
    fingerprint: 'f',
    created_at: 0,
    completed_at: 0,
    completed_nodes: 1,
    skipped_nodes: 0,
    failed_nodes: 0,
    cost_micros: 0,
    in_flight: 0,
    epoch: 0,
    run_at: 0,
    deadline_at: 0,
    ...columns,
  }
  const names = Object.keys(row)
  await db.write(
    `insert into runs (${names.join(', ')})
     values (${names.map((_, index) => `$${index + 1}`).join(', ')})`,
    Object.values(row),
  )
  return String(row.id)
}
