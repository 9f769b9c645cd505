import type { Config } from '#config'
import type { TimedClock } from '#core/clock.ts'
import { repeat } from '#core/repeat.ts'
import type { CircuitBreaker } from '#engine/calls/circuit-breaker.ts'
import type { PictureMemory } from '#engine/calls/picture-memory.ts'
import type { ProviderKeys } from '#engine/calls/provider-keys.ts'
import type { RunWorker } from '#engine/runs/run-worker.ts'
import type { MediaIo } from '#engine/tasks/media-io.ts'
import { startTaskWorker } from '#engine/tasks/task-worker.ts'
import { keepLease, type LeaseKeeper } from '#engine/work/lease-keeper.ts'
import type { Logger } from '#operate/log.ts'
import type { Metrics } from '#operate/metrics/metrics.ts'
import type { Gateway } from '#outbound/gateway.ts'
import type { ProviderSet } from '#providers/configured/provider-set.ts'
import type { EngineStore } from '#store/engine-store.ts'
import { startWebhooks } from './webhooks.ts'

const tasksPerProcess = 500
const abandonedEveryMs = 5_000
/** Longer than any call may take, after which nobody will settle it any more. */
const settleMarginMs = 10_000

export const openLease = (
  config: Config,
  { leases }: EngineStore,
  log: Logger,
  clock: TimedClock,
): Promise<LeaseKeeper> =>
  keepLease(leases, {
    clock,
    leaseMs: config.LEASE_SECONDS * 1000,
    onError: (err) => log.error({ err }, 'the lease was not renewed'),
  })

/** Starts the work side, which claims and executes the work that the request side stored. */
export async function startWork(deps: {
  config: Config
  clock: TimedClock
  set: ProviderSet
  providerKeys: ProviderKeys
  breaker: CircuitBreaker
  mediaIo: MediaIo
  pictures: PictureMemory
  gateway: Gateway
  store: EngineStore
  keeper: LeaseKeeper
  runs: RunWorker
  log: Logger
  metrics: Metrics
}): Promise<{ stop(): Promise<void> }> {
  const { config, store, clock, keeper, runs, set, breaker, mediaIo, log } = deps
  const tasks = await startTaskWorker({
    keeper,
    deps: {
      tasks: store.tasks,
      clock,
      ...set,
      providerKeys: deps.providerKeys,
      breaker,
      loadImage: mediaIo.loadImage,
      pictures: deps.pictures,
      storeOutputs: mediaIo.storeOutputs,
      random: Math.random,
      onEnded: deps.metrics.taskEnded,
      onSettled: deps.metrics.callSettled,
      onQuarantined: deps.metrics.quarantined,
      onError: (err, taskId) => log.error({ err, taskId }, 'a task could not continue'),
    },
    capacity: tasksPerProcess,
    inFlightPerAccount: config.MAX_TASKS_IN_FLIGHT,
    imageTimeoutMs: config.TASK_IMAGE_TIMEOUT_SECONDS * 1000,
    videoTimeoutMs: config.TASK_VIDEO_TIMEOUT_SECONDS * 1000,
    stopGraceMs: config.SHUTDOWN_SECONDS * 1000,
  })
  await runs.start()
  const webhooks = await startWebhooks({
    clock,
    keeper,
    deliveries: store.deliveries,
    gateway: deps.gateway,
    stopGraceMs: config.SHUTDOWN_SECONDS * 1000,
    onTried: deps.metrics.webhookTried,
    onError: (err, deliveryId) => log.error({ err, deliveryId }, 'a webhook could not be sent'),
  })
  const abandonedAfterMs = config.CHAT_TIMEOUT_SECONDS * 1000 + settleMarginMs
  const stopSettling = repeat(
    abandonedEveryMs,
    () => store.ledger.settleAbandoned(abandonedAfterMs, clock.nowMs()),
    (err) => log.error({ err }, 'abandoned chats were not settled'),
    clock,
  )
  return {
    async stop() {
      await Promise.all([tasks.stop(), runs.stop(), webhooks.stop(), stopSettling()])
    },
  }
}
