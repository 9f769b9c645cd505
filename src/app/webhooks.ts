import { randomBytes } from 'node:crypto'
import type { ConsoleServices } from '#api/console/context.ts'
import { apiPrefix } from '#api/public/context.ts'
import { Failure } from '#core/errors.ts'
import type { DeliveryLimits } from '#engine/deliveries/delivery-slots.ts'
import {
  type DeliveryWorker,
  type DeliveryWorkerOptions,
  startDeliveryWorker,
} from '#engine/deliveries/delivery-worker.ts'
import { type SendDeps, sendWebhook } from '#engine/deliveries/send-webhook.ts'
import type { Metrics, WebhookResult } from '#operate/metrics/metrics.ts'
import type { Gateway } from '#outbound/gateway.ts'
import { OutboundRefused } from '#outbound/outbound-errors.ts'
import { createRunEndRecorder } from '#store/tables/deliveries.ts'

const secretBytes = 32
const makeSecret = () => randomBytes(secretBytes)
const perProcess: DeliveryLimits = { all: 256, account: 64, host: 32, queue: 8 }

/** The run engine calls this in the transaction that ends a run. */
export const recordRunEnds = (baseUrl: string) =>
  createRunEndRecorder((runId) => `${baseUrl}${apiPrefix}/workflow-runs/${runId}`)

export const startWebhooks = (
  deps: Omit<DeliveryWorkerOptions, 'limits' | 'random' | 'makeSecret'>,
  tried: Metrics['webhookTried'] = () => {},
): Promise<DeliveryWorker> =>
  startDeliveryWorker({
    ...deps,
    gateway: countedGateway(deps.gateway, tried),
    limits: perProcess,
    random: Math.random,
    makeSecret,
  })

/** Sends a test webhook directly from a serving process, because a user waits for the outcome. */
export const webhookSender =
  (deps: Omit<SendDeps, 'makeSecret'>): ConsoleServices['sendWebhook'] =>
  (message) =>
    sendWebhook({ ...deps, makeSecret }, message, new AbortController().signal)

type DeliveryGateway = DeliveryWorkerOptions['gateway']

const countedGateway = (
  gateway: DeliveryGateway,
  tried: Metrics['webhookTried'],
): DeliveryGateway => ({
  async request(url, options) {
    try {
      const answer = await gateway.request(url, options)
      tried(resultOf(answer.status))
      return answer
    } catch (error) {
      // An abort by shutdown or a lost lease says nothing about the receiver.
      if (!options.signal.aborted) tried('unreachable')
      throw error
    }
  },
})

const resultOf = (status: number): WebhookResult => {
  if (status === 410) return 'disabled'
  return status >= 200 && status < 300 ? 'delivered' : 'refused'
}

/** Whether a webhook may be sent there, checked when a run is submitted. */
export const callbackCheck = (gateway: Gateway) => async (url: string) => {
  try {
    return (await gateway.check(url)).href
  } catch (error) {
    if (!(error instanceof OutboundRefused)) throw error
    const { message, reason } = error
    throw new Failure('CALLBACK_URL_REJECTED', { message, details: { reason } })
  }
}
