import type { Services } from '#api/public/context.ts'
import { operations } from '#api/public/registry.ts'
import { batchTimes } from '#core/economy.ts'
import { loadOnce } from '#core/once.ts'
import { createCallPreparer } from '#engine/batches/prepare-call.ts'
import { createCircuitBreaker } from '#engine/calls/circuit-breaker.ts'
import { createTextGenerator } from '#engine/calls/generate-text.ts'
import { createPictureMemory } from '#engine/calls/picture-memory.ts'
import { openProviderKeys } from '#engine/calls/provider-keys.ts'
import { createRouteMemory } from '#engine/calls/route-order.ts'
import { callbackCheck } from '#engine/deliveries/send-webhook.ts'
import { createTaskSubmitter } from '#engine/tasks/submit-task.ts'
import { createPayloadStore } from '#media/payload-store.ts'
import { openEngineStore } from '#store/engine/open-engine-store.ts'
import { openLanes } from './lanes.ts'
import { circuitObserver } from './observe-circuits.ts'
import { openRuns } from './runs.ts'
import { openSpending } from './spending.ts'
import type { Base, Stores } from './stores.ts'
import { openTriggers } from './triggers.ts'
import { openWaits } from './waits.ts'
import { recordEvents } from './webhooks.ts'
import type { World } from './world.ts'

export type Engine = Awaited<ReturnType<typeof openEngine>>

/** Chats, tasks and runs, and the services that operations need. */
export async function openEngine(base: Base, stores: Stores, world: World) {
  const { config, db, clock, log, onClose } = base
  const { baseUrl, set, metrics, blobs, media, gateway, mediaIo, graphTools } = world
  const events = recordEvents(baseUrl)
  const { box, chats, steps } = stores
  const store = openEngineStore({ db, clock, box, chats, steps, ...events })
  const providerKeys = openProviderKeys({
    credentials: store.credentials,
    clock,
    accessTo: (name) => set.keyable().get(name),
    onError: (err) => log.error({ err }, 'an adapter was not closed'),
  })
  onClose(providerKeys.close)
  const { keeper, spending, ledger } = await openSpending(base, store, metrics)
  const breaker = createCircuitBreaker(clock, { onOpened: circuitObserver(log, metrics) })
  const { lanes, gate } = openLanes(base, store, world)
  const textDeps = {
    ...set,
    clock,
    ledger,
    breaker,
    gate,
    routeMemory: createRouteMemory(clock),
    providerKeys,
    pictures: createPictureMemory(),
    loadImage: mediaIo.fetchImage,
    loadDocument: mediaIo.fetchDocument,
    timeoutMs: config.CHAT_TIMEOUT_SECONDS * 1000,
    totalMs: config.CHAT_TOTAL_SECONDS * 1000,
    onError: (err: unknown) => log.error({ err }, 'an attempt was not settled'),
  }
  const generateText = createTextGenerator(textDeps)
  const mediaUrls: Services['mediaUrls'] = (records) => records.map(media.publicMedia)
  const taskDeps = {
    ledger: store.ledger,
    clock,
    spending,
    catalogue: set.catalogue,
    acceptImage: mediaIo.acceptImage,
    queueTimeoutMs: config.TASK_QUEUE_TIMEOUT_SECONDS * 1000,
    // Some of the handler's time is left for everything else it does.
    roomTimeoutMs: (config.HANDLER_TIMEOUT_SECONDS * 1000 * 2) / 3,
  }
  const payloads = createPayloadStore({
    blobs,
    db,
    clock,
    onError: (err) => log.error({ err }, 'a long value was kept in its row'),
  })
  const waits = openWaits(db, box, baseUrl)
  const times = batchTimes(config.BATCH_WINDOW_SECONDS * 1000)
  const gatherMs = config.BATCH_GATHER_SECONDS * 1000
  const runs = openRuns(base, stores, world, {
    ...{ store, waits, keeper, ...events },
    prepareBatched: createCallPreparer({ ...textDeps, times, gatherMs }),
    economy: { times, gatherMs },
    payloads,
    generateText,
    mediaUrls,
    taskDeps,
    providerKeys,
    spending,
  })
  const triggers = openTriggers(base, store, metrics, () => services)
  const services: Services = {
    db,
    clock,
    catalogue: set.catalogue,
    baseUrl,
    generateText,
    mediaUrls,
    submitTask: createTaskSubmitter(taskDeps),
    graphs: { ...graphTools, checkCallbackUrl: callbackCheck(gateway) },
    runs: runs.services,
    waits,
    triggers: triggers.services,
    agents: loadOnce(async () => {
      const { createAgentDocuments } = await import('#agents/agent-documents.ts')
      return createAgentDocuments(operations, baseUrl)
    }),
  }
  return {
    ...{ store, keeper },
    runWorker: runs.worker,
    triggers,
    services,
    textDeps,
    taskDeps,
    spending,
    breaker,
    lanes,
    gate,
    providerKeys,
    batches: { payloads, times },
  }
}
