// What a trigger has under way: read and decided about while its row is locked.
import type { EndStatus } from '#core/run-states.ts'
import { failuresAfter } from '#core/triggers/trigger.ts'
import type { Tx } from '../db.ts'
import { readNewest } from './firings.ts'
import { pauseTrigger, type TriggerRow } from './triggers.ts'

/** What a locked trigger is about to do. */
export type FiringState = {
  failures: number
  open: number
  queued: number
  newestId: string | null
}

/**
 * Counts the runs that have ended since somebody last looked. Whoever calls it has locked the
 * trigger, so that two firings never both find nothing open.
 */
export async function readFiringState(tx: Tx, trigger: TriggerRow): Promise<FiringState> {
  let failures = trigger.failures
  for (;;) {
    const ended = await tx.query<{ id: string; status: EndStatus | null }>(
      `select f.id, r.status from (select id, run_id from firings
           where trigger_id = $1 and status = 'STARTED' order by id desc limit ${lookedAt}) as f
         left join runs r on r.id = f.run_id
       where r.id is null or r.completed_at is not null order by r.completed_at, f.id`,
      [trigger.id],
    )
    for (const { status } of ended) failures = failuresAfter(failures, status)
    if (ended.length > 0) await markEnded(tx, trigger.id, failures, ended)
    // A trigger whose runs may overlap can have any number of them; only the newest are counted.
    if (ended.length < lookedAt || trigger.settings.overlap === 'allow') break
  }
  const [count] = await tx.query<{ open: number; queued: number }>(
    `select (select count(*) from (select 1 as one from firings where trigger_id = $1
         and status in ('PENDING', 'STARTED') limit 1) as o) as open,
       (select count(*) from firings where trigger_id = $1 and status = 'QUEUED') as queued`,
    [trigger.id],
  )
  const { newestId } = await readNewest(tx, trigger)
  return { failures, newestId, open: Number(count?.open ?? 0), queued: Number(count?.queued ?? 0) }
}

const lookedAt = 200

async function markEnded(
  tx: Tx,
  triggerId: string,
  failures: number,
  ended: readonly { id: string }[],
): Promise<void> {
  const ids = ended.map(({ id }) => id)
  await tx.write(
    `update firings set status = 'ENDED' where id ${tx.dialect.inList('$1', 'uuid')}`,
    [tx.dialect.list(ids)],
  )
  await tx.write('update triggers set failures = $2 where id = $1', [triggerId, failures])
}

/** Pauses a trigger that is on and whose last runs all failed. True if it has. */
export async function pauseIfFailing(
  tx: Tx,
  { id, settings, enabled, paused_at: pausedAtMs }: TriggerRow,
  { failures }: Pick<FiringState, 'failures'>,
  nowMs: number,
): Promise<boolean> {
  // What was fired by hand while it was off or paused goes on.
  if (enabled === 0 || pausedAtMs !== null) return false
  if (failures < settings.pauseAfterFailures) return false
  await pauseTrigger(tx, id, { reason: 'FAILURES', message: tooManyFailures(failures), nowMs })
  return true
}

export const tooManyFailures = (failures: number) =>
  `The last ${failures} runs of the trigger failed, so it is paused.`
