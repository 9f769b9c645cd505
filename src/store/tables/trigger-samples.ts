// The next request of a webhook, kept for whoever builds its mapping. Nothing is written unless
// somebody listens.
import type { TriggerSample } from '#core/triggers/trigger.ts'
import type { Db, Reader, Writer } from '../db.ts'

type Place = { accountId: string; workflowId: number; id: string }

/** Forgets an earlier sample. No change of the trigger: its schedule and its maker stay. */
export const startListening = (db: Writer, { accountId, workflowId, id }: Place, untilMs: number) =>
  db.write(
    `update triggers set listen_until = $4, sample = null
     where account_id = $1 and workflow_id = $2 and id = $3 and deleted_at is null`,
    [accountId, workflowId, id, untilMs],
  )

/** The first request counts, but one that was accepted takes the place of one that was refused. */
export const keepSample = (db: Writer, id: string, sample: TriggerSample, nowMs: number) =>
  db.write(
    `update triggers set sample = $2 where id = $1 and listen_until > $3
       and (sample is null ${sample.refused === null ? `or sample like '{"refused":"%'` : ''})`,
    [id, JSON.stringify(sample), nowMs],
  )

export async function readSample(
  db: Reader,
  { accountId, workflowId, id }: Place,
): Promise<TriggerSample | null> {
  const [row] = await db.query<{ sample: string | null }>(
    `select sample from triggers
     where account_id = $1 and workflow_id = $2 and id = $3 and deleted_at is null`,
    [accountId, workflowId, id],
  )
  return row?.sample ? JSON.parse(row.sample) : null
}

export const forgetSamples = (db: Db, beforeMs: number) =>
  db.write('update triggers set listen_until = null, sample = null where listen_until < $1', [
    beforeMs,
  ])
