import type { Db } from '../db.ts'
import type { Waits } from '../engine-store.ts'
import { renewHeld, textsOfRun } from '../tables/held-payloads.ts'
import { countSleepingRuns, passWaitsOf } from '../tables/sleeping-runs.ts'
import { cancelWait, wakesOf, workersWaits } from '../tables/waits.ts'

export const waitsIn = (db: Db): Waits => ({
  ofRuns: (runIds) => workersWaits(db, runIds),
  wakesOf: (runIds) => wakesOf(db, runIds),
  passDue: (runIds) => passWaitsOf(db, runIds),
  cancel: (accountId, wait) => cancelWait(db, accountId, wait),
  countAsleep: (accountId, limit) => countSleepingRuns(db, accountId, limit),
  textsOf: (runId) => textsOfRun(db, runId),
  renew: (accountId, held, nowMs) => renewHeld(db, accountId, held, nowMs),
  onClosed: (look) => db.listen('waits', look),
})
