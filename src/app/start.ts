// Builds the running process from its components and shuts them down in reverse order.

import { openKeptAnswers } from '#api/kept-answers.ts'
import { createKeptResponses } from '#api/kept-responses.ts'
import { createImageMaker } from '#api/public/tasks/awaited-images.ts'
import { ensureOwner } from '#auth/owner.ts'
import type { Config } from '#config'
import { systemClock, type TimedClock } from '#core/clock.ts'
import { once } from '#core/once.ts'
import { deploymentStates } from '#engine/calls/deployment-states.ts'
import { keyLanes } from '#engine/calls/key-lanes.ts'
import { openTaskAwaiter } from '#engine/tasks/await-tasks.ts'
import { createTasksSubmitter } from '#engine/tasks/submit-task.ts'
import { type ConsoleFiles, createConsoleFiles } from '#http/console-files.ts'
import { uploadsInto } from '#media/save-upload.ts'
import type { Logger } from '#operate/log.ts'
import { handleRequests } from '#operate/machine/machine-requests.ts'
import { startUpkeep } from '#operate/upkeep.ts'
import { describeServer } from './describe-server.ts'
import { type Engine, openEngine } from './engine.ts'
import { openOAuth } from './oauth.ts'
import { openCompatCalls, serve } from './serve.ts'
import { type Base, openStores, type Process, type Stores } from './stores.ts'
import { webhookSender } from './webhooks.ts'
import { startWork } from './work.ts'
import { openWorld, type World } from './world.ts'

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
  const onClose: Process['onClose'] = (...closes) => void closing.push(...closes)
  const broken = Promise.withResolvers<unknown>()
  try {
    const process: Process = { config, clock, log, onClose, onBroken: broken.resolve }
    const { base, ...stores } = await openStores(process)
    const world = await openWorld(base, stores, env)
    const engine = await openEngine(base, stores, world)
    const stopWork = await startWorker(base, world, engine)
    const { identity, baseUrl } = world
    const owned = { db: base.db, dataDir: config.dataDir, clock }
    const made = await ensureOwner({ ...owned, baseUrl, random: identity.random })
    onClose(await handleRequests({ ...owned, log }))
    const consoleFiles = config.ROLE === 'worker' ? null : createConsoleFiles()
    let drain = async () => {}
    if (consoleFiles) {
      onClose(...identity.upkeep(log))
      const serving = await startServing(base, stores, world, engine, consoleFiles)
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

/** Returns the function that stops it, which does nothing in a process that only serves. */
async function startWorker(base: Base, world: World, engine: Engine) {
  const { keeper, runWorker } = engine
  if (!keeper || !runWorker) return async () => {}
  const work = await startWork(base, world, { ...engine, keeper, runWorker })
  const stop = once(work.stop)
  base.onClose(stop, startUpkeep({ ...base, media: world.media }))
  return stop
}

async function startServing(
  { config, db, clock, log, onClose }: Base,
  { box }: Stores,
  world: World,
  { store, services, textDeps, taskDeps, spending, triggers, lanes }: Engine,
  consoleFiles: ConsoleFiles,
) {
  const { reserved, baseUrl, set, files, mediaIo, gateway, identity, discovery } = world
  const { media, thumbnails } = world
  const awaiter = await openTaskAwaiter(store.tasks, {
    clock,
    limitMs: textDeps.timeoutMs,
    onError: (err) => log.error({ err }, 'the tasks that callers wait for were not read'),
  })
  onClose(awaiter.close)
  return serve({
    config,
    log,
    reserved,
    services,
    developer: {
      server: describeServer({
        ...{ config, set, baseUrl, files },
        deployments: () => deploymentStates({ ...set, ...textDeps }),
      }),
      lanes: () => keyLanes({ ...set, ...textDeps }),
      sendWebhook: webhookSender({ deliveries: store.deliveries, clock, gateway }),
      saveUpload: uploadsInto(media, { maxBytes: config.MEDIA_MAX_BYTES }),
      discovery,
    },
    calls: {
      ...openCompatCalls(textDeps),
      makeImages: createImageMaker({
        submitTasks: createTasksSubmitter(taskDeps),
        awaitTasks: awaiter.awaitTasks,
        mediaUrls: services.mediaUrls,
        readMedia: mediaIo.readOwn,
      }),
      keptResponses: createKeptResponses({
        db,
        box,
        clock,
        keptMs: config.RESPONSES_KEPT_HOURS * 3_600_000,
      }),
      keptAnswers: await openKeptAnswers({
        db,
        box,
        clock,
        aliveMs: config.LEASE_SECONDS * 1000,
        onError: (err) => log.error({ err }, 'the answer to a request with a key was not kept'),
      }),
      stopWaiting() {
        awaiter.stopWaiting()
        triggers.stopWaiting()
        spending.stopWaiting()
        lanes.stopWaiting()
      },
    },
    identity,
    oauth: openOAuth({ db, clock, box, gateway, identity, baseUrl }),
    media,
    thumbnails,
    consoleFiles,
    metrics: world.metrics,
    readiness: world.readiness,
  })
}
