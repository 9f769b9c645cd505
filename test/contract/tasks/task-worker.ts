import { createCatalogue } from '#core/catalogue.ts'
import { systemClock } from '#core/clock.ts'
import { createCircuitBreaker } from '#engine/calls/circuit-breaker.ts'
import { createPictureMemory } from '#engine/calls/picture-memory.ts'
import type { Provider } from '#providers/provider.ts'
import type { Db } from '#store/db.ts'
import { tasksIn } from '#store/engine/tasks.ts'
import { noKeys } from '../../support/no-keys.ts'
import { noLanes, noLimits } from '../../support/no-lanes.ts'

/** What a worker needs for tasks of model `m`, which this provider makes. */
export const taskWorkerOf = (db: Db, provider: Provider) => ({
  deps: {
    tasks: tasksIn(db),
    clock: systemClock,
    catalogue: createCatalogue([
      {
        model: {
          id: 'm',
          name: 'm',
          provider: provider.name,
          kind: 'IMAGE',
          description: '',
          enabled: true,
          capabilities: { inputModalities: ['text'] },
          pricing: null,
        },
        provider: provider.name,
        providerModel: 'm',
        fallbacks: [],
      },
    ]),
    providers: new Map([[provider.name, provider]]),
    providerWith: () => provider,
    providerKeys: noKeys,
    breaker: createCircuitBreaker(systemClock),
    lanes: noLimits,
    gate: noLanes,
    loadImage: () => Promise.reject(new Error('no pictures here')),
    pictures: createPictureMemory(),
    storeOutputs: () => Promise.reject(new Error('no results here')),
    random: () => 0.5,
    onEnded: () => {},
    onError: () => {},
  },
  capacity: 10,
  inFlightPerAccount: 10,
  imageTimeoutMs: 600_000,
  videoTimeoutMs: 600_000,
  stopGraceMs: 0,
})
