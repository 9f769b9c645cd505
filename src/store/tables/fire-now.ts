import type { FiringReason } from '#core/triggers/trigger.ts'
import type { Db } from '../db.ts'
import { pauseIfFailing, readFiringState } from './firing-state.ts'
import { type FiringRow, findFiring, readNewest } from './firings.ts'
import {
  countPaused,
  insertFiring,
  insertSkipped,
  type NewFiring,
  reviveFiring,
} from './new-firings.ts'
import { lockTrigger, type TriggerRow } from './triggers.ts'

/** Undefined if this occurrence has fired before. */
export const fireNow = (
  db: Db,
  triggerId: string,
  firing: NewFiring,
): Promise<FiringRow | undefined> =>
  db.transaction(async (tx) => {
    const trigger = await lockTrigger(tx, triggerId)
    if (!trigger || trigger.deleted_at !== null) return undefined
    return insertFiring(tx, trigger, await readFiringState(tx, trigger), firing)
  })

export type HookFiring =
  | { is: 'made' | 'known'; firing: FiringRow; trigger: TriggerRow }
  | { is: 'off' }
  | { is: 'gone' }

/**
 * Stores a request that is to start a run. One that has made a run, or is about to, is found again;
 * one that has not may do so now, under the key that it has.
 */
export const fireHook = (db: Db, triggerId: string, firing: NewFiring): Promise<HookFiring> =>
  db.transaction(async (tx): Promise<HookFiring> => {
    const trigger = await lockTrigger(tx, triggerId)
    if (!trigger || trigger.deleted_at !== null) return { is: 'gone' }
    const known = await findFiring(tx, triggerId, firing.occurrence)
    if (known && known.status !== 'SKIPPED') return { is: 'known', firing: known, trigger }
    if (trigger.enabled === 0 || trigger.paused_at !== null) return { is: 'off' }
    const state = await readFiringState(tx, trigger)
    if (await pauseIfFailing(tx, trigger, state, firing.nowMs)) return { is: 'off' }
    const made = known
      ? await reviveFiring(tx, trigger, state, known, firing)
      : await insertFiring(tx, trigger, state, firing)
    if (!made) throw new Error('a firing of a locked trigger was not stored')
    return { is: 'made', firing: made, trigger }
  })

/** Lists a request that can start no run. A run of the same delivery stays. */
export const leaveOut = (
  db: Db,
  triggerId: string,
  firing: NewFiring,
  reason: FiringReason,
  message: string,
): Promise<void> =>
  db.transaction(async (tx) => {
    const trigger = await lockTrigger(tx, triggerId)
    if (!trigger || trigger.deleted_at !== null) return
    const newest = await readNewest(tx, trigger)
    await insertSkipped(tx, trigger, newest, { ...firing, reason, message })
  })

/** Lists a request that came while the trigger was off or paused. */
export const turnAway = (db: Db, triggerId: string, nowMs: number): Promise<void> =>
  db.transaction(async (tx) => {
    const trigger = await lockTrigger(tx, triggerId)
    if (!trigger || trigger.deleted_at !== null) return
    await countPaused(tx, trigger, nowMs, 'The trigger was off or paused.')
  })
