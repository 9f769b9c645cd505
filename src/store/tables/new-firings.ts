// Firings that are stored while their trigger is locked. Their identifiers sort as they were accepted:
// queues begin, and lists show, what came within one millisecond in that order.
import { randomUUID } from 'node:crypto'
import { uuidAfter } from '#core/ids.ts'
import { type FiringReason, placeFiring } from '#core/triggers/trigger.ts'
import type { Tx } from '../db.ts'
import type { FiringState } from './firing-state.ts'
import { type FiringRow, readNewest, wholeFiring } from './firings.ts'
import type { TriggerRow } from './triggers.ts'

const { columns } = wholeFiring

type Newest = Pick<FiringState, 'newestId'>

/** Called before anything is awaited: several firings are inserted together. */
function nextId(newest: Newest, nowMs: number): string {
  const id = uuidAfter(newest.newestId, nowMs)
  newest.newestId = id
  return id
}

export type NewFiring = {
  occurrence: string
  scheduledAtMs: number
  nowMs: number
  /** Until then, whoever stores it starts its run; after that, anybody may. */
  heldUntilMs: number
  inputs?: string
}

/** Without a run. Stored once for each occurrence, with the last reason. */
export const insertSkipped = (
  tx: Tx,
  trigger: Pick<TriggerRow, 'id' | 'account_id' | 'workflow_id'>,
  newest: Newest,
  firing: Omit<NewFiring, 'heldUntilMs'> & {
    reason: FiringReason
    message: string
    count?: number
  },
) =>
  tx.write(
    `insert into firings (id, account_id, trigger_id, workflow_id, occurrence, scheduled_at,
       created_at, status, reason, message, missed, run_key)
     values ($1, $2, $3, $4, $5, $6, $7, 'SKIPPED', $8, $9, $10, $11)
     on conflict (trigger_id, occurrence) do update
       set reason = excluded.reason, message = excluded.message
       where firings.status = 'SKIPPED'`,
    [
      ...[nextId(newest, firing.nowMs), trigger.account_id, trigger.id, trigger.workflow_id],
      ...[firing.occurrence, firing.scheduledAtMs, firing.nowMs, firing.reason, firing.message],
      ...[firing.count ?? 1, randomUUID()],
    ],
  )

/** Counts one more request that a locked trigger did not take, in one row for each pause. */
export async function countPaused(
  tx: Tx,
  trigger: TriggerRow,
  nowMs: number,
  message: string,
): Promise<void> {
  const occurrence = `paused:${trigger.paused_at ?? trigger.updated_at}`
  const counted = await tx.write(
    `update firings set missed = missed + 1 where trigger_id = $1 and occurrence = $2 returning id`,
    [trigger.id, occurrence],
  )
  if (counted.length > 0) return
  const why = { reason: 'PAUSED', message } as const
  const firing = { occurrence, scheduledAtMs: nowMs, nowMs, ...why }
  await insertSkipped(tx, trigger, await readNewest(tx, trigger), firing)
}

/**
 * Adds one firing of a locked trigger: to be started, waiting for the one before, or left out. What
 * is already stored for this occurrence stays; undefined is returned then.
 */
export async function insertFiring(
  tx: Tx,
  trigger: TriggerRow,
  state: FiringState,
  firing: NewFiring,
): Promise<FiringRow | undefined> {
  const status = placeFiring(trigger.settings.overlap, state)
  // Before anything is awaited: several firings are inserted together.
  if (status !== 'SKIPPED') state[status === 'QUEUED' ? 'queued' : 'open']++
  const id = nextId(state, firing.nowMs)
  const [row] = await wholeFiring.write(
    tx,
    `insert into firings (id, account_id, trigger_id, workflow_id, occurrence, scheduled_at, run_key,
       status, reason, message, inputs, created_at, try_at)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13)
     on conflict (trigger_id, occurrence) do nothing returning ${columns}`,
    [
      ...[id, trigger.account_id, trigger.id, trigger.workflow_id, firing.occurrence],
      ...[firing.scheduledAtMs, randomUUID(), ...stateOf(status, firing)],
    ],
  )
  return row
}

type Placed = ReturnType<typeof placeFiring>

/** Status, reason, message, inputs, when it was accepted, and when it may be started by others. */
const stateOf = (status: Placed, { inputs, nowMs, heldUntilMs }: NewFiring) => [
  status,
  ...(status === 'SKIPPED' ? ['SKIPPED_OVERLAP', overlapping, null] : [null, null, inputs ?? null]),
  nowMs,
  status === 'PENDING' ? heldUntilMs : null,
]

const overlapping = 'An earlier run of the trigger has not ended.'

/**
 * A firing without a run may be tried again by a repeat of its request, under its own key and in its
 * own place. If it is left out again, it says why this time.
 */
export async function reviveFiring(
  tx: Tx,
  trigger: TriggerRow,
  state: FiringState,
  known: FiringRow,
  firing: NewFiring,
): Promise<FiringRow | undefined> {
  const status = placeFiring(trigger.settings.overlap, state)
  const [row] = await wholeFiring.write(
    tx,
    `update firings set status = $2, reason = $3, message = $4, inputs = $5, created_at = $6,
       try_at = $7 where id = $1 and status = 'SKIPPED' returning ${columns}`,
    [known.id, ...stateOf(status, firing)],
  )
  return row
}
