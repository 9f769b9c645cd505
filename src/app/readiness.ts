import { within } from '#core/deadline.ts'
import type { Db } from '#store/db.ts'

// Load balancers do not wait long for the response of a readiness check.
const readyWithinMs = 3_000

/** Resolves to false if `answer` rejects or takes longer. */
export const answersWithin = (ms: number, answer: Promise<unknown>): Promise<boolean> =>
  within(
    ms,
    answer.then(
      () => true,
      () => false,
    ),
    () => false,
  )

export const isReady = (db: Db): Promise<boolean> =>
  answersWithin(readyWithinMs, db.query('select 1 as one'))
