import { randomBytes } from 'node:crypto'
import type { ConsoleServices } from '#api/console/context.ts'
import { apiPrefix } from '#api/public/context.ts'
import {
  type DeliveryWorkerOptions,
  startDeliveryWorker,
} from '#engine/deliveries/delivery-worker.ts'
import { type SendDeps, sendWebhook } from '#engine/deliveries/send-webhook.ts'
import { createRunEndRecorder } from '#store/tables/deliveries.ts'
import { createWaitRecorder } from '#store/tables/waiting-events.ts'

const secretBytes = 32
const makeSecret = () => randomBytes(secretBytes)

/** The run engine calls these in the transactions that end a run, or open a wait. */
export function recordEvents(baseUrl: string) {
  const runUrl = (runId: string) => `${baseUrl}${apiPrefix}/workflow-runs/${runId}`
  return { recordRunEnd: createRunEndRecorder(runUrl), recordWaiting: createWaitRecorder(runUrl) }
}

export const startWebhooks = (options: Omit<DeliveryWorkerOptions, 'random' | 'makeSecret'>) =>
  startDeliveryWorker({ ...options, random: Math.random, makeSecret })

/** Sends a test webhook directly from a serving process, because a user waits for the outcome. */
export const webhookSender =
  (deps: Omit<SendDeps, 'makeSecret'>): ConsoleServices['sendWebhook'] =>
  (message) =>
    sendWebhook({ ...deps, makeSecret }, message, new AbortController().signal)
