// Run workers on a store that can be taken from them at any commit, as a kill would, and a
// provider that counts what it was asked.
import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { fileURLToPath } from 'node:url'
import { createCatalogue } from '#core/catalogue.ts'
import { systemClock } from '#core/clock.ts'
import { sequencedUuid, uuidV7 } from '#core/ids.ts'
import { LeaseLost } from '#core/interruptions.ts'
import type { RunSubmission, SubmitRun } from '#core/run-submission.ts'
import { createAttemptLedger } from '#engine/calls/attempt-ledger.ts'
import { createCircuitBreaker } from '#engine/calls/circuit-breaker.ts'
import { createTextGenerator } from '#engine/calls/generate-text.ts'
import type { LaneGate } from '#engine/calls/lane-gate.ts'
import { createPictureMemory } from '#engine/calls/picture-memory.ts'
import { createRouteMemory } from '#engine/calls/route-order.ts'
import { createRunMemory, limitsOfProcess } from '#engine/runs/run-memory.ts'
import { createPlanCache } from '#engine/runs/run-plan.ts'
import { createRunWorker, type RunWorker, type RunWorkerOptions } from '#engine/runs/run-worker.ts'
import { createRunSubmitter } from '#engine/runs/submit-run.ts'
import type { Lease, LeaseKeeper } from '#engine/work/lease-keeper.ts'
import { modelLookup } from '#graph/node/model-lookup.ts'
import type { PayloadStore } from '#media/payload-store.ts'
import type { Gateway } from '#outbound/gateway.ts'
import { type Provider, ProviderError } from '#providers/provider.ts'
import type { Db } from '#store/db.ts'
import { ledgerIn } from '#store/engine/ledger.ts'
import { runsIn } from '#store/engine/runs.ts'
import { tasksIn } from '#store/engine/tasks.ts'
import { waitsIn } from '#store/engine/waits.ts'
import { openChatIntents } from '#store/journals/chat-intents.ts'
import { openSteps } from '#store/journals/step-log.ts'
import { releaseOrphans } from '#store/tables/claims.ts'
import { createRunEndRecorder } from '#store/tables/deliveries.ts'
import { insertRuns, type NewRun } from '#store/tables/new-runs.ts'
import { findRunsById, type RunRow, runList } from '#store/tables/runs.ts'
import { takeNumbers } from '#store/tables/sequences.ts'
import { type Steps, stepsInRows } from '#store/tables/steps.ts'
import { registerWorker, removeWorker } from '#store/tables/workers.ts'
import { insertWorkflow } from '#store/tables/workflows.ts'
import { noKeys } from '../../support/no-keys.ts'
import { noLanes } from '../../support/no-lanes.ts'
import { createPauses } from '../../support/pauses.ts'
import { payloadsInRows } from '../../support/payloads-in-rows.ts'

export const migrations = fileURLToPath(new URL('../../../src/store/migrations', import.meta.url))
export const newAccount = () => uuidV7(Date.now())

export type Provided = Provider & {
  /** How often each prompt was asked for. */
  asked: Map<string, number>
  /** Prompts that wait for `open`. */
  held: Set<string>
  /** Prompts whose content it refuses, if need be once they are open. */
  refused: Set<string>
  /** Prompts that it accepts and never answers, so that nobody knows what it bills. */
  lost: Set<string>
  open(prompt: string): void
}

export function countingProvider(): Provided {
  const asked = new Map<string, number>()
  const held = new Set<string>()
  const refused = new Set<string>()
  const lost = new Set<string>()
  const waiting = new Map<string, (() => void)[]>()
  return {
    name: 'counting',
    asked,
    held,
    refused,
    lost,
    open(prompt) {
      held.delete(prompt)
      for (const go of waiting.get(prompt) ?? []) go()
      waiting.delete(prompt)
    },
    async generateText({ messages }) {
      const prompt = String(messages[0]?.content)
      asked.set(prompt, (asked.get(prompt) ?? 0) + 1)
      if (held.has(prompt)) {
        await new Promise<void>((resolve) => {
          waiting.set(prompt, [...(waiting.get(prompt) ?? []), resolve])
        })
      }
      if (refused.has(prompt)) {
        throw new ProviderError('content', { outcome: 'rejected', message: 'not this' })
      }
      if (lost.has(prompt)) {
        throw new ProviderError('timeout', { outcome: 'unknown', message: 'too late' })
      }
      const usage = { inputTokens: 1, outputTokens: 1 }
      return { text: `${prompt}+`, finish: 'stop', usage, requestId: null }
    },
  }
}

/** Two, of which routes may choose. */
const catalogue = createCatalogue(
  ['m', 'n'].map((id) => ({
    model: {
      ...{ id, name: id, provider: 'counting', kind: 'TEXT', description: '', enabled: true },
      capabilities: { inputModalities: ['text'] },
      pricing: { currency: 'USD', inputPerMillionTokens: 1, outputPerMillionTokens: 1 },
    },
    provider: 'counting',
    providerModel: id,
    fallbacks: [],
  })),
)

/** The store as one process has it, until it is killed: then nothing answers, unless it revives. */
export function killable(db: Db) {
  let left = Number.POSITIVE_INFINITY
  let isDead = false
  let when: 'before' | 'after' = 'before'
  const { promise: died, resolve: die } = Promise.withResolvers<void>()
  const { promise: revived, resolve: revive } = Promise.withResolvers<void>()
  const kill = () => {
    isDead = true
    die()
  }
  const commit = async <T>(work: () => Promise<T>): Promise<T> => {
    if (isDead) await revived
    left--
    const isLast = left === 0
    if (isLast && when === 'before') {
      kill()
      await revived
      return work()
    }
    const value = await work()
    if (isLast) kill()
    if (isDead) await revived
    return value
  }
  const process: Db = {
    ...db,
    async query(sql, params) {
      if (isDead) await revived
      return db.query(sql, params)
    },
    write: (sql, params) => commit(() => db.write(sql, params)),
    transaction: (work, options) => commit(() => db.transaction(work, options)),
    writeAll: (statements, options) => commit(() => db.writeAll(statements, options)),
    listen: (channel, onWake) => db.listen(channel, () => !isDead && onWake()),
  }
  return {
    process,
    died,
    /** Dies at the n-th commit from now on: it is not made, or it is and nobody hears of it. */
    killAt(commits: number, moment: 'before' | 'after') {
      left = commits
      when = moment
    },
    kill,
    /** It was only held up: it goes on where it was, with what it believes to own. */
    revive() {
      isDead = false
      revive()
    },
    isDead: () => isDead,
  }
}

export type Process = {
  workerId: string
  worker: RunWorker
  submitRun: SubmitRun
  store: ReturnType<typeof killable>
  steps: Steps
  /** Another may take over all it had, while it goes on: as after a pause longer than its lease. */
  expire(): Promise<void>
  /** It finds out that its lease is gone, and begins another, as the lease keeper does. */
  renew(): Promise<void>
  /** It is dead, and another may take over. */
  bury(): Promise<void>
}

export const recordRunEnd = createRunEndRecorder((runId) => `http://atelier.test/${runId}`)

/** Without a step log, for tests that only submit. */
export const runsOn = (db: Db) => runsIn({ db, steps: stepsInRows(db), recordRunEnd })

type OwnOptions = 'activePerAccount' | 'runTimeoutMs' | 'clock' | 'onError' | 'onQuarantined'

export async function startProcess(
  db: Db,
  provider: Provider,
  {
    payloads = payloadsInRows,
    cancelTasks = async () => {},
    gateway = noGateway,
    evaluate = async ({ input }) => ({ value: input }),
    ledgerOn,
    gate = noLanes,
    spenderNow = async (_, before) => before,
    ...options
  }: Partial<Pick<RunWorkerOptions, OwnOptions>> & {
    payloads?: PayloadStore
    cancelTasks?: RunWorkerOptions['deps']['cancelTasks']
    gateway?: Gateway
    evaluate?: RunWorkerOptions['deps']['evaluate']
    /** The store as the ledger has it; otherwise as everything else has it. */
    ledgerOn?: Db
    gate?: LaneGate
    spenderNow?: RunWorkerOptions['deps']['spenderNow']
  } = {},
): Promise<Process> {
  const store = killable(db)
  const workerId = randomUUID()
  await registerWorker(db, workerId, 3_600_000)
  const isCertain = () => true
  let losing = new AbortController()
  let lease: Lease = { workerId, lost: losing.signal, isCertain }
  const keeper: LeaseKeeper = { current: () => lease, release: async () => {} }
  const steps = await openSteps({ db: store.process, clock: systemClock, onError: () => {} })
  const runs = runsIn({ db: store.process, steps, recordRunEnd })
  const worker = createRunWorker({
    clock: systemClock,
    keeper,
    deps: {
      ...textOnly(ledgerOn ?? store.process, provider, gate),
      ...{ runs, steps },
      payloads,
      cancelTasks,
      gateway,
      evaluate,
      spenderNow,
    },
    plans: createPlanCache(runs, (routes) => modelLookup(catalogue, { routes })),
    capacity: 1_000,
    activePerAccount: 200,
    runTimeoutMs: 3_600_000,
    stopGraceMs: 0,
    onError: () => {},
    ...options,
  })
  await worker.start()
  const submitRun = createRunSubmitter({
    runs,
    clock: systemClock,
    maxQueued: 1_000,
    queueTimeoutMs: 3_600_000,
    holdSlots: worker.holdSlots,
  })
  const expire = () =>
    db.transaction(async (tx) => {
      await removeWorker(tx, workerId)
      await releaseOrphans(tx)
      tx.notify('runs')
    })
  const renew = async () => {
    losing.abort(new LeaseLost(lease.workerId))
    losing = new AbortController()
    lease = { workerId: randomUUID(), lost: losing.signal, isCertain }
    await registerWorker(db, lease.workerId, 3_600_000)
  }
  const bury = async () => {
    store.kill()
    void worker.stop()
    await expire()
  }
  return { workerId, worker, submitRun, store, steps, expire, renew, bury }
}

const noGateway: Gateway = {
  check: () => Promise.reject(new Error('no gateway here')),
  request: () => Promise.reject(new Error('no gateway here')),
  close: async () => {},
}

type OwnDeps = 'runs' | 'steps' | 'payloads' | 'cancelTasks' | 'gateway' | 'evaluate' | 'spenderNow'

/** What a worker needs for text calls; everything else is refused. */
const textOnly = (
  db: Db,
  provider: Provider,
  gate: LaneGate,
): Omit<RunWorkerOptions['deps'], OwnDeps> => ({
  ledger: ledgerIn(db, openChatIntents(db, systemClock), systemClock),
  tasks: tasksIn(db),
  catalogue,
  generateText: createTextGenerator({
    catalogue,
    providers: new Map<string, Provider>([[provider.name, provider]]),
    providerKeys: noKeys,
    ledger: createAttemptLedger(
      ledgerIn(db, openChatIntents(db, systemClock), systemClock),
      systemClock,
    ),
    breaker: createCircuitBreaker(systemClock),
    gate,
    routeMemory: createRouteMemory(systemClock),
    clock: systemClock,
    loadImage: () => Promise.reject(new Error('no pictures here')),
    loadDocument: () => Promise.reject(new Error('no documents here')),
    pictures: createPictureMemory(),
    timeoutMs: 3_000,
    totalMs: 3_000,
  }),
  orderTask: () => Promise.reject(new Error('no tasks here')),
  admit: () => Promise.reject(new Error('no tasks here')),
  useCredential: () => assert.fail('no credential is used here'),
  credentialIdOf: () => assert.fail('no credential is used here'),
  checkSchemas: async () => [],
  importMedia: () => Promise.reject(new Error('no media here')),
  mediaUrls: () => [],
  waits: waitsIn(db),
  refreshMedia: async (_, value) => value,
  nameMedia: async (_, value) => value,
  renewAfterMs: 10 * 86_400_000,
  delayedAtMostMs: 3_600_000,
  callbackUrl: (waitId) => `http://atelier.test/${waitId}`,
  memory: createRunMemory(limitsOfProcess()),
  random: () => 0.5,
})

type Node = { id: string; type: string; data: Record<string, unknown> }

/** `count` text calls in a row; the first prompt is the input. */
export function chain(count: number): { nodes: Node[]; connections: object[] } {
  const nodes: Node[] = [{ id: 'in', type: 'input.text', data: {} }]
  const connections: object[] = []
  for (let i = 0; i < count; i++) {
    nodes.push({ id: `g${i}`, type: 'text.generate', data: { model: 'm' } })
    const source = i === 0 ? 'in' : `g${i - 1}`
    connections.push({ source, target: `g${i}`, targetHandle: 'prompt' })
  }
  return { nodes, connections }
}

export const addWorkflow = (
  db: Db,
  accountId: string,
  graph: { nodes: Node[]; connections: object[] },
) =>
  insertWorkflow(db, {
    accountId,
    name: 'w',
    canvasScale: null,
    data: JSON.stringify(graph),
    nodeCount: graph.nodes.length,
    connectionCount: graph.connections.length,
    nowMs: 1,
  })

/** A run as a submission leaves it. */
export function addRun(
  db: Db,
  accountId: string,
  workflow: { id: number; node_count: number },
  change: Partial<NewRun> & { nowMs?: number; isNotified?: false } = {},
): Promise<string> {
  const { nowMs = Date.now(), isNotified = true, ...columns } = change
  return db.transaction(async (tx) => {
    const { lastSeq: seq, createdAtMs } = await takeNumbers(tx, accountId, runList(workflow.id), {
      nowMs,
    })
    const id = sequencedUuid(createdAtMs, seq)
    const rows = [
      {
        id,
        account_id: accountId,
        workflow_id: workflow.id,
        seq,
        spender: { keyId: null, limits: {}, accountSpendPerMonthMicros: null },
        workflow_name: 'w',
        workflow_version: 1,
        data_version: 1,
        called: null,
        node_count: workflow.node_count,
        inputs: '{}',
        metadata: {},
        callback_url: null,
        max_cost_micros: null,
        idempotency_key: id,
        fingerprint: 'f',
        retry_of: null,
        created_at: createdAtMs,
        run_at: nowMs,
        deadline_at: nowMs + 3_600_000,
        ...columns,
      },
    ]
    await tx.run(insertRuns(db.dialect, rows))
    if (isNotified) tx.notify('runs')
    return id
  })
}

/** As a client's request does. */
export const submit = (
  { submitRun }: Pick<Process, 'submitRun'>,
  accountId: string,
  workflow: { id: number; node_count: number },
  change: Pick<RunSubmission, 'key'> &
    Partial<
      Pick<
        RunSubmission,
        'inputs' | 'callbackUrl' | 'called' | 'maxCostMicros' | 'retryOf' | 'steps'
      >
    >,
) =>
  submitRun({
    principal: { accountId, keyId: null, limits: {}, accountSpendPerMonthMicros: null },
    fingerprint: change.key,
    workflow: { id: workflow.id, name: 'w', version: 1, dataVersion: 1 },
    called: null,
    nodeCount: workflow.node_count,
    inputs: '{"in":"x"}',
    metadata: {},
    callbackUrl: null,
    maxCostMicros: null,
    retryOf: null,
    ...change,
  })

export async function rowOf(db: Db, id: string): Promise<RunRow> {
  const [row] = await findRunsById(db, [id])
  assert.ok(row)
  return row
}

// Ends a wait for what never comes; a machine that is busy with something else needs its time.
const neverMs = 120_000

export async function until(holds: () => boolean | Promise<boolean>): Promise<void> {
  const deadline = Date.now() + neverMs
  const pause = createPauses(2)
  while (!(await holds())) {
    assert.ok(Date.now() < deadline, 'it did not happen')
    await pause()
  }
}

export async function allEnded(db: Db, limitMs = neverMs): Promise<void> {
  const deadline = Date.now() + limitMs
  const pause = createPauses(2)
  for (;;) {
    const open = await db.query('select id, status, owner from runs where completed_at is null')
    if (open.length === 0) return
    if (Date.now() > deadline) assert.fail(`not ended: ${JSON.stringify(open)}`)
    await pause()
  }
}
