import type { Config } from '#config'
import type { Clock } from '#core/clock.ts'
import { settleAbandonedChats } from '#engine/attempt-ledger.ts'
import type { CircuitBreaker } from '#engine/circuit-breaker.ts'
import { keepLease } from '#engine/lease-keeper.ts'
import type { MediaIo } from '#engine/media-io.ts'
import { type RunWorker, startRunWorker } from '#engine/runs/run-worker.ts'
import { startTaskWorker, type TaskWorker } from '#engine/task-worker.ts'
import type { Door } from '#outbound/door.ts'
import type { Db } from '#store/db.ts'
import type { SecretBox } from '#store/secret-box.ts'
import type { Logger } from './log.ts'
import type { Metrics } from './metrics.ts'
import { repeat } from './periodic.ts'
import type { ProviderSet } from './providers.ts'
import type { openRuns } from './runs.ts'
import { startWebhooks } from './webhooks.ts'

const tasksPerProcess = 500
const runsPerProcess = 10_000
const abandonedEveryMs = 5_000

/** Starts the work side, which claims and executes the work that the request side stored. */
export async function startWork(parts: {
  config: Config
  db: Db
  clock: Clock
  set: ProviderSet
  breaker: CircuitBreaker
  mediaIo: MediaIo
  door: Door
  box: SecretBox
  runs: ReturnType<typeof openRuns>
  log: Logger
  metrics: Metrics
}): Promise<{ stop(): Promise<void> }> {
  const { config, db, clock, set, breaker, mediaIo, log } = parts
  let worker: TaskWorker | undefined
  let runWorker: RunWorker | undefined
  const keeper = await keepLease(db, {
    leaseMs: config.LEASE_SECONDS * 1000,
    onError: (err) => log.error({ err }, 'the lease was not renewed'),
    onReleased: () => {
      worker?.wake()
      runWorker?.wake()
    },
  })
  worker = await startTaskWorker({
    keeper,
    parts: {
      db,
      clock,
      ...set,
      breaker,
      loadImage: mediaIo.loadImage,
      storeOutputs: mediaIo.storeOutputs,
      random: Math.random,
      onEnded: parts.metrics.taskEnded,
      onQuarantined: parts.metrics.quarantined,
      onError: (err, taskId) => log.error({ err, taskId }, 'a task could not go on'),
    },
    capacity: tasksPerProcess,
    inFlightPerAccount: config.MAX_TASKS_IN_FLIGHT,
    imageTimeoutMs: config.TASK_IMAGE_TIMEOUT_SECONDS * 1000,
    videoTimeoutMs: config.TASK_VIDEO_TIMEOUT_SECONDS * 1000,
    stopGraceMs: config.SHUTDOWN_SECONDS * 1000,
  })
  runWorker = await startRunWorker({
    db,
    clock,
    keeper,
    parts: parts.runs.work,
    plans: parts.runs.plans,
    recordRunEnd: parts.runs.services.recordRunEnd,
    capacity: runsPerProcess,
    activePerAccount: config.MAX_ACTIVE_RUNS,
    runTimeoutMs: config.RUN_TIMEOUT_SECONDS * 1000,
    stopGraceMs: config.SHUTDOWN_SECONDS * 1000,
    onError: (err, runId) => log.error({ err, runId }, 'a run could not go on'),
    onEnded: parts.runs.services.onEnded,
    onQuarantined: parts.metrics.quarantined,
  })
  parts.runs.useWorker(runWorker)
  const webhooks = await startWebhooks(
    {
      db,
      clock,
      keeper,
      door: parts.door,
      box: parts.box,
      stopGraceMs: config.SHUTDOWN_SECONDS * 1000,
      onError: (err, deliveryId) => log.error({ err, deliveryId }, 'a webhook could not be sent'),
    },
    parts.metrics.webhookTried,
  )
  const stopSettling = repeat(
    abandonedEveryMs,
    () => settleAbandonedChats(db, clock.nowMs(), config.CHAT_TIMEOUT_SECONDS * 1000),
    (err) => log.error({ err }, 'abandoned chats were not settled'),
  )
  const [tasks, runs] = [worker, runWorker]
  return {
    async stop() {
      await Promise.all([tasks.stop(), runs.stop(), webhooks.stop(), stopSettling()])
      await keeper.release()
    },
  }
}
