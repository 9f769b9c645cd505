// Builds the running process from its components and shuts them down in reverse order.

import type { Services } from '#api/public/context.ts'
import { operations } from '#api/public/registry.ts'
import { createImageMaker } from '#api/public/tasks/awaited-images.ts'
import { ensureOwner } from '#auth/owner.ts'
import type { Config } from '#config'
import { systemClock, type TimedClock } from '#core/clock.ts'
import { loadOnce, once } from '#core/once.ts'
import { repeat } from '#core/repeat.ts'
import { createAttemptLedger } from '#engine/calls/attempt-ledger.ts'
import { createCircuitBreaker } from '#engine/calls/circuit-breaker.ts'
import { createTextGenerator } from '#engine/calls/generate-text.ts'
import { observeLedger } from '#engine/calls/observed-ledger.ts'
import { createPictureMemory } from '#engine/calls/picture-memory.ts'
import { openProviderKeys } from '#engine/calls/provider-keys.ts'
import { createSpendQueue } from '#engine/calls/spend-queue.ts'
import { callbackCheck } from '#engine/deliveries/send-webhook.ts'
import { openTaskAwaiter } from '#engine/tasks/await-tasks.ts'
import { createMediaIo } from '#engine/tasks/media-io.ts'
import { createTaskSubmitter, createTasksSubmitter } from '#engine/tasks/submit-task.ts'
import { openGraphTools } from '#graph/expressions/graph-tools.ts'
import { type ConsoleFiles, createConsoleFiles } from '#http/console-files.ts'
import { reservePort } from '#http/reserved-port.ts'
import { createMediaStore } from '#media/media-store.ts'
import { openBlobs } from '#media/open-blobs.ts'
import { createPayloadStore } from '#media/payload-store.ts'
import { uploadsInto } from '#media/save-upload.ts'
import { markInstallation } from '#operate/installation/installation.ts'
import { openChatLog } from '#operate/installation/open-chat-log.ts'
import { migrationsFolder, openDatabase } from '#operate/installation/open-database.ts'
import { openSecretBox } from '#operate/installation/open-secret-box.ts'
import { addressKeys } from '#operate/installation/secret-keys.ts'
import type { Logger } from '#operate/log.ts'
import { handleRequests } from '#operate/machine/machine-requests.ts'
import { openMetrics } from '#operate/metrics/open-metrics.ts'
import { openReadiness } from '#operate/readiness.ts'
import { watchFiles } from '#operate/settings-file-watch.ts'
import { openTracing, withTraces } from '#operate/tracing/open-tracing.ts'
import { startUpkeep } from '#operate/upkeep.ts'
import { createGateway } from '#outbound/gateway.ts'
import { openProviders } from '#providers/configured/provider-set.ts'
import { openEngineStore } from '#store/engine/open-engine-store.ts'
import { openSteps } from '#store/journals/step-log.ts'
import { migrate } from '#store/migrate.ts'
import { describeServer } from './describe-server.ts'
import { openIdentity } from './identity.ts'
import { openOAuth } from './oauth.ts'
import { openRuns } from './runs.ts'
import { openCompatCalls, serve } from './serve.ts'
import { webhookSender } from './webhooks.ts'
import { openLease, startWork } from './work.ts'

export type Running = {
  baseUrl: string
  setupLink: string | null
  ownerKeyPath: string | null
  /** Null in a process that is only a worker. */
  consoleFiles: ConsoleFiles | null
  /** Resolves with the reason if this process can store nothing any more until it restarts. */
  broken: Promise<unknown>
  /** Serves requests for DRAIN_SECONDS more, and tells health checks to send none. */
  drain(): Promise<void>
  stop(): Promise<void>
}

/** How late a price that changes with the day or the hour may be applied. */
const pricedEveryMs = 60_000

export async function start(
  config: Config,
  env: Record<string, string | undefined>,
  log: Logger,
  clock: TimedClock = systemClock,
): Promise<Running> {
  const closing: (() => Promise<unknown>)[] = []
  const closeAll = async () => {
    for (const close of closing.reverse())
      await close().catch((error) => log.error({ err: error }, 'while stopping'))
    closing.length = 0
  }
  const onClose: OnClose = (...closes) => void closing.push(...closes)
  const broken = Promise.withResolvers<unknown>()
  try {
    const process: Process = { config, env, log, clock, onClose, onBroken: broken.resolve }
    const stores = await openStores(process)
    const world = await openWorld(process, stores)
    const engine = await openEngine(process, stores, world)
    const stopWork = await startWorker(process, stores, world, engine)
    const { identity, baseUrl } = world
    const owned = { db: stores.db, dataDir: config.dataDir, clock }
    const made = await ensureOwner({ ...owned, baseUrl, random: identity.random })
    onClose(await handleRequests({ ...owned, log }))
    const consoleFiles = config.ROLE === 'worker' ? null : createConsoleFiles()
    let drain = async () => {}
    if (consoleFiles) {
      onClose(...identity.upkeep(log))
      const serving = await startServing(process, stores, world, engine, consoleFiles)
      drain = serving.drain
      // Both at once, so that no worker starts anything new while requests in flight finish.
      onClose(() => Promise.all([serving.stop(), stopWork()]))
    }
    return { baseUrl, ...made, consoleFiles, broken: broken.promise, drain, stop: closeAll }
  } catch (error) {
    await closeAll()
    throw error
  }
}

/** What is opened last is closed first. */
type OnClose = (...closes: (() => Promise<unknown>)[]) => void

type Process = {
  config: Config
  env: Record<string, string | undefined>
  log: Logger
  clock: TimedClock
  onClose: OnClose
  onBroken(error: unknown): void
}

type Stores = Awaited<ReturnType<typeof openStores>>
type World = Awaited<ReturnType<typeof openWorld>>
type Engine = Awaited<ReturnType<typeof openEngine>>

/** The database with its journals, and the key that seals secrets in it. */
async function openStores({ config, log, clock, onClose, onBroken }: Process) {
  const db = await openDatabase(config, log, onBroken)
  onClose(() => db.close())
  await migrate(db, migrationsFolder)
  onClose(await markInstallation({ db, dataDir: config.dataDir, clock, log }))
  const { keys, box } = await openSecretBox(config, db, clock, log)
  const chats = await openChatLog({ config, db, clock, log, onBroken })
  onClose(chats.close)
  const steps = await openSteps({
    db,
    clock,
    onError: (err) => log.error({ err }, 'the log of steps'),
  })
  onClose(steps.close)
  return { db, keys, box, chats, steps }
}

/** Everything around the engine: our address, providers, media, the network, callers. */
async function openWorld({ config, env, log, clock, onClose }: Process, stores: Stores) {
  const { db, keys, box, chats } = stores
  const reserved = await reservePort(config.HOST, config.PORT)
  onClose(reserved.release)
  const host = config.HOST.includes(':') ? `[${config.HOST}]` : config.HOST
  const baseUrl = config.BASE_URL || `http://${host}:${reserved.port}`
  const set = await openProviders(config, env, clock)
  onClose(() => set.close())
  onClose(
    repeat(
      pricedEveryMs,
      async () => set.priceAgain(),
      (err) => log.error({ err }, 'prices'),
    ),
  )
  const files = watchFiles(set, { config, log, clock })
  onClose(files.stop)
  const answerWithinMs = config.HANDLER_TIMEOUT_SECONDS * 1000
  const { dataDir, MEDIA_URL: mediaUrl } = config
  const blobs = await openBlobs({ dataDir, mediaUrl, clock, answerWithinMs })
  const readiness = openReadiness({ db, chats, media: blobs, nowMs: clock.nowMs })
  const counts = await openMetrics(config.METRICS_LISTEN, { db, readiness, nowMs: clock.nowMs })
  const tracing = await openTracing({ config, clock, log, metrics: counts })
  onClose(counts.close, async () => tracing?.close())
  const metrics = withTraces(counts, tracing)
  const media = createMediaStore({ blobs, db, clock, baseUrl, ...addressKeys(keys) })
  const gateway = createGateway({ allow: config.OUTBOUND_ALLOW })
  const providerGateway = createGateway({ allow: ['0.0.0.0/0', '::/0'] })
  onClose(() => Promise.all([gateway.close(), providerGateway.close()]))
  const mediaIo = createMediaIo({
    ...{ media, gateway, providerGateway },
    providerOrigins: set.origins,
    maxResultBytes: config.MEDIA_MAX_BYTES,
  })
  // Two thirds of a handler's time, so that it can still answer that the server is too busy.
  const graphTools = openGraphTools({ patienceMs: (config.HANDLER_TIMEOUT_SECONDS * 2000) / 3 })
  onClose(graphTools.close)
  const identity = await openIdentity({ config, db, clock, box, chats, baseUrl })
  onClose(() => identity.verifier.close())
  const network = { reserved, baseUrl, gateway, mediaIo, identity }
  return { ...network, set, files, metrics, blobs, readiness, media, graphTools }
}

/** Chats, tasks and runs, and the services that operations need. */
async function openEngine(process: Process, stores: Stores, world: World) {
  const { config, log, clock, onClose } = process
  const { db, box, chats, steps } = stores
  const store = openEngineStore({ db, box, chats, clock })
  const { credentials } = store
  const providerKeys = openProviderKeys({
    ...{ credentials, clock, onError: (err) => log.error({ err }, 'an adapter was not closed') },
    accessTo: (name) => world.set.keyable().get(name),
  })
  onClose(providerKeys.close)
  const { baseUrl, set, metrics, blobs, media, gateway, mediaIo, graphTools } = world
  const spending = createSpendQueue(store.ledger, clock)
  const plainLedger = createAttemptLedger(store.ledger, clock, spending)
  const { callSettled } = metrics
  const ledger = callSettled ? observeLedger(plainLedger, clock, callSettled) : plainLedger
  onClose(ledger.close)
  const breaker = createCircuitBreaker(clock)
  const textDeps = {
    ...{ ...set, providerKeys, ledger, breaker, clock, pictures: createPictureMemory() },
    loadImage: mediaIo.fetchImage,
    timeoutMs: config.CHAT_TIMEOUT_SECONDS * 1000,
    onError: (err: unknown) => log.error({ err }, 'an attempt was not settled'),
  }
  const generateText = createTextGenerator(textDeps)
  const mediaUrls: Services['mediaUrls'] = (records) => records.map(media.publicMedia)
  const taskDeps = {
    ...{ ledger: store.ledger, clock, spending, catalogue: set.catalogue },
    acceptImage: mediaIo.acceptImage,
    queueTimeoutMs: config.TASK_QUEUE_TIMEOUT_SECONDS * 1000,
    // Some of the handler's time is left for everything else it does.
    roomTimeoutMs: (config.HANDLER_TIMEOUT_SECONDS * 1000 * 2) / 3,
  }
  const onError = (err: unknown) => log.error({ err }, 'a long value was kept in its row')
  const payloads = createPayloadStore({ blobs, db, clock, onError })
  const keeper = config.ROLE === 'api' ? null : await openLease(config, store, log, clock)
  if (keeper) onClose(keeper.release)
  const runs = openRuns({
    ...{ config, db, store, steps, clock, baseUrl, set, media, mediaIo, gateway, graphTools },
    ...{ keeper, log, metrics, payloads, generateText, mediaUrls, taskDeps, providerKeys },
    spending,
  })
  const services: Services = {
    ...{ db, clock, catalogue: set.catalogue, baseUrl, generateText, mediaUrls },
    submitTask: createTaskSubmitter(taskDeps),
    graphs: { ...graphTools, checkCallbackUrl: callbackCheck(gateway) },
    runs: runs.services,
    agents: loadOnce(async () => {
      const { createAgentDocuments } = await import('#agents/agent-documents.ts')
      return createAgentDocuments(operations, baseUrl)
    }),
  }
  return { store, breaker, providerKeys, textDeps, taskDeps, keeper, runs, services, spending }
}

/** Returns the function that stops it, which does nothing in a process that only serves. */
async function startWorker(process: Process, stores: Stores, world: World, engine: Engine) {
  const { config, clock, log, onClose } = process
  const { db } = stores
  const { set, mediaIo, gateway, media, metrics } = world
  const { store, keeper, runs, breaker, providerKeys, textDeps } = engine
  if (!keeper || !runs.worker) return async () => {}
  const work = await startWork({
    ...{ config, store, clock, keeper, runs: runs.worker, set, breaker },
    ...{ mediaIo, gateway, log, metrics, providerKeys, pictures: textDeps.pictures },
  })
  const stop = once(work.stop)
  onClose(stop, startUpkeep({ config, db, clock, media, log }))
  return stop
}

async function startServing(
  { config, log, clock, onClose }: Process,
  { db, box }: Stores,
  { reserved, baseUrl, set, files, media, mediaIo, gateway, identity, ...world }: World,
  { store, services, textDeps, taskDeps, spending }: Engine,
  consoleFiles: ConsoleFiles,
) {
  const developer = {
    server: describeServer({ config, set, baseUrl, files }),
    sendWebhook: webhookSender({ deliveries: store.deliveries, clock, gateway }),
    saveUpload: uploadsInto(media, { maxBytes: config.MEDIA_MAX_BYTES }),
  }
  const awaiter = await openTaskAwaiter(store.tasks, {
    clock,
    limitMs: textDeps.timeoutMs,
    onError: (err) => log.error({ err }, 'the tasks that callers wait for were not read'),
  })
  onClose(awaiter.close)
  const makeImages = createImageMaker({
    submitTasks: createTasksSubmitter(taskDeps),
    awaitTasks: awaiter.awaitTasks,
    mediaUrls: services.mediaUrls,
    readMedia: mediaIo.readOwn,
  })
  const calls = {
    ...openCompatCalls(textDeps),
    makeImages,
    stopWaiting() {
      awaiter.stopWaiting()
      spending.stopWaiting()
    },
  }
  const oauth = openOAuth({ db, clock, box, gateway, identity, baseUrl })
  const surfaces = { services, developer, calls, identity, oauth, media, consoleFiles }
  const { metrics, readiness } = world
  return serve({ ...surfaces, config, reserved, log, metrics, readiness })
}
