import type { LaneGate } from '#engine/calls/lane-gate.ts'

/** No provider key has limits, and nobody waits after a 429. */
export const noLanes: LaneGate = { enter: () => undefined, repeatsSince: () => undefined }
