import type { Clock } from '#core/clock.ts'
import type { Due } from '#core/triggers/due.ts'
import type { Db, Tx } from '../db.ts'
import type { Triggers } from '../engine-store.ts'
import { pauseIfFailing, readFiringState, tooManyFailures } from '../tables/firing-state.ts'
import {
  claimFirings,
  type FiringRow,
  findFiringById,
  setSkipped,
  setStarted,
  setTryAgain,
  takeQueued,
  triggersWithQueues,
} from '../tables/firings.ts'
import { insertFiring, insertSkipped } from '../tables/new-firings.ts'
import {
  findTriggerById,
  lockTrigger,
  pauseTrigger,
  type TriggerRow,
  wholeTrigger,
} from '../tables/triggers.ts'

export function triggersIn(db: Db, clock: Clock): Triggers {
  return {
    async now() {
      if (!db.isShared) return clock.nowMs()
      const [row] = await db.query<{ now: number }>(`select ${db.dialect.nowMs} as now`)
      return Number(row?.now ?? clock.nowMs())
    },
    hasWork: (nowMs) => hasWork(db, nowMs),
    advance: (nowMs, heldUntilMs, decide) =>
      db.transaction((tx) => advance(tx, { nowMs, heldUntilMs }, decide)),
    claim: (limits) => claimFirings(db, limits),
    queued: () => triggersWithQueues(db, 500),
    dequeue: (triggerId, nowMs, untilMs) =>
      db.transaction((tx) => dequeue(tx, { triggerId, nowMs, untilMs })),
    reread: (firing) => reread(db, firing),
    started: (firingId, runId) => setStarted(db, firingId, runId),
    skipped: (firingId, why) => setSkipped(db, firingId, why),
    tryAgain: (firingId, atMs) => setTryAgain(db, firingId, atMs),
    pause: (id, why) => db.transaction((tx) => pauseTrigger(tx, id, why)),
  }
}

async function reread(db: Db, { id, trigger_id: triggerId }: FiringRow) {
  const [firing, trigger] = await Promise.all([
    findFiringById(db, id),
    findTriggerById(db, triggerId),
  ])
  return firing && trigger ? { firing, trigger } : null
}

/** One statement, so that an idle process asks its database for little. */
async function hasWork(db: Db, nowMs: number): Promise<boolean> {
  const rows = await db.query(
    `select 1 as one where exists (select 1 from triggers where due_at <= $1)
       or exists (select 1 from firings where status = 'PENDING' and try_at <= $1)
       or exists (select 1 from firings where status = 'QUEUED')`,
    [nowMs],
  )
  return rows.length > 0
}

type Times = { nowMs: number; heldUntilMs: number }

/** Everything that a due trigger owes is decided and stored while nobody else can touch its row. */
async function advance(
  tx: Tx,
  { nowMs, heldUntilMs }: Times,
  decide: (trigger: TriggerRow) => Due & { dueMs: number | null },
): Promise<FiringRow[] | null> {
  const [trigger] = await wholeTrigger.query(
    tx,
    `select ${wholeTrigger.columns} from triggers where due_at <= $1 order by due_at limit 1
     ${tx.dialect.skipLocked}`,
    [nowMs],
  )
  if (!trigger) return null
  const { fire, missed, nextMs, dueMs } = decide(trigger)
  const firingAt = (scheduledAtMs: number) => ({
    occurrence: String(scheduledAtMs),
    ...{ scheduledAtMs, nowMs, heldUntilMs },
  })
  const state = await readFiringState(tx, trigger)
  if (missed) {
    const { firstMs, count } = missed
    const occurrence = `missed:${firstMs}`
    const why = { reason: 'MISSED', message: missedMessage, count } as const
    await insertSkipped(tx, trigger, state, { ...firingAt(firstMs), occurrence, ...why })
  }
  const [first] = fire
  if (first !== undefined && (await pauseIfFailing(tx, trigger, state, nowMs))) {
    const why = { reason: 'PAUSED', message: tooManyFailures(state.failures) } as const
    await insertSkipped(tx, trigger, state, { ...firingAt(first), ...why, count: fire.length })
    await tx.write('update triggers set next_at = $2 where id = $1', [trigger.id, nextMs])
    return []
  }
  const made = await Promise.all(
    fire.map((atMs) => insertFiring(tx, trigger, state, firingAt(atMs))),
  )
  await tx.write('update triggers set next_at = $2, due_at = $3 where id = $1', [
    ...[trigger.id, nextMs, dueMs],
  ])
  return made.filter((row) => row !== undefined)
}

const missedMessage = 'No process was there to start it in time.'

/** Locks the trigger, so that its queue moves on by one. */
async function dequeue(
  tx: Tx,
  { triggerId, nowMs, untilMs }: { triggerId: string; nowMs: number; untilMs: number },
): Promise<FiringRow | null> {
  const trigger = await lockTrigger(tx, triggerId)
  if (!trigger) return null
  const state = await readFiringState(tx, trigger)
  if (state.queued === 0 || state.open > 0) return null
  if (await pauseIfFailing(tx, trigger, state, nowMs)) return null
  return (await takeQueued(tx, triggerId, untilMs)) ?? null
}
