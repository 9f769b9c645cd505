// Builds the running process from its components and shuts them down in reverse order.
import { createServer as createSocketServer } from 'node:net'
import { fileURLToPath } from 'node:url'
import { createAgentDocuments } from '#agents/agent-documents.ts'
import { ensureOwner } from '#auth/owner.ts'
import type { Config } from '#config'
import { type Clock, systemClock } from '#core/clock.ts'
import { Failure } from '#core/errors.ts'
import { createAttemptLedger } from '#engine/attempt-ledger.ts'
import { createCircuitBreaker } from '#engine/circuit-breaker.ts'
import { createTextGenerator } from '#engine/generate-text.ts'
import { createMediaIo } from '#engine/media-io.ts'
import { createTextStreamer } from '#engine/stream-text.ts'
import { createTaskSubmitter } from '#engine/submit-task.ts'
import { openGraphTools } from '#expressions/graph-tools.ts'
import { type ConsoleFiles, createConsoleFiles } from '#http/console-files.ts'
import { createMediaStore } from '#media/media-store.ts'
import { openBlobs } from '#media/open-blobs.ts'
import { createPayloadStore } from '#media/payload-store.ts'
import type { Services } from '#operations/context.ts'
import { operations } from '#operations/registry.ts'
import { createDoor, type Door } from '#outbound/door.ts'
import { OutboundRefused } from '#outbound/outbound-errors.ts'
import type { Db } from '#store/db.ts'
import type { ChatLog } from '#store/journals/chat-log.ts'
import { openSteps } from '#store/journals/step-log.ts'
import { migrate } from '#store/migrate.ts'
import { createSecretBox } from '#store/secret-box.ts'
import { checkSecretKey } from '#store/tables/server-facts.ts'
import { openIdentity } from './identity.ts'
import { markInstallation } from './installation.ts'
import type { Logger } from './log.ts'
import { openMetrics } from './metrics.ts'
import { openDatabase } from './open-database.ts'
import { openProviders } from './providers.ts'
import { openRuns } from './runs.ts'
import { deriveKey, readSecretKey } from './secret-key.ts'
import { serve } from './serve.ts'
import { serverFacts } from './server-facts.ts'
import { startUpkeep } from './upkeep.ts'
import { uploadsInto } from './uploads.ts'
import { webhookSender } from './webhooks.ts'
import { openLease, startWork } from './work.ts'

export type Running = {
  baseUrl: string
  setupLink: string | null
  ownerKeyPath: string | null
  /** Null in a process that is only a worker. */
  consoleFiles: ConsoleFiles | null
  stop(): Promise<void>
}

export async function start(
  config: Config,
  env: Record<string, string | undefined>,
  log: Logger,
  clock: Clock = systemClock,
): Promise<Running> {
  const closing: (() => Promise<unknown>)[] = []
  const closeAll = async () => {
    for (const close of closing.reverse())
      await close().catch((error) => log.error({ err: error }, 'while stopping'))
    closing.length = 0
  }
  try {
    return await startParts(config, env, log, clock, closing, closeAll)
  } catch (error) {
    await closeAll()
    throw error
  }
}

async function startParts(
  config: Config,
  env: Record<string, string | undefined>,
  log: Logger,
  clock: Clock,
  closing: (() => Promise<unknown>)[],
  closeAll: () => Promise<void>,
): Promise<Running> {
  const db = await openDatabase(config, log)
  closing.push(() => db.close())
  await migrate(db, fileURLToPath(new URL('../store/migrations', import.meta.url)))
  closing.push(await markInstallation({ db, dataDir: config.dataDir, clock, log }))
  const secretKey = readSecretKey(config.SECRET_KEY, config.dataDir)
  const box = createSecretBox(secretKey)
  await checkSecretKey(db, box)
  const chats = await openChatLog(config, db, clock, log)
  closing.push(chats.close)
  const steps = await openSteps({
    db,
    clock,
    onError: (err) => log.error({ err }, 'the log of steps'),
  })
  closing.push(steps.close)
  const port = config.PORT === 0 ? await freePort(config.HOST) : config.PORT
  const baseUrl =
    config.BASE_URL ||
    `http://${config.HOST.includes(':') ? `[${config.HOST}]` : config.HOST}:${port}`
  const set = await openProviders(config, env)
  closing.push(() => set.close())
  const metrics = await openMetrics(config.METRICS_LISTEN)
  closing.push(metrics.close)
  const blobs = await openBlobs({ dataDir: config.dataDir, mediaUrl: config.MEDIA_URL, clock })
  const media = createMediaStore({
    blobs,
    db,
    clock,
    signingKey: deriveKey(secretKey, 'media addresses'),
    baseUrl,
  })
  const door = createDoor({ allow: config.OUTBOUND_ALLOW })
  const providerDoor = createDoor({ allow: ['0.0.0.0/0', '::/0'] })
  closing.push(() => Promise.all([door.close(), providerDoor.close()]))
  const mediaIo = createMediaIo({
    media,
    door,
    providerDoor,
    providerOrigins: set.origins,
    maxResultBytes: config.MEDIA_MAX_BYTES,
  })
  const breaker = createCircuitBreaker(clock)
  const graphTools = openGraphTools()
  closing.push(graphTools.close)
  const identity = await openIdentity({ config, db, clock, box, chats, baseUrl })
  closing.push(() => identity.verifier.close())

  const ledger = createAttemptLedger(db, clock, chats)
  closing.push(ledger.close)
  const textParts = {
    ...set,
    ledger,
    breaker,
    clock,
    loadImage: mediaIo.fetchImage,
    timeoutMs: config.CHAT_TIMEOUT_SECONDS * 1000,
    onError: (err: unknown) => log.error({ err }, 'an attempt was not settled'),
  }
  const generateText = createTextGenerator(textParts)
  const mediaUrls: Services['mediaUrls'] = (json) =>
    (JSON.parse(json) as Parameters<typeof media.publicMedia>[0][]).map(media.publicMedia)
  const taskParts = {
    db,
    clock,
    chats,
    catalogue: set.catalogue,
    acceptImage: mediaIo.acceptImage,
    queueTimeoutMs: config.TASK_QUEUE_TIMEOUT_SECONDS * 1000,
  }
  const parts = { config, db, steps, clock, baseUrl, set, media, mediaIo, door, graphTools }
  const payloads = createPayloadStore({
    blobs,
    db,
    clock,
    onError: (err) => log.error({ err }, 'a long value was kept in its row'),
  })
  const keeper = config.ROLE === 'api' ? null : await openLease(config, db, log)
  if (keeper) closing.push(keeper.release)
  const runParts = { ...parts, keeper, log, metrics, payloads, generateText, mediaUrls, taskParts }
  const runs = openRuns(runParts)
  const services: Services = {
    db,
    clock,
    catalogue: set.catalogue,
    baseUrl,
    generateText,
    submitTask: createTaskSubmitter(taskParts),
    mediaUrls,
    graphs: { ...graphTools, checkCallbackUrl: callbackCheck(door) },
    runs: runs.services,
    agents: createAgentDocuments(operations, baseUrl),
  }
  let stopWork = async () => {}
  if (keeper && runs.worker) {
    const work = await startWork({
      ...{ config, db, clock, keeper, runs: runs.worker, set, breaker },
      ...{ mediaIo, door, box, log, metrics },
    })
    stopWork = once(work.stop)
    closing.push(stopWork)
    closing.push(startUpkeep({ config, db, clock, media, log }))
  }
  const owner = await ensureOwner({
    db,
    dataDir: config.dataDir,
    clock,
    baseUrl,
    random: identity.random,
  })
  const consoleFiles = config.ROLE === 'worker' ? null : createConsoleFiles()
  if (consoleFiles) {
    closing.push(...identity.upkeep(log))
    const streamText = createTextStreamer(textParts)
    const developer = {
      server: serverFacts(config, set, baseUrl),
      sendWebhook: webhookSender({ db, clock, door, box }),
      saveUpload: uploadsInto(media, { maxBytes: config.MEDIA_MAX_BYTES }),
    }
    const surfaces = { services, developer, streamText, identity, media, consoleFiles }
    const stopServing = await serve({ ...surfaces, config, port, log, metrics })
    // At the same time, so that no worker starts anything new while requests in flight finish.
    closing.push(() => Promise.all([stopServing(), stopWork()]))
  }
  const { setupLink, ownerKeyPath } = owner
  return { baseUrl, setupLink, ownerKeyPath, consoleFiles, stop: closeAll }
}

function once(stop: () => Promise<void>): () => Promise<void> {
  let stopped: Promise<void> | undefined
  return () => {
    stopped ??= stop()
    return stopped
  }
}

/** One process has its chats in a file; several share a table. */
async function openChatLog(config: Config, db: Db, clock: Clock, log: Logger): Promise<ChatLog> {
  if (db.isShared) {
    const { openChatIntents } = await import('#store/journals/chat-intents.ts')
    return openChatIntents(db, clock)
  }
  const { openChatJournal } = await import('#store/journals/chat-journal.ts')
  const onError = (err: unknown) => log.error({ err }, 'the journal of chats')
  return openChatJournal({ db, clock, folder: config.dataDir, onError })
}

/** Signed URLs contain our own address, so the port must be known before routes are mounted. */
function freePort(host: string): Promise<number> {
  return new Promise((resolve, reject) => {
    const probe = createSocketServer()
    probe.once('error', reject)
    probe.listen(0, host, () => {
      const address = probe.address()
      probe.close(() => resolve(typeof address === 'object' && address ? address.port : 0))
    })
  })
}

const callbackCheck = (door: Door) => async (url: string) => {
  try {
    return (await door.check(url)).href
  } catch (error) {
    if (!(error instanceof OutboundRefused)) throw error
    const { message, reason } = error
    throw new Failure('CALLBACK_URL_REJECTED', { message, details: { reason } })
  }
}
