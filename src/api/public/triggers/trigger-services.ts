import type { Principal } from '#core/principal.ts'
import type { FiringReason, PauseReason } from '#core/triggers/trigger.ts'
import type { FiringRow } from '#store/tables/firings.ts'
import type { TriggerRow } from '#store/tables/triggers.ts'

/** What became of the attempt to start the run of a firing. */
export type StartedFiring =
  | { runId: string }
  | { reason: FiringReason; message: string; pause?: PauseReason }

/** The dependencies of the operations on triggers, apart from the store. */
export type TriggerServices = {
  /** The database's clock where several processes share it. */
  now(): Promise<number>
  /** Whoever changed the trigger last, with the rights and limits of this moment. */
  makerOf(
    trigger: Pick<TriggerRow, 'account_id' | 'maker_user' | 'maker_key'>,
    nowMs: number,
  ): Promise<Principal | PauseReason>
  /** Starts the run of a PENDING firing; null if that is not known by then, and is tried again. */
  startFiring(
    firing: FiringRow,
    trigger: TriggerRow,
    untilMs: number,
  ): Promise<StartedFiring | null>
  /** Until when a request that arrives now is to be answered. */
  answerUntil(): number
  /** False if the run has not ended by then, sleeps, or too many others wait already. */
  awaitRun(runId: string, untilMs: number): Promise<boolean>
  /** Counts what became of a request; runs that it starts are counted by `startFiring`. */
  onFired(kind: 'WEBHOOK', outcome: 'QUEUED' | 'UNVERIFIED' | FiringReason): void
}

/** How long whoever stored a firing has to start its run; after that, anybody may. */
export const heldMs = 30_000
