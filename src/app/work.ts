import { repeat } from '#core/repeat.ts'
import { withAddress } from '#core/waiting-event.ts'
import { startBatchWorker } from '#engine/batches/batch-worker.ts'
import type { RunWorker } from '#engine/runs/run-worker.ts'
import { startTaskWorker } from '#engine/tasks/task-worker.ts'
import { startScheduler } from '#engine/triggers/scheduler.ts'
import type { LeaseKeeper } from '#engine/work/lease-keeper.ts'
import type { Engine } from './engine.ts'
import type { Base } from './stores.ts'
import { startWebhooks } from './webhooks.ts'
import type { World } from './world.ts'

const tasksPerProcess = 500
const abandonedEveryMs = 5_000
/** Beyond the longest that a call may take, after which nobody will settle it any more. */
const settleMarginMs = 10_000

/** Starts the work side, which claims and executes the work that the request side stored. */
export async function startWork(
  { config, clock, log }: Base,
  { set, mediaIo, gateway, metrics }: World,
  engine: Engine & { keeper: LeaseKeeper; runWorker: RunWorker },
): Promise<{ stop(): Promise<void> }> {
  const { store, keeper, runWorker, providerKeys, breaker, lanes, gate } = engine
  const tasks = await startTaskWorker({
    keeper,
    deps: {
      tasks: store.tasks,
      clock,
      ...set,
      providerKeys,
      breaker,
      lanes,
      gate,
      loadImage: mediaIo.loadImage,
      pictures: engine.textDeps.pictures,
      storeOutputs: mediaIo.storeOutputs,
      random: Math.random,
      onEnded: metrics.taskEnded,
      onSettled: metrics.callSettled,
      onQuarantined: metrics.quarantined,
      onError: (err, taskId) => log.error({ err, taskId }, 'a task could not continue'),
    },
    capacity: tasksPerProcess,
    inFlightPerAccount: config.MAX_TASKS_IN_FLIGHT,
    imageTimeoutMs: config.TASK_IMAGE_TIMEOUT_SECONDS * 1000,
    videoTimeoutMs: config.TASK_VIDEO_TIMEOUT_SECONDS * 1000,
    stopGraceMs: config.SHUTDOWN_SECONDS * 1000,
  })
  await runWorker.start()
  const webhooks = await startWebhooks({
    clock,
    keeper,
    deliveries: store.deliveries,
    gateway,
    stopGraceMs: config.SHUTDOWN_SECONDS * 1000,
    complete: (payload) => withAddress(payload, engine.services.waits.tokens.urlOf),
    onTried: metrics.webhookTried,
    onError: (err, deliveryId) => log.error({ err, deliveryId }, 'a webhook could not be sent'),
  })
  const batches = startBatchWorker({
    ...{
      clock,
      keeper,
      providerKeys,
      economy: store.economy,
      ...set,
      ...engine.batches,
    },
    onBatch: metrics.batchChanged,
    onError: (err, batchId) => log.error({ err, batchId }, 'a batch could not be asked for'),
  })
  const scheduler = startScheduler({ ...engine.triggers.deps, clock })
  const abandonedAfterMs = config.CHAT_TOTAL_SECONDS * 1000 + settleMarginMs
  const stopSettling = repeat(
    abandonedEveryMs,
    () => store.ledger.settleAbandoned(abandonedAfterMs, clock.nowMs()),
    (err) => log.error({ err }, 'abandoned chats were not settled'),
    clock,
  )
  return {
    async stop() {
      // First, so that nothing is submitted to a worker that has stopped.
      await scheduler.stop()
      await Promise.all([
        ...[tasks.stop(), runWorker.stop(), webhooks.stop()],
        ...[batches.stop(), stopSettling()],
      ])
    },
  }
}
