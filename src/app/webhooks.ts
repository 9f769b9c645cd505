import { randomBytes } from 'node:crypto'
import { apiPrefix } from '#operations/context.ts'
import { createRunEndRecorder } from '#store/deliveries.ts'
import {
  type DeliveryWorker,
  type DeliveryWorkerOptions,
  startDeliveryWorker,
} from '#webhooks/delivery-worker.ts'
import type { LaneLimits } from '#webhooks/lanes.ts'

const secretBytes = 32
const perProcess: LaneLimits = { all: 256, account: 64, host: 32, lane: 8 }

/** What the run engine calls in the transaction that ends a run. */
export const recordRunEnds = (baseUrl: string) =>
  createRunEndRecorder((runId) => `${baseUrl}${apiPrefix}/workflow-runs/${runId}`)

export const startWebhooks = (
  parts: Omit<DeliveryWorkerOptions, 'limits' | 'random' | 'makeSecret'>,
): Promise<DeliveryWorker> =>
  startDeliveryWorker({
    ...parts,
    limits: perProcess,
    random: Math.random,
    makeSecret: () => randomBytes(secretBytes),
  })
