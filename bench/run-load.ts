// Runs with trivial recorded steps, to measure the cost of the engine and the store alone.
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { createCatalogue } from '#core/catalogue.ts'
import { systemClock } from '#core/clock.ts'
import { uuidV7 } from '#core/ids.ts'
import type { RunSubmission, SubmitRun } from '#core/run-submission.ts'
import { createRunMemory, limitsOfProcess } from '#engine/runs/run-memory.ts'
import { createPlanCache } from '#engine/runs/run-plan.ts'
import type { RunWorker, RunWorkerOptions } from '#engine/runs/run-worker.ts'
import { createRunSubmitter } from '#engine/runs/submit-run.ts'
import type { Db } from '#store/db.ts'
import { ledgerIn } from '#store/engine/ledger.ts'
import { reuseIn } from '#store/engine/reuse.ts'
import { runsIn } from '#store/engine/runs.ts'
import { tasksIn } from '#store/engine/tasks.ts'
import { waitsIn } from '#store/engine/waits.ts'
import { openChatIntents } from '#store/journals/chat-intents.ts'
import { openSteps } from '#store/journals/step-log.ts'
import { type Steps, stepsInRows } from '#store/tables/steps.ts'
import { insertWorkflow } from '#store/tables/workflows.ts'
import { payloadsInRows } from '../test/support/payloads-in-rows.ts'

export const migrations = fileURLToPath(new URL('../src/store/migrations', import.meta.url))

const catalogue = createCatalogue([
  {
    model: {
      id: 'm',
      name: 'm',
      provider: 'none',
      kind: 'TEXT',
      description: '',
      enabled: true,
      capabilities: { inputModalities: ['text'] },
      pricing: null,
    },
    provider: 'none',
    providerModel: 'm',
    fallbacks: [],
  },
])

/** No run has a webhook. */
const storeOf = (db: Db, steps: Steps) => ({
  runs: runsIn({ db, steps, recordRunEnd: async () => {} }),
  tasks: tasksIn(db),
  ledger: ledgerIn(db, openChatIntents(db, systemClock), systemClock),
})

export async function workerOptions(
  db: Db,
  keeper: RunWorkerOptions['keeper'],
  onEnded: (runId: string) => void,
): Promise<RunWorkerOptions & { deps: { steps: Steps } }> {
  const absent = () => Promise.reject(new Error('not in this bench'))
  const steps = await openSteps({ db, clock: systemClock, onError: console.error })
  const store = storeOf(db, steps)
  return {
    clock: systemClock,
    keeper,
    deps: {
      ...store,
      steps,
      catalogue,
      generateText: async ({ modelId }) => ({
        id: '',
        modelId,
        text: 'x',
        finish: 'stop',
        usage: { inputTokens: 1, outputTokens: 1 },
        costMicros: 0,
        createdAtMs: 0,
      }),
      orderTask: absent,
      admit: absent,
      gateway: { check: absent, request: absent, close: async () => {} },
      useCredential: absent,
      credentialIdOf: absent,
      evaluate: absent,
      checkSchemas: async () => [],
      importMedia: absent,
      mediaUrls: () => [],
      waits: waitsIn(db),
      refreshMedia: async (_, value) => value,
      nameMedia: async (_, value) => value,
      renewAfterMs: 864_000_000,
      delayedAtMostMs: 3_600_000,
      spenderNow: async (_, before) => before,
      callbackUrl: (waitId) => waitId,
      payloads: payloadsInRows,
      reuse: {
        ...reuseIn(db, steps, systemClock),
        catalogue,
        keepMedia: absent,
        addressOf: () => '',
        deploymentsOf: () => undefined,
        credentialId: absent,
        digestOf: absent,
      },
      memory: createRunMemory(limitsOfProcess()),
      random: Math.random,
      cancelTasks: absent,
    },
    plans: createPlanCache(store.runs, () => () => undefined),
    onEnded: ({ id }) => onEnded(id),
    capacity: 1_000,
    activePerAccount: 1_000,
    runTimeoutMs: 3_600_000,
    stopGraceMs: 1_000,
    onError: console.error,
  }
}

export type RunEnds = {
  /** Called by the worker, or on its behalf. */
  ended(runId: string): void
  wait(runId: string): Promise<void>
  /** How many have ended. */
  readonly count: number
}

/** A run may have ended before its submitter was answered. */
export function createRunEnds(): RunEnds {
  const known = new Map<string, () => void>()
  let count = 0
  return {
    get count() {
      return count
    },
    ended(runId) {
      count++
      const heard = known.get(runId)
      if (heard) heard()
      else known.set(runId, () => {})
    },
    async wait(runId) {
      if (!known.has(runId)) await new Promise<void>((resolve) => known.set(runId, resolve))
      known.delete(runId)
    },
  }
}

export const openSubmitter = (db: Db, worker?: RunWorker): SubmitRun =>
  createRunSubmitter({
    runs: storeOf(db, stepsInRows(db)).runs,
    clock: systemClock,
    maxQueued: 10_000,
    queueTimeoutMs: 3_600_000,
    ...(worker && { holdSlots: worker.holdSlots }),
  })

type Deps = { db: Db; submitRun: SubmitRun; ends: RunEnds }

export type LoadResult = {
  perSecond: number
  p50: number
  p99: number
  /** Of each run in ms, the shortest first. */
  latencies: readonly number[]
  /** Processor time of this process per run, all threads. */
  cpuUs: number
}

/** Keeps `inFlight` runs going for `forMs`, spread over `accounts`. */
export async function driveRuns(
  { db, submitRun, ends }: Deps,
  plan: { steps: number; inFlight: number; forMs: number; accounts?: number },
): Promise<LoadResult> {
  const workflows = await Promise.all(
    Array.from({ length: plan.accounts ?? 1 }, () => addChain(db, plan.steps)),
  )
  const latencies: number[] = []
  const startedAt = performance.now()
  const cpuAtStart = process.cpuUsage()
  let next = 0
  const one = async (index: number) => {
    const begunAt = performance.now()
    const workflow = workflows[index % workflows.length]
    if (!workflow) throw new Error('no account to submit for')
    const key = `${next++}`
    const { id } = await submitRun({ ...workflow, key, fingerprint: key })
    await ends.wait(id)
    latencies.push(performance.now() - begunAt)
  }
  const client = async (_: unknown, index: number) => {
    while (performance.now() - startedAt < plan.forMs) await one(index)
  }
  await Promise.all(Array.from({ length: plan.inFlight }, client))
  const elapsedMs = performance.now() - startedAt
  const { user, system } = process.cpuUsage(cpuAtStart)
  latencies.sort((a, b) => a - b)
  return {
    perSecond: (latencies.length / elapsedMs) * 1000,
    p50: quantile(latencies, 0.5),
    p99: quantile(latencies, 0.99),
    latencies,
    cpuUs: (user + system) / latencies.length,
  }
}

/**
 * Submits runs of one step at random times, as many callers that know nothing of each other do, and
 * whether or not earlier ones have ended. A run counts from the time at which it was to be
 * submitted, so that nothing is missed while the process is held up. Latencies in ms, in order.
 */
export async function driveSteadily(
  { db, submitRun, ends }: Deps,
  { perSecond, isOver }: { perSecond: number; isOver(sinceMs: number, ended: number): boolean },
): Promise<readonly number[]> {
  const workflow = await addChain(db, 1)
  const latencies: number[] = []
  const startedAt = performance.now()
  const since = () => performance.now() - startedAt
  const one = async (atMs: number, key: string) => {
    const { id } = await submitRun({ ...workflow, key, fingerprint: key })
    await ends.wait(id)
    latencies.push(since() - atMs)
  }
  const runs: Promise<void>[] = []
  for (let atMs = 0; !isOver(since(), latencies.length); ) {
    atMs += (-Math.log(1 - Math.random()) / perSecond) * 1000
    await sleep(Math.max(0, Math.ceil(atMs - since())))
    // Timers count in whole milliseconds. What they are later than that is the server's.
    const roundedMs = Math.max(0, Math.min(1, since() - atMs))
    runs.push(one(atMs + roundedMs, `${runs.length}`))
  }
  await Promise.all(runs)
  return latencies.sort((a, b) => a - b)
}

export const quantile = (sorted: readonly number[], q: number): number =>
  sorted[Math.floor(sorted.length * q)] ?? 0

/**
 * Creates an account with a workflow: one input, then a chain of `steps` text calls, and behind them
 * what is given.
 */
export async function addChain(
  db: Db,
  steps: number,
  last: object | null = null,
): Promise<Omit<RunSubmission, 'key' | 'fingerprint'>> {
  const accountId = uuidV7(Date.now())
  const nodes: object[] = [{ id: 'in', type: 'input.text', data: { default: 'x' } }]
  const connections: object[] = []
  for (let i = 0; i < steps; i++) {
    nodes.push({ id: `g${i}`, type: 'text.generate', data: { model: 'm' } })
    const source = i === 0 ? 'in' : `g${i - 1}`
    connections.push({ source, target: `g${i}`, targetHandle: 'prompt' })
  }
  if (last) {
    nodes.push({ id: 'last', ...last })
    connections.push({ source: `g${steps - 1}`, target: 'last', targetHandle: 'value' })
  }
  const workflow = await insertWorkflow(db, {
    accountId,
    name: 'bench',
    canvasScale: null,
    data: JSON.stringify({ nodes, connections }),
    nodeCount: nodes.length,
    connectionCount: connections.length,
    nowMs: Date.now(),
  })
  return {
    principal: { accountId, keyId: null, limits: {}, accountSpendPerMonthMicros: null },
    workflow: { id: workflow.id, name: 'bench', version: 1, dataVersion: 1 },
    called: null,
    nodeCount: nodes.length,
    inputs: '{}',
    metadata: {},
    callbackUrl: null,
    maxCostMicros: null,
    retryOf: null,
  }
}
