import type { Clock } from '#core/clock.ts'
import type { Db } from '#store/db.ts'
import {
  type ClaimedRun,
  claimRuns,
  claimStoppedRuns,
  lockAccountRuns,
  writeUnderLease,
} from '#store/tables/run-work.ts'
import type { Lease } from '../lease-keeper.ts'

type ClaimOptions = { db: Db; clock: Clock; activePerAccount: number; runTimeoutMs: number }

const endedPerRound = 100

/** A claim that arrives after its worker was declared dead fails. */
export const claimFor = (
  { db, clock, activePerAccount, runTimeoutMs }: ClaimOptions,
  { workerId }: Lease,
  { accountId, active, share }: { accountId: string; active: number; share: number },
): Promise<ClaimedRun[]> =>
  activePerAccount <= active
    ? Promise.resolve([])
    : writeUnderLease(db, workerId, () => {
        const nowMs = clock.nowMs()
        const deadlineMs = nowMs + runTimeoutMs
        const room = activePerAccount - active
        const claim = claimRuns(db, { workerId, accountId, limit: share, room, nowMs, deadlineMs })
        return db.isShared ? [lockAccountRuns(accountId), claim] : [claim]
      }).then((rows) => (rows.at(-1) ?? []) as ClaimedRun[])

/** Runs that were given back and are to stop. */
export const claimRunsToEnd = (
  { db, clock }: ClaimOptions,
  { workerId }: Lease,
): Promise<ClaimedRun[]> =>
  writeUnderLease(db, workerId, () => [
    claimStoppedRuns(db, { workerId, limit: endedPerRound, nowMs: clock.nowMs() }),
  ]).then(([rows]) => rows)
