import type { Runs } from '../engine-store.ts'
import { releaseUnfinished } from '../tables/claims.ts'
import { endedRun } from '../tables/ended-run.ts'
import {
  claimStoppedRuns,
  failOverdueRuns,
  hasLateCalls,
  quarantineRun,
  readClaimed,
  runsToCancel,
  setDeaths,
  settleLateCosts,
} from '../tables/run-work.ts'
import { hasCallsInFlight, readRunEnds } from '../tables/runs.ts'
import { holdLease, writeUnderLease } from '../tables/workers.ts'
import { findGraph } from '../tables/workflows.ts'
import { type RunWrites, writeRuns } from './run-batch.ts'
import { runClaimsIn } from './run-claims.ts'
import { submitRuns } from './submit-runs.ts'

export function runsIn(writes: RunWrites): Runs {
  const { db, steps, recordRunEnd } = writes
  return {
    claims: (times) => runClaimsIn(db, times),
    keepsOrder: db.keepsOrder,
    submit: (submissions) => submitRuns(db, submissions),
    write: (workerId, take, options) => writeRuns(writes, workerId, take, options),
    forget: (workerId, begun) => writeUnderLease(db, workerId, () => [steps.forget(begun)]),
    toCancel: (workerId) => runsToCancel(db, workerId),
    onCancelRequested: (look) => db.listen('run-cancels', look),
    async claimStopped(workerId, limits) {
      const claim = { workerId, ...limits }
      const [stored] = await writeUnderLease(db, workerId, () => [claimStoppedRuns(db, claim)])
      return readClaimed(stored)
    },
    failOverdue: (nowMs, nodeErrors) =>
      db.transaction(async (tx) => {
        const rows = await failOverdueRuns(tx, nowMs, nodeErrors)
        await recordRunEnd(tx, ...rows.map(endedRun))
        return rows
      }),
    setDeaths: (claim, deaths) => setDeaths(db, claim, deaths),
    release: (claim, next) => db.transaction((tx) => releaseUnfinished(tx, 'runs', claim, next)),
    quarantine: (claim, nowMs, nodeErrors) =>
      db.transaction(async (tx) => {
        await holdLease(tx, claim.owner)
        const rows = await quarantineRun(tx, claim, { nodeErrors, nowMs })
        await recordRunEnd(tx, ...rows.map(endedRun))
        return rows
      }),
    hasCallsInFlight: (runId) => hasCallsInFlight(db, runId),
    async settleLateCosts(nowMs) {
      if (!(await hasLateCalls(db))) return false
      await settleLateCosts(db, nowMs)
      return true
    },
    ends: (ids) => readRunEnds(db, ids),
    graph: (workflowId, version) => findGraph(db, workflowId, version),
  }
}
