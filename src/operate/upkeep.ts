import type { Config } from '#config'
import type { Clock } from '#core/clock.ts'
import { repeat } from '#core/repeat.ts'
import type { MediaStore } from '#media/media-store.ts'
import type { Db } from '#store/db.ts'
import { deleteOldAuditEntries } from '#store/tables/audit-entries.ts'
import { deleteOldDeliveries } from '#store/tables/deliveries.ts'
import { deleteOldFirings } from '#store/tables/firings.ts'
import { deleteExpiredAnswers } from '#store/tables/kept-answers.ts'
import { deleteExpiredResponses } from '#store/tables/kept-responses.ts'
import { deleteOldLanes } from '#store/tables/lanes.ts'
import { deleteUnusedOAuthClients } from '#store/tables/oauth-clients.ts'
import { deleteOAuthCodesBefore } from '#store/tables/oauth-codes.ts'
import { deleteOAuthGrantsBefore } from '#store/tables/oauth-grants.ts'
import { deleteOldRuns } from '#store/tables/old-runs.ts'
import { deleteOldVersions } from '#store/tables/old-versions.ts'
import { deleteOldTasks } from '#store/tables/tasks.ts'
import { forgetSamples } from '#store/tables/trigger-samples.ts'
import { deleteOldTriggers } from '#store/tables/triggers.ts'
import { deleteOldBatches } from '#store/tables/vendor-batches.ts'
import type { Logger } from './log.ts'

const everyMs = 5 * 60_000
const dayMs = 24 * 3_600_000
const chunk = 500
// Longer than a code lives, so that a second use of it is still recognised.
const usedCodeMs = 3_600_000
/** Long enough to build a mapping with what was listened for. */
const sampleMs = 3_600_000
const unusedClientMs = { created: dayMs, connected: 90 * dayMs }

type UpkeepDeps = {
  config: Pick<Config, 'RETENTION_DAYS' | 'AUDIT_DAYS'>
  db: Db
  clock: Clock
  media: Pick<MediaStore, 'deleteExpired'>
}

/** Deletes expired records every few minutes, until the returned function is called. */
export function startUpkeep({ log, ...deps }: UpkeepDeps & { log: Logger }): () => Promise<void> {
  const stopping = new AbortController()
  const round = () => deleteExpired(deps, stopping.signal)
  const stop = repeat(everyMs, round, (err) => log.error({ err }, 'upkeep failed'))
  return () => {
    stopping.abort()
    return stop()
  }
}

/** Deletes in small chunks, so that no request has to wait for it. */
export async function deleteExpired(deps: UpkeepDeps, stopping: AbortSignal): Promise<void> {
  const { config, db, clock, media } = deps
  const beforeMs = clock.nowMs() - config.RETENTION_DAYS * dayMs
  while (!stopping.aborted && (await deleteOldTasks(db, beforeMs, chunk)) > 0);
  while (!stopping.aborted && (await deleteOldRuns(db, beforeMs, chunk)) > 0);
  while (!stopping.aborted && (await deleteOldBatches(db, beforeMs, chunk)) > 0);
  while (!stopping.aborted && (await deleteOldVersions(db, beforeMs, chunk)) > 0);
  while (!stopping.aborted && (await deleteOldDeliveries(db, beforeMs, chunk)) > 0);
  // A repeated delivery is recognised for a week, however short runs are kept.
  const firedBeforeMs = Math.min(beforeMs, clock.nowMs() - 7 * dayMs)
  while (!stopping.aborted && (await deleteOldFirings(db, firedBeforeMs, chunk)) > 0);
  while (!stopping.aborted && (await deleteOldTriggers(db, firedBeforeMs, chunk)) > 0);
  await forgetSamples(db, clock.nowMs() - sampleMs)
  while (!stopping.aborted && (await deleteExpiredResponses(db, clock.nowMs(), chunk)) > 0);
  while (!stopping.aborted && (await deleteExpiredAnswers(db, clock.nowMs(), chunk)) > 0);
  await deleteOldLanes(db, clock.nowMs() - dayMs)
  await deleteOldOAuth(db, clock.nowMs())
  const auditedBeforeMs = clock.nowMs() - config.AUDIT_DAYS * dayMs
  while (!stopping.aborted && (await deleteOldAuditEntries(db, auditedBeforeMs, chunk)) > 0);
  while (!stopping.aborted && (await media.deleteExpired(beforeMs, chunk)) === chunk);
}

async function deleteOldOAuth(db: Db, nowMs: number) {
  await deleteOAuthCodesBefore(db, nowMs - usedCodeMs)
  await deleteOAuthGrantsBefore(db, nowMs)
  await deleteUnusedOAuthClients(db, {
    createdMs: nowMs - unusedClientMs.created,
    connectedMs: nowMs - unusedClientMs.connected,
  })
}
