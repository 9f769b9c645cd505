// Looks for answers of earlier calls. What calls have ended is copied first, for one account at a
// time and for all who look at the same moment together.
import { type Batcher, createBatcher } from '#core/batcher.ts'
import { createBoundedMap } from '#core/bounded-map.ts'
import type { TimedClock } from '#core/clock.ts'
import type { ReusableCall } from '#core/reused-call.ts'
import type { DoneStep } from '#core/step-states.ts'
import type { Db } from '../db.ts'
import { findLateMedia, type LateMedia } from '../tables/late-answers.ts'
import {
  type AskedUnderWay,
  findReusable,
  findUnderWay,
  keepLateCall,
  type PictureUnderWay,
  spoilCalls,
} from '../tables/reusable-calls.ts'
import { type Copied, catchUp } from '../tables/reuse-marks.ts'
import type { Steps } from '../tables/steps.ts'

/** Answers of finished calls that later runs of the same account may take over. */
export type Reuse = {
  /** The newest answer with this key that is not older, whichever run it is from. */
  find(accountId: string, asked: { key: string; sinceMs: number }): Promise<ReusableCall | null>
  /** Tasks with this key that were sent and may still answer, oldest first. */
  underWay(accountId: string, asked: AskedUnderWay): Promise<PictureUnderWay[]>
  /** The end of a call whose run has been stopped. Changes nothing about the run itself. */
  keepLate(accountId: string, step: DoneStep): Promise<unknown>
  /** Some of the pictures and videos that were made for runs after these had ended. */
  lateMedia(): Promise<LateMedia[]>
  /** These answers are taken over no more. */
  spoil(accountId: string, calls: readonly { runId: string; path: string }[]): Promise<unknown>
}

type Asked = { key: string; sinceMs: number }

/** Accounts beyond these are only looked at afresh. */
const maxAccounts = 1_000

/** Each is kept with a transaction of its own. */
const lateAtOnce = 100

export function reuseIn(db: Db, steps: Pick<Steps, 'inRows'>, clock: TimedClock): Reuse {
  const accounts = createBoundedMap<Batcher<Asked, ReusableCall | null>>({
    maxEntries: maxAccounts,
  })

  function lookupsOf(accountId: string) {
    const known = accounts.get(accountId)
    if (known) return known
    const copied: Copied = new Map()
    const lookups = createBatcher<Asked, ReusableCall | null>(
      async (take) => {
        const entries = take()
        await catchUp({ db, steps }, accountId, { nowMs: clock.nowMs(), copied })
        for (const { item, resolve } of entries) resolve(await findReusable(db, accountId, item))
      },
      { timers: clock },
    )
    accounts.set(accountId, lookups)
    return lookups
  }

  return {
    find: (accountId, asked) => lookupsOf(accountId).add(asked),
    underWay: (accountId, asked) => findUnderWay(db, accountId, asked),
    async keepLate(accountId, step) {
      await steps.inRows([step.run_id])
      await db.writeAll(() => keepLateCall(accountId, step))
    },
    lateMedia: () => findLateMedia(db, lateAtOnce),
    async spoil(accountId, calls) {
      await steps.inRows(calls.map(({ runId }) => runId))
      await db.writeAll(() => spoilCalls(accountId, calls))
    },
  }
}
