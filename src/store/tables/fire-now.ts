import type { Db } from '../db.ts'
import { type FiringRow, insertFiring, type NewFiring, readFiringState } from './firings.ts'
import { lockTrigger } from './triggers.ts'

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
