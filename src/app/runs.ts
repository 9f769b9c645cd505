import type { Services } from '#api/public/context.ts'
import type { RunServices } from '#api/public/runs/run-services.ts'
import type { Config } from '#config'
import { createAccountCache } from '#core/account-cache.ts'
import type { Clock, TimedClock } from '#core/clock.ts'
import type { GenerateText } from '#core/generation.ts'
import type { ProviderKeys } from '#engine/calls/provider-keys.ts'
import { assertMaySpend, assertPriced } from '#engine/calls/spend-limit.ts'
import type { SpendQueue } from '#engine/calls/spend-queue.ts'
import { cancelTasksOf } from '#engine/runs/cancel-tasks.ts'
import { reconstructRun } from '#engine/runs/reconstruct-run.ts'
import { createMediaKeeper, createMediaRefresher } from '#engine/runs/refresh-media.ts'
import { createRunMemory, limitsOfProcess } from '#engine/runs/run-memory.ts'
import { createPlanCache } from '#engine/runs/run-plan.ts'
import { createRunWorker, type RunWorkerOptions } from '#engine/runs/run-worker.ts'
import { createRunSubmitter } from '#engine/runs/submit-run.ts'
import { credentialUser } from '#engine/runs/use-credential.ts'
import type { MediaIo } from '#engine/tasks/media-io.ts'
import { createTaskOrders, type SubmitTaskDeps } from '#engine/tasks/submit-task.ts'
import type { LeaseKeeper } from '#engine/work/lease-keeper.ts'
import type { openGraphTools } from '#graph/expressions/graph-tools.ts'
import { modelLookup } from '#graph/node/model-lookup.ts'
import type { MediaStore } from '#media/media-store.ts'
import type { PayloadStore } from '#media/payload-store.ts'
import type { Logger } from '#operate/log.ts'
import type { Metrics } from '#operate/metrics/metrics.ts'
import type { Gateway } from '#outbound/gateway.ts'
import type { ProviderSet } from '#providers/configured/provider-set.ts'
import type { Db } from '#store/db.ts'
import type { EngineStore } from '#store/engine-store.ts'
import type { Steps } from '#store/tables/steps.ts'
import { recordRunEnds } from './webhooks.ts'

const runsPerProcess = 10_000
// Each limit holds about 500 graphs of ordinary size.
const acceptedBytes = 64 * 1024 * 1024
const headsBytes = 4 * 1024 * 1024

type RunsOptions = {
  config: Config
  db: Db
  /** Null in a process that only serves. */
  keeper: LeaseKeeper | null
  log: Logger
  steps: Steps
  clock: TimedClock
  baseUrl: string
  set: ProviderSet
  media: MediaStore
  payloads: PayloadStore
  mediaIo: MediaIo
  gateway: Gateway
  store: EngineStore
  graphTools: ReturnType<typeof openGraphTools>
  generateText: GenerateText
  mediaUrls: Services['mediaUrls']
  taskDeps: SubmitTaskDeps
  spending: SpendQueue
  providerKeys: ProviderKeys
  metrics: Metrics
}

/** Runs on the request side, and the worker that executes them, which is not started yet. */
export function openRuns(options: RunsOptions) {
  const { config, db, keeper, steps, clock, media, payloads } = options
  const deps = runDeps(options)
  const { catalogue } = options.set
  const plans = createPlanCache(db, modelLookup(catalogue), () => catalogue.revision)
  const ends = {
    recordRunEnd: recordRunEnds(options.baseUrl),
    onEnded: observeRunEnds(options.metrics, clock),
  }
  const worker =
    keeper && createRunWorker({ ...workerLimits(options), keeper, deps, plans, ...ends })
  const readOnly = readOnlyDeps(options, deps)
  const submit = createRunSubmitter({
    db,
    clock,
    maxQueued: config.MAX_QUEUED_RUNS,
    queueTimeoutMs: config.RUN_QUEUE_TIMEOUT_SECONDS * 1000,
    ...(worker ? { holdSlots: worker.holdSlots } : {}),
  })
  const services: RunServices = {
    ...ends,
    submit: async (submission) => {
      const submitted = await submit(submission)
      options.metrics.runSubmitted(submitted.id)
      return submitted
    },
    assertMaySpend: spendGuard(options),
    assertPriced,
    payloads,
    refreshMedia: createMediaRefresher(media),
    keepMedia: createMediaKeeper(media),
    stepsOf: steps.ofRun,
    stepResultOf: steps.resultOf,
    stepHeadsOf: steps.headsOf,
    reconstruct: (row, steps, path) => reconstructRun(readOnly, plans, { row, steps, path }),
    accepted: createAccountCache({ maxBytes: acceptedBytes }),
    nodeHeads: createAccountCache({ maxBytes: headsBytes }),
  }
  return { services, worker }
}

const spendGuard =
  ({ store, clock }: RunsOptions): RunServices['assertMaySpend'] =>
  async (principal) => {
    await assertMaySpend(store.ledger, principal, clock.nowMs())
  }

const runDeps = (options: RunsOptions): RunWorkerOptions['deps'] => {
  const { store, clock, set, media, mediaIo, graphTools, providerKeys } = options
  const { ledger, tasks, credentials } = store
  return {
    ...{ ledger, tasks },
    steps: options.steps,
    catalogue: set.catalogue,
    generateText: options.generateText,
    orderTask: createTaskOrders(options.taskDeps),
    admit: options.spending.admit,
    gateway: options.gateway,
    useCredential: credentialUser({ clock, credentials }),
    credentialIdOf: providerKeys.idOf,
    evaluate: graphTools.evaluate,
    checkSchemas: graphTools.checkRunSchemas,
    importMedia: async (accountId, url, how) =>
      media.publicMedia(await mediaIo.importMedia(accountId, url, how)),
    mediaUrls: options.mediaUrls,
    payloads: options.payloads,
    memory: createRunMemory(limitsOfProcess()),
    random: Math.random,
    onStepEnded: options.metrics.stepEnded,
    cancelTasks: (runId) => cancelTasksOf({ tasks, clock, providerKeys, ...set }, runId),
  }
}

const workerLimits = ({ config, db, clock, log, metrics }: RunsOptions) => ({
  db,
  clock,
  capacity: runsPerProcess,
  activePerAccount: config.MAX_ACTIVE_RUNS,
  runTimeoutMs: config.RUN_TIMEOUT_SECONDS * 1000,
  stopGraceMs: config.SHUTDOWN_SECONDS * 1000,
  onError: (err: unknown, runId?: string) => log.error({ err, runId }, 'a run could not continue'),
  onQuarantined: metrics.quarantined,
})

/** For reconstructing a run from its records: nothing is called, awaited or written. */
const readOnlyDeps = ({ db, clock }: RunsOptions, deps: RunWorkerOptions['deps']) => ({
  ...deps,
  db,
  clock,
  stopping: new AbortController().signal,
  leaving: new AbortController().signal,
  taskEnded: () => Promise.reject(new Error('nothing is awaited while reading')),
  onError: () => {},
})

/** The id of a run begins with the time of its submission (`core/ids.ts`). */
const observeRunEnds =
  (metrics: Metrics, clock: Clock): RunServices['onEnded'] =>
  ({ id, status }) => {
    const acceptedAtMs = Number.parseInt(id.slice(0, 8) + id.slice(9, 13), 16)
    metrics.runEnded(status, Math.max(0, clock.nowMs() - acceptedAtMs), id)
  }
