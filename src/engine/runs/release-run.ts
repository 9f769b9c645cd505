// What becomes of a run that its worker cannot go on with: another may try it a little later.
// One that nobody can go on with would be claimed and released for ever, so that releases are
// counted and the last one ends it.
import { delay } from '#core/clock.ts'
import type { RecordRunEnd } from '#store/tables/deliveries.ts'
import { endedRun } from '#store/tables/ended-run.ts'
import type { FinishedRun } from '#store/tables/run-progress.ts'
import { type ClaimedRun, quarantineRun, releaseRun } from '#store/tables/run-work.ts'
import { LeaseLost } from '#store/tables/tasks.ts'
import type { Lease } from '../lease-keeper.ts'
import { runError } from './execute-run.ts'
import type { RunJournal } from './run-journal.ts'
import type { RunParts } from './run-work.ts'

export type Releasing = {
  parts: RunParts
  journal: RunJournal
  lease: Lease
  recordRunEnd: RecordRunEnd
  onEnded(run: FinishedRun): void
  onQuarantined(kind: 'run'): void
}

/** Enough for what passes, few enough that nobody waits for what does not. */
export const maxReleases = 5
const firstPauseMs = 2_000

/** `counted`: it may be the run itself that cannot go on, rather than the store. */
export async function releaseClaimed(
  releasing: Releasing,
  row: ClaimedRun,
  { counted }: { counted: boolean },
): Promise<void> {
  const { parts, lease } = releasing
  const until = AbortSignal.any([lease.lost, parts.stopping])
  const releases = row.releases + (counted ? 1 : 0)
  // Those of one failed write come back apart, so that one of them cannot spoil the next as well.
  const pauseMs = Math.round(firstPauseMs * 2 ** row.releases * (0.75 + 0.5 * parts.random()))
  while (!until.aborted) {
    try {
      if (releases >= maxReleases) return await quarantine(releasing, row)
      const held = { runId: row.id, workerId: lease.workerId, epoch: row.epoch }
      const runAtMs = parts.clock.nowMs() + pauseMs
      await parts.db.transaction((tx) => releaseRun(tx, held, { runAtMs, releases }))
      return
    } catch (error) {
      if (error instanceof LeaseLost) return
      await delay(firstPauseMs, until).catch(() => undefined)
    }
  }
}

async function quarantine(releasing: Releasing, row: ClaimedRun): Promise<void> {
  const { parts, journal, lease, recordRunEnd } = releasing
  const error = runError(parts, {
    code: 'QUARANTINED',
    message: `The run could not go on ${maxReleases} times in a row and was stopped. The server's log says why.`,
    retryable: true,
  })
  const end = { nodeErrors: JSON.stringify([error]), nowMs: parts.clock.nowMs() }
  const held = { runId: row.id, workerId: lease.workerId, epoch: row.epoch }
  const ended = await journal.together(async (tx) => {
    const rows = await quarantineRun(tx, held, end)
    await recordRunEnd(tx, ...rows.map(endedRun))
    return rows
  })
  for (const run of ended) {
    releasing.onEnded(run)
    releasing.onQuarantined('run')
  }
}
