import { randomBytes } from 'node:crypto'
import { fileURLToPath } from 'node:url'
import { systemClock, type TimedClock } from '#core/clock.ts'
import { uuidV7 } from '#core/ids.ts'
import type { EndedRun } from '#core/run-webhook.ts'
import type { DeliveryLimits } from '#engine/deliveries/delivery-slots.ts'
import {
  type DeliveryWorkerOptions,
  startDeliveryWorker,
} from '#engine/deliveries/delivery-worker.ts'
import { keepLease, type LeaseKeeper } from '#engine/work/lease-keeper.ts'
import { createGateway } from '#outbound/gateway.ts'
import type { Db } from '#store/db.ts'
import { deliveriesIn } from '#store/engine/deliveries.ts'
import { leasesIn } from '#store/engine/leases.ts'
import { createSecretBox } from '#store/secret-box.ts'
import { insertAccount } from '#store/tables/accounts.ts'
import {
  callbacksOf,
  createRunEndRecorder,
  type DeliveryRow,
  listDeliveries,
} from '#store/tables/deliveries.ts'
import { ensureWebhookSecret } from '#store/tables/webhook-secrets.ts'
import type { databases } from '../../support/databases.ts'
import { createPauses } from '../../support/pauses.ts'

export const migrations = fileURLToPath(new URL('../../../src/store/migrations', import.meta.url))

export const runUrl = (runId: string) => `https://atelier.example/runs/${runId}`
export const recordRunEnd = createRunEndRecorder(runUrl)

export const newId = () => uuidV7(Date.now())

export type HandClock = TimedClock & { at: number }
export const handClock = (): HandClock => {
  const clock: HandClock = { ...systemClock, at: Date.now(), nowMs: () => clock.at }
  return clock
}

export const endedRun = (change: Partial<EndedRun> = {}): EndedRun => ({
  runId: newId(),
  accountId: newId(),
  workflowId: 7,
  status: 'COMPLETED',
  outputs: { answer: 'Grüße' },
  nodeErrors: [],
  metadata: { order: 'A-1' },
  cost: { amount: 0.25, currency: 'USD' },
  createdAtMs: 1_000,
  completedAtMs: 2_000,
  inFlightTaskMayComplete: false,
  callbackUrl: 'https://hook.example.com/done?token=secret',
  ...change,
})

export async function addAccount(db: Db): Promise<string> {
  const id = newId()
  await db.transaction((tx) => insertAccount(tx, { id, name: 'Some account', nowMs: Date.now() }))
  return id
}

/** Ends a run as the engine does. */
export async function endRun(db: Db, change: Partial<EndedRun>): Promise<EndedRun> {
  const run = endedRun(change)
  await db.transaction((tx) => recordRunEnd(tx, run))
  return run
}

/** Waits for a state; the runner's time-out ends a wait for one that never comes. */
export async function until<T>(look: () => Promise<T | false | undefined>): Promise<T> {
  const pause = createPauses(5)
  for (;;) {
    const seen = await look()
    if (seen !== false && seen !== undefined) return seen
    await pause()
  }
}

export const newestDelivery = async (db: Db, accountId: string): Promise<DeliveryRow> => {
  const [row] = (await listDeliveries(db, accountId, {}, { before: null, limit: 1 })).rows
  if (!row) throw new Error('no delivery')
  return row
}

export const callbackOf = async (db: Db, runId: string) =>
  (await callbacksOf(db, [runId])).get(runId)

/** The account's newest delivery once it has had `attempts` attempts. */
export const afterAttempts = (db: Db, accountId: string, attempts: number) =>
  until(async () => {
    const row = await newestDelivery(db, accountId)
    return row.attempts >= attempts && row
  })

export const secretKey = randomBytes(32)
export const box = createSecretBox(secretKey)

export const secretOf = (db: Db, accountId: string) =>
  ensureWebhookSecret(db, box, accountId, { makeSecret: () => randomBytes(32), nowMs: Date.now() })

/** Lets receivers take longer than a delivery may: on a busy machine all of them are slow. */
function patientGateway(): ReturnType<typeof createGateway> {
  const gateway = createGateway({ allow: ['127.0.0.1/32'] })
  const request: typeof gateway.request = (target, message) =>
    gateway.request(target, { ...message, timeoutMs: 120_000 })
  return { ...gateway, request }
}

/** A worker process's delivering part, with a lease of its own. */
export async function startWorker(
  db: Db,
  options: {
    clock: HandClock
    keeper?: LeaseKeeper
    limits?: DeliveryLimits
    stopGraceMs?: number
    gateway?: DeliveryWorkerOptions['gateway']
  },
) {
  const gateway = patientGateway()
  const errors: unknown[] = []
  const onError = (error: unknown) => void errors.push(error)
  const keeper =
    options.keeper ??
    (await keepLease(leasesIn(db), { clock: systemClock, leaseMs: 60_000, onError }))
  const worker = await startDeliveryWorker({
    deliveries: deliveriesIn(db, box),
    gateway,
    onError,
    limits: { all: 64, account: 32, host: 16, queue: 8 },
    random: Math.random,
    makeSecret: () => randomBytes(32),
    stopGraceMs: 0,
    ...options,
    keeper,
  })
  return {
    ...worker,
    errors,
    async [Symbol.asyncDispose]() {
      await worker.stop()
      if (!options.keeper) await keeper.release()
      await gateway.close()
    },
  }
}

/** A migrated database with one account and a worker on it. */
export async function openSetting(
  open: (typeof databases)[number]['open'],
  options: { limits?: DeliveryLimits } = {},
) {
  const opened = await open({ migrations })
  const { db } = opened
  const clock = handClock()
  const worker = await startWorker(db, { clock, ...options })
  const accountId = await addAccount(db)
  return {
    db,
    clock,
    worker,
    accountId,
    /** Lets time pass, and the worker look again. */
    pass(ms: number) {
      clock.at += ms
      worker.wake()
    },
    async [Symbol.asyncDispose]() {
      await worker[Symbol.asyncDispose]()
      await opened.close()
    },
  }
}
