import type { LaneGate } from '#engine/calls/lane-gate.ts'
import type { Lanes } from '#engine/calls/lanes.ts'

/** No provider key has limits, and nobody waits after a 429. */
export const noLanes: LaneGate = {
  loadOf: () => ({ pausedMs: 0, waiting: 0 }),
  enter: () => undefined,
  repeatsSince: () => undefined,
}

export const noLimits: Pick<Lanes, 'enter' | 'isLimited' | 'positionOf' | 'leave' | 'waitingFor'> =
  {
    isLimited: () => false,
    enter: () => undefined,
    positionOf: () => ({ position: 1, ms: 0 }),
    leave: () => undefined,
    waitingFor: () => 0,
  }
