import type { Services } from '#api/public/context.ts'
import type { RunServices } from '#api/public/runs/run-services.ts'
import type { WaitServices } from '#api/public/waits/wait-services.ts'
import { createSpenderNow } from '#auth/spender-now.ts'
import { createAccountCache } from '#core/account-cache.ts'
import type { Clock } from '#core/clock.ts'
import type { GenerateText } from '#core/generation.ts'
import { toMicros } from '#core/money.ts'
import { flexUntil, type PrepareCall } from '#engine/batches/prepare-call.ts'
import type { ProviderKeys } from '#engine/calls/provider-keys.ts'
import { assertMaySpend, assertPriced } from '#engine/calls/spend-limit.ts'
import type { SpendQueue } from '#engine/calls/spend-queue.ts'
import { acceptMedia } from '#engine/runs/accept-media.ts'
import { cancelTasksOf } from '#engine/runs/cancel-tasks.ts'
import { reconstructRun } from '#engine/runs/reconstruct-run.ts'
import {
  createMediaDigests,
  createMediaKeeper,
  createMediaNamer,
  createMediaRefresher,
} from '#engine/runs/refresh-media.ts'
import { renewAtEnd } from '#engine/runs/renew-held.ts'
import { reusableAnswers } from '#engine/runs/reusable-answers.ts'
import { createRunMemory, limitsOfProcess } from '#engine/runs/run-memory.ts'
import { createPlanCache } from '#engine/runs/run-plan.ts'
import { createRunWorker, type RunWorkerOptions } from '#engine/runs/run-worker.ts'
import { createSleeperLimit } from '#engine/runs/sleeper-limit.ts'
import { createRunSubmitter } from '#engine/runs/submit-run.ts'
import { credentialUser } from '#engine/runs/use-credential.ts'
import { createTaskOrders, type SubmitTaskDeps } from '#engine/tasks/submit-task.ts'
import type { LeaseKeeper } from '#engine/work/lease-keeper.ts'
import { modelLookup } from '#graph/node/model-lookup.ts'
import type { PayloadStore } from '#media/payload-store.ts'
import type { Metrics } from '#operate/metrics/metrics.ts'
import type { EngineStore } from '#store/engine-store.ts'
import type { RecordRunEnd } from '#store/tables/deliveries.ts'
import type { Base, Stores } from './stores.ts'
import type { World } from './world.ts'

const runsPerProcess = 10_000
// Each limit holds about 500 graphs of ordinary size.
const acceptedBytes = 64 * 1024 * 1024
const headsBytes = 4 * 1024 * 1024

/** What the engine built for them. */
type Calls = {
  store: EngineStore
  prepareBatched: PrepareCall
  economy: RunServices['economy']
  recordRunEnd: RecordRunEnd
  /** Null in a process that only serves. */
  keeper: LeaseKeeper | null
  payloads: PayloadStore
  generateText: GenerateText
  mediaUrls: Services['mediaUrls']
  taskDeps: SubmitTaskDeps
  spending: SpendQueue
  providerKeys: ProviderKeys
  waits: WaitServices
}

/** Runs on the request side, and the worker that executes them, which is not started yet. */
export function openRuns(base: Base, { steps }: Stores, world: World, calls: Calls) {
  const { config, clock } = base
  const { media, metrics } = world
  const { keeper, payloads, store } = calls
  const deps = runDeps(base, world, calls)
  const { catalogue } = world.set
  const plans = createPlanCache(
    store.runs,
    (routes) => modelLookup(catalogue, { routes }),
    () => catalogue.revision,
  )
  const onEnded = observeRunEnds(metrics, clock)
  const worker =
    keeper && createRunWorker({ ...workerLimits(base, metrics), keeper, deps, plans, onEnded })
  const readOnly = readOnlyDeps(base, deps)
  const submit = createRunSubmitter({
    runs: store.runs,
    clock,
    maxQueued: config.MAX_QUEUED_RUNS,
    queueTimeoutMs: config.RUN_QUEUE_TIMEOUT_SECONDS * 1000,
    ...(worker ? { holdSlots: worker.holdSlots } : {}),
  })
  const services: RunServices = {
    recordRunEnd: calls.recordRunEnd,
    onEnded,
    submit: async (submission) => {
      const submitted = await submit(submission)
      metrics.runSubmitted(submitted.id)
      return submitted
    },
    assertMaySpend: (principal) => assertMaySpend(store.ledger, principal, clock.nowMs()),
    assertPriced,
    assertMayWait: createSleeperLimit(store.waits, clock, config.MAX_WAITING_RUNS),
    payloads,
    refreshMedia: createMediaRefresher(media),
    keepMedia: createMediaKeeper(media),
    renewAtEnd: (run) => renewAtEnd({ waits: store.waits, payloads, clock }, run),
    acceptMedia: acceptMedia(deps.importMedia, (config.HANDLER_TIMEOUT_SECONDS * 2000) / 3),
    stepsOf: steps.ofRun,
    stepResultOf: steps.resultOf,
    stepHeadsOf: steps.headsOf,
    reconstruct: (row, steps, path, onOutputs) =>
      reconstructRun(readOnly, plans, { row, steps, path, ...(onOutputs && { onOutputs }) }),
    reusableAnswers: reusableAnswers({ ...deps, clock }),
    economy: calls.economy,
    accepted: createAccountCache({ maxBytes: acceptedBytes }),
    nodeHeads: createAccountCache({ maxBytes: headsBytes }),
  }
  return { services, worker }
}

const spendLimit = ({ SPEND_LIMIT }: Base['config']) =>
  SPEND_LIMIT === 0 ? null : toMicros(SPEND_LIMIT)

function runDeps(
  { clock, config, db }: Base,
  { set, media, mediaIo, gateway, graphTools, metrics }: World,
  { store, providerKeys, ...calls }: Calls,
): RunWorkerOptions['deps'] {
  const { runs, steps, waits, tasks, ledger, credentials } = store
  return {
    runs,
    steps,
    waits,
    tasks,
    ledger,
    catalogue: set.catalogue,
    generateText: calls.generateText,
    orderTask: createTaskOrders(calls.taskDeps),
    admit: calls.spending.admit,
    gateway,
    useCredential: credentialUser({ clock, credentials }),
    credentialIdOf: providerKeys.idOf,
    evaluate: graphTools.evaluate,
    checkSchemas: graphTools.checkRunSchemas,
    importMedia: async (accountId, url, how) =>
      media.publicMedia(await mediaIo.importMedia(accountId, url, how)),
    mediaUrls: calls.mediaUrls,
    refreshMedia: createMediaRefresher(media),
    nameMedia: createMediaNamer(media),
    callbackUrl: (waitId) => calls.waits.tokens.urlOf('callback', waitId),
    payloads: calls.payloads,
    reuse: {
      ...store.reuse,
      catalogue: set.catalogue,
      keepMedia: createMediaKeeper(media),
      addressOf: (provider) => set.keyable().get(provider)?.baseUrl ?? '',
      deploymentsOf: set.deploymentsOf,
      async credentialId(accountId, name) {
        const [found] = await credentials.find(accountId, [name])
        return found?.id ?? null
      },
      digestOf: createMediaDigests(media),
    },
    economy: {
      prepare: calls.prepareBatched,
      flexUntil: flexUntil({ ...set, ...calls.economy }),
      note: store.economy.note,
      pauseMs: calls.economy.times.pollMs,
    },
    spenderNow: createSpenderNow({ db, clock, spendLimitMicros: spendLimit(config) }),
    renewAfterMs: (config.RETENTION_DAYS * 86_400_000) / 3,
    delayedAtMostMs: config.RUN_TIMEOUT_SECONDS * 1000,
    memory: createRunMemory(limitsOfProcess()),
    random: Math.random,
    onStepEnded: metrics.stepEnded,
    onWaitEnded: metrics.waitEnded,
    cancelTasks: (runId) => cancelTasksOf({ tasks, clock, providerKeys, ...set }, runId),
  }
}

const workerLimits = ({ config, clock, log }: Base, metrics: Metrics) => ({
  clock,
  capacity: runsPerProcess,
  activePerAccount: config.MAX_ACTIVE_RUNS,
  runTimeoutMs: config.RUN_TIMEOUT_SECONDS * 1000,
  stopGraceMs: config.SHUTDOWN_SECONDS * 1000,
  onError: (err: unknown, runId?: string) => log.error({ err, runId }, 'a run could not continue'),
  onQuarantined: metrics.quarantined,
})

/** For reconstructing a run from its records: nothing is called, awaited or written. */
const readOnlyDeps = ({ clock }: Base, deps: RunWorkerOptions['deps']) => ({
  ...deps,
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
