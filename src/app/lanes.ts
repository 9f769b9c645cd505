import { randomUUID } from 'node:crypto'
import { createLaneGate } from '#engine/calls/lane-gate.ts'
import { createLanes } from '#engine/calls/lanes.ts'
import type { EngineStore } from '#store/engine-store.ts'
import type { Base } from './stores.ts'
import type { World } from './world.ts'

/** What calls wait for before they are made. */
export function openLanes(
  { config, clock, log, onClose }: Base,
  store: Pick<EngineStore, 'lanes'>,
  { set: { limitsOf }, metrics }: Pick<World, 'set' | 'metrics'>,
) {
  const lanes = createLanes({
    store: store.lanes,
    clock,
    limitsOf,
    user: randomUUID(),
    onError: (err) => log.error({ err }, 'the limits of a provider key were not read'),
  })
  onClose(lanes.close)
  metrics.watchLanes(lanes.uses)
  const patienceMs = config.PROVIDER_WAIT_SECONDS * 1000
  const { providerRefused: onRefused } = metrics
  const gate = createLaneGate({ lanes, clock, patienceMs, random: Math.random, onRefused })
  return { lanes, gate }
}
