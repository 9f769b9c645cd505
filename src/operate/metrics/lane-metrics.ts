import { Counter, Gauge, type Registry } from 'prom-client'
import type { LaneUse } from '#core/lane.ts'
import type { Metrics } from './metrics.ts'

/** Of this process: the lanes to provider keys with limits, and vendors that refuse calls. */
export function observeLanes(registry: Registry): Pick<Metrics, 'providerRefused' | 'watchLanes'> {
  let uses = (): LaneUse[] => []
  const gauge = (
    name: string,
    help: string,
    show: (gauge: Gauge, use: LaneUse, labels: { provider: string; model: string }) => void,
    labelNames = ['provider', 'model'],
  ) =>
    new Gauge({
      ...{ name, help, labelNames, registers: [registry] },
      collect() {
        this.reset()
        for (const use of uses()) show(this, use, { provider: use.provider, model: use.model })
      },
    })
  gauge(
    'atelier_lane_waiting',
    'Calls of this process that wait for the limits of their provider key, by model and by who waits: people or batch.',
    (shown, { people, batch }, labels) => {
      shown.set({ ...labels, kind: 'people' }, people)
      shown.set({ ...labels, kind: 'batch' }, batch)
    },
    ['provider', 'model', 'kind'],
  )
  gauge(
    'atelier_lane_oldest_seconds',
    'For how long the oldest call that waits for its provider key has been waiting.',
    (shown, { oldestMs }, labels) => shown.set(labels, oldestMs / 1000),
  )
  gauge(
    'atelier_lane_in_flight',
    'Calls of this process to provider keys with limits.',
    (shown, { inFlight }, labels) => shown.set(labels, inFlight),
  )
  const refused = new Counter({
    name: 'atelier_provider_refusals_total',
    help: 'Calls that were refused by a 429 of the vendor, or because people waited too long for the lane.',
    labelNames: ['provider', 'model', 'by'] as const,
    registers: [registry],
  })
  return {
    providerRefused: ({ provider, providerModel: model }, by) =>
      refused.inc({ provider, model, by }),
    watchLanes(read) {
      uses = read
    },
  }
}
