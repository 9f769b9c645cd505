import type {
  FiringReason,
  PauseReason,
  TriggerKind,
  TriggerSettings,
} from '#core/triggers/trigger.ts'
import type { Db, Reader, Tx } from '../db.ts'
import { bigint, integer, json, orNull, type Row, table, text, time, uuid } from '../table.ts'
import { lockAccount } from './accounts.ts'

const triggerTable = table({
  id: uuid,
  account_id: uuid,
  workflow_id: bigint,
  name: text(),
  kind: text<TriggerKind>(),
  enabled: integer,
  /** `latest`, or a number. */
  version: text(),
  settings: json<TriggerSettings>(),
  token_hash: orNull(text()),
  /** The first occurrence that nobody has decided about, and when it fires. */
  next_at: orNull(time),
  due_at: orNull(time),
  /** Runs in a row that failed. */
  failures: integer,
  paused_at: orNull(time),
  paused_reason: orNull(text<PauseReason>()),
  /** Who changed it last: its runs are theirs. */
  maker_user: orNull(uuid),
  maker_key: orNull(uuid),
  /** Raised by every change of its settings. */
  revision: bigint,
  created_at: time,
  updated_at: time,
  deleted_at: orNull(time),
  /** Until then, the next request is kept as a sample. */
  listen_until: orNull(time),
})
export const wholeTrigger = triggerTable.all
export type TriggerRow = Row<typeof wholeTrigger>
const { columns } = wholeTrigger

/** What a caller decides about a trigger. */
export type TriggerContent = Pick<
  TriggerRow,
  'name' | 'kind' | 'enabled' | 'version' | 'settings' | 'next_at' | 'due_at'
> &
  Pick<TriggerRow, 'maker_user' | 'maker_key'>

/** 'too-many' if the account already has `most`; null if it has no such workflow. */
export async function insertTrigger(
  db: Db,
  trigger: TriggerContent &
    Pick<TriggerRow, 'id' | 'account_id' | 'workflow_id' | 'token_hash'> & { nowMs: number },
  { most }: { most: number },
): Promise<TriggerRow | 'too-many' | null> {
  return db.transaction(async (tx) => {
    // Two requests that count at once would both see room.
    await lockAccount(tx, trigger.account_id)
    const [count] = await tx.query<{ n: number }>(
      'select count(*) as n from triggers where account_id = $1 and deleted_at is null',
      [trigger.account_id],
    )
    if (Number(count?.n ?? 0) >= most) return 'too-many'
    // Locked, so that it is not deleted without this trigger.
    const [workflow] = await tx.write(
      'update workflows set name = name where account_id = $1 and id = $2 returning id',
      [trigger.account_id, trigger.workflow_id],
    )
    if (!workflow) return null
    const [row] = await wholeTrigger.write(
      tx,
      `insert into triggers (id, account_id, workflow_id, name, kind, enabled, version, settings,
         token_hash, next_at, due_at, maker_user, maker_key, created_at, updated_at)
       values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $14)
       returning ${columns}`,
      [
        ...[trigger.id, trigger.account_id, trigger.workflow_id, trigger.name, trigger.kind],
        ...[trigger.enabled, trigger.version, JSON.stringify(trigger.settings)],
        ...[trigger.token_hash, trigger.next_at, trigger.due_at],
        ...[trigger.maker_user, trigger.maker_key, trigger.nowMs],
      ],
    )
    if (!row) throw new Error('an insert returned no row')
    return row
  })
}

/** Of one workflow, or of the whole account; newest first, before the trigger `before`. */
export function listTriggers(
  db: Reader,
  accountId: string,
  {
    workflowId,
    before,
    limit,
  }: { workflowId: number | null; before: string | null; limit: number },
): Promise<TriggerRow[]> {
  const conditions = [
    ...(workflowId === null ? [] : ['workflow_id = $2']),
    ...(before === null ? [] : [`id < $${workflowId === null ? 2 : 3}`]),
  ].map((condition) => ` and ${condition}`)
  const params = [workflowId, before].filter((param) => param !== null)
  return wholeTrigger.query(
    db,
    `select ${columns} from triggers where account_id = $1 and deleted_at is null
     ${conditions.join('')} order by id desc limit ${limit}`,
    [accountId, ...params],
  )
}

/** Of all that these workflows have, by name. */
export async function namesOfTriggers(
  db: Reader,
  accountId: string,
  workflowIds: readonly number[],
): Promise<string[]> {
  const rows = await db.query<{ name: string }>(
    `select name from triggers where account_id = $1 and deleted_at is null
       and workflow_id ${db.dialect.inList('$2', 'bigint')} order by name, id`,
    [accountId, db.dialect.list(workflowIds)],
  )
  return rows.map(({ name }) => name)
}

export async function findTrigger(
  db: Reader,
  { accountId, workflowId, id }: { accountId: string; workflowId: number; id: string },
): Promise<TriggerRow | undefined> {
  const [row] = await wholeTrigger.query(
    db,
    `select ${columns} from triggers
     where account_id = $1 and workflow_id = $2 and id = $3 and deleted_at is null`,
    [accountId, workflowId, id],
  )
  return row
}

/** Whosever it is, deleted or not. */
export async function findTriggerById(db: Reader, id: string): Promise<TriggerRow | undefined> {
  const [row] = await wholeTrigger.query(db, `select ${columns} from triggers where id = $1`, [id])
  return row
}

/** Whoever knows the token, deleted or not. */
export async function findTriggerByToken(db: Reader, tokenHash: string) {
  const [row] = await wholeTrigger.query(
    db,
    `select ${columns} from triggers where token_hash = $1`,
    [tokenHash],
  )
  return row
}

/** Nobody else decides about its firings until the transaction is over. Works on both databases. */
export async function lockTrigger(tx: Tx, id: string): Promise<TriggerRow | undefined> {
  const [row] = await wholeTrigger.write(
    tx,
    `update triggers set revision = revision where id = $1 returning ${columns}`,
    [id],
  )
  return row
}

/** Undefined if somebody else has changed or deleted it since `revision`. */
export async function updateTrigger(
  db: Db,
  { id, account_id, revision }: Pick<TriggerRow, 'id' | 'account_id' | 'revision'>,
  change: TriggerContent & Pick<TriggerRow, 'token_hash'> & { nowMs: number },
): Promise<TriggerRow | undefined> {
  return db.transaction(async (tx) => {
    const [row] = await wholeTrigger.write(
      tx,
      `update triggers set name = $4, enabled = $5, version = $6, settings = $7, token_hash = $8,
         next_at = $9, due_at = $10, maker_user = $11, maker_key = $12, updated_at = $13,
         revision = revision + 1,
         failures = case when $5 = 1 then 0 else failures end,
         paused_at = case when $5 = 1 then null else paused_at end,
         paused_reason = case when $5 = 1 then null else paused_reason end
       where id = $1 and account_id = $2 and revision = $3 and deleted_at is null
       returning ${columns}`,
      [
        ...[id, account_id, revision, change.name, change.enabled, change.version],
        ...[JSON.stringify(change.settings), change.token_hash, change.next_at, change.due_at],
        ...[change.maker_user, change.maker_key, change.nowMs],
      ],
    )
    if (row && row.enabled === 0) await dropWaiting(tx, row.id, 'The trigger was switched off.')
    return row
  })
}

/**
 * Firings that have not become runs do not become any: what is paused is not caught up. One that is
 * PENDING may have a run that its process has not reported, so whoever starts it looks for that
 * first; the reason that it finds holds even if the trigger is on again by then.
 */
async function dropWaiting(
  tx: Tx,
  triggerId: string,
  message: string,
  reason: FiringReason = 'PAUSED',
): Promise<void> {
  await tx.write(
    `update firings set status = 'SKIPPED', reason = $2, message = $3, inputs = null
     where trigger_id = $1 and status = 'QUEUED'`,
    [triggerId, reason, message],
  )
  await tx.write(
    `update firings set reason = $2, message = $3
     where trigger_id = $1 and status = 'PENDING' and reason is null`,
    [triggerId, reason, message],
  )
}

/** False if it is gone. */
export const deleteTrigger = (
  db: Db,
  { accountId, workflowId, id }: { accountId: string; workflowId: number; id: string },
  nowMs: number,
): Promise<boolean> =>
  db.transaction(async (tx) => {
    const rows = await tx.write(
      `update triggers set deleted_at = $4, due_at = null, enabled = 0
       where account_id = $1 and workflow_id = $2 and id = $3 and deleted_at is null returning id`,
      [accountId, workflowId, id, nowMs],
    )
    if (rows.length > 0) await dropWaiting(tx, id, 'The trigger was deleted.')
    return rows.length > 0
  })

/** With their workflows, in the same transaction. */
export async function deleteTriggersOf(
  tx: Tx,
  {
    accountId,
    workflowIds,
    nowMs,
  }: { accountId: string; workflowIds: readonly number[]; nowMs: number },
): Promise<void> {
  const rows = await tx.write<{ id: string }>(
    `update triggers set deleted_at = $3, due_at = null, enabled = 0
     where account_id = $1 and workflow_id ${tx.dialect.inList('$2', 'bigint')}
       and deleted_at is null returning id`,
    [accountId, tx.dialect.list(workflowIds), nowMs],
  )
  for (const { id } of rows) await dropWaiting(tx, id, 'The workflow was deleted.', 'NO_VERSION')
}

/** It stays enabled, and fires again once somebody switches it on. */
export async function pauseTrigger(
  tx: Tx,
  id: string,
  { reason, message, nowMs }: { reason: PauseReason; message: string; nowMs: number },
): Promise<void> {
  const rows = await tx.write(
    `update triggers set paused_at = $2, paused_reason = $3, due_at = null
     where id = $1 and paused_at is null and deleted_at is null returning id`,
    [id, nowMs, reason],
  )
  // What was fired by hand during a pause is not dropped by it.
  if (rows.length > 0) await dropWaiting(tx, id, message)
}

/** Triggers that stopped by themselves, the latest first. */
export const pausedTriggers = (db: Reader, accountId: string, limit: number) =>
  db.query<{
    id: string
    workflow_id: number
    name: string
    paused_at: number
    paused_reason: PauseReason
  }>(
    `select id, workflow_id, name, paused_at, paused_reason from triggers
     where account_id = $1 and paused_at is not null and deleted_at is null
     order by paused_at desc limit $2`,
    [accountId, limit],
  )

/** Removes deleted triggers once their firings are gone too. Returns how many. */
export async function deleteOldTriggers(db: Db, beforeMs: number, limit: number): Promise<number> {
  const rows = await db.write(
    `delete from triggers where id in (
       select t.id from triggers t where t.deleted_at < $1
         and not exists (select 1 from firings f
           where f.account_id = t.account_id and f.trigger_id = t.id)
       limit ${limit}) returning id`,
    [beforeMs],
  )
  return rows.length
}
