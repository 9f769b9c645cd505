import type { Config } from '#config'
import type { Clock } from '#core/clock.ts'
import type { CircuitBreaker } from '#engine/circuit-breaker.ts'
import { keepLease } from '#engine/lease-keeper.ts'
import type { MediaIo } from '#engine/media-io.ts'
import { startTaskWorker, type TaskWorker } from '#engine/task-worker.ts'
import type { Db } from '#store/db.ts'
import type { Logger } from './log.ts'
import type { Metrics } from './metrics.ts'
import type { ProviderSet } from './providers.ts'

const tasksPerProcess = 500

/** The work side: claims what the request side stored, and carries it out. */
export async function startWork(parts: {
  config: Config
  db: Db
  clock: Clock
  set: ProviderSet
  breaker: CircuitBreaker
  mediaIo: MediaIo
  log: Logger
  metrics: Metrics
}): Promise<{ stop(): Promise<void> }> {
  const { config, db, clock, set, breaker, mediaIo, log } = parts
  let worker: TaskWorker | undefined
  const keeper = await keepLease(db, {
    leaseMs: config.LEASE_SECONDS * 1000,
    onError: (err) => log.error({ err }, 'the lease was not renewed'),
    onReleased: () => worker?.wake(),
  })
  worker = await startTaskWorker({
    db,
    clock,
    keeper,
    parts: {
      db,
      clock,
      ...set,
      breaker,
      loadImage: mediaIo.loadImage,
      storeOutputs: mediaIo.storeOutputs,
      random: Math.random,
    },
    capacity: tasksPerProcess,
    inFlightPerAccount: config.MAX_TASKS_IN_FLIGHT,
    imageTimeoutMs: config.TASK_IMAGE_TIMEOUT_SECONDS * 1000,
    videoTimeoutMs: config.TASK_VIDEO_TIMEOUT_SECONDS * 1000,
    stopGraceMs: config.SHUTDOWN_SECONDS * 1000,
    onError: (err, taskId) => log.error({ err, taskId }, 'a task could not go on'),
  })
  const running = worker
  return {
    async stop() {
      await running.stop()
      await keeper.release()
    },
  }
}
